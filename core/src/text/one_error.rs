//! Texts that differ by one typing error: a letter replaced, left out or added, or two neighbours swapped.

/// Whether two texts differ by exactly one error.
pub fn is_one_error_apart(left: &[char], right: &[char]) -> bool {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    let common = short.iter().zip(long).take_while(|(left, right)| left == right).count();
    match long.len() - short.len() {
        0 if common == long.len() => false,
        0 => {
            let is_replaced = short[common + 1..] == long[common + 1..];
            let is_swapped = common + 1 < long.len()
                && short[common] == long[common + 1]
                && short[common + 1] == long[common]
                && short[common + 2..] == long[common + 2..];
            is_replaced || is_swapped
        }
        1 => short[common..] == long[common + 1..],
        _ => false,
    }
}

/// The texts with two neighbours of this one swapped, and those with one of its letters left out.
pub fn swapped_or_shorter(text: &[char]) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(2 * text.len());
    for at in 1..text.len() {
        let mut swapped = text.to_vec();
        swapped.swap(at - 1, at);
        found.push(swapped.into_iter().collect());
    }
    for at in 0..text.len() {
        found.push(text[..at].iter().chain(&text[at + 1..]).collect());
    }
    let itself: String = text.iter().collect();
    found.retain(|other| *other != itself && !other.is_empty());
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The number of errors between two texts, by the table of Damerau's distance with adjacent swaps.
    fn distance(left: &[char], right: &[char]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for at in 0..=left.len() {
            for to in 0..=right.len() {
                let mut best = if at == 0 && to == 0 { 0 } else { usize::MAX };
                if at > 0 {
                    best = best.min(table[at - 1][to] + 1);
                }
                if to > 0 {
                    best = best.min(table[at][to - 1] + 1);
                }
                if at > 0 && to > 0 {
                    let differ = usize::from(left[at - 1] != right[to - 1]);
                    best = best.min(table[at - 1][to - 1] + differ);
                }
                let is_swap = at > 1 && to > 1 && left[at - 1] == right[to - 2];
                if is_swap && left[at - 2] == right[to - 1] {
                    best = best.min(table[at - 2][to - 2] + 1);
                }
                table[at][to] = best;
            }
        }
        table[left.len()][right.len()]
    }

    proptest! {
        #[test]
        fn one_error_is_a_distance_of_one(left in "[あいう]{0,6}", right in "[あいう]{0,6}") {
            let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<char>>());
            prop_assert_eq!(is_one_error_apart(&left, &right), distance(&left, &right) == 1);
        }

        #[test]
        fn swapped_and_shorter_texts_are_one_error_apart(text in "[あいう]{0,6}") {
            let letters: Vec<char> = text.chars().collect();
            for other in swapped_or_shorter(&letters) {
                let other: Vec<char> = other.chars().collect();
                prop_assert!(is_one_error_apart(&letters, &other));
            }
        }
    }
}
