//! Dates as numbers, and corporate numbers: a check digit, then twelve digits.

/// A calendar date as a number that sorts in the same order: 20260731. 0 for an empty column.
pub type Date = u32;

/// The check digit of the other twelve digits: 9 minus the sum modulo 9, where every second digit from the right counts
/// double. 1 to 9.
pub fn check_digit(body: u64) -> u8 {
    let (mut rest, mut sum) = (body, 0);
    for position in 0..12 {
        sum += rest % 10 * (1 + position % 2);
        rest /= 10;
    }
    9 - (sum % 9) as u8
}

/// The number, if it has thirteen digits and the right check digit.
pub(crate) fn parse(text: &str) -> Option<u64> {
    if text.len() != 13 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = text.bytes().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    let (check, body) = (number / 1_000_000_000_000, number % 1_000_000_000_000);
    (check == u64::from(check_digit(body))).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_check_digit_of_ten_is_right() {
        // The agency's own number, and a municipality's.
        for number in ["7000012050002", "1000020313025", "2021001052596"] {
            assert_eq!(parse(number).map(|number| number.to_string()).as_deref(), Some(number));
            let right =
                (0..10).filter(|check| parse(&format!("{check}{}", &number[1..])).is_some());
            assert_eq!(right.count(), 1);
        }
        for text in ["", "700001205000", "70000120500020", "700001205000O", "７000012050002"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }
}
