//! The outline of a town column: the text outside brackets, and the text inside each.
//!
//! The kana printing writes ＜…＞ for 「…」. An unclosed bracket extends to the end of the text and a stray closing one
//! is plain text, so every input has an outline.

fn closing(open: char) -> Option<char> {
    match open {
        '（' => Some('）'),
        '「' => Some('」'),
        '〔' => Some('〕'),
        '＜' => Some('＞'),
        _ => None,
    }
}

/// Splits at each of `separators` outside all brackets. Parts may be empty.
pub(super) fn split_outside<'a>(text: &'a str, separators: &[&str]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut position = 0;
    while position < text.len() {
        if let Some(bracket) = bracket_at(text, position) {
            position = bracket.end;
        } else if let Some(separator) =
            separators.iter().find(|s| text[position..].starts_with(**s))
        {
            parts.push(&text[start..position]);
            position += separator.len();
            start = position;
        } else {
            position += char_len(text, position);
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The end of the first bracketed part of `text`; adjacent ones are included.
pub(super) fn bracket_end(text: &str) -> Option<usize> {
    let mut end = next_bracket(text, 0)?.1.end;
    while let Some(adjacent) = bracket_at(text, end) {
        end = adjacent.end;
    }
    Some(end)
}

/// A text without its bracketed parts, and the contents of those parts, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Outline<'a> {
    pub(super) head: &'a str,
    /// The text outside brackets, concatenated; equal to `head` if nothing follows them.
    pub(super) outside: String,
    pub(super) inside: Vec<&'a str>,
}

impl<'a> Outline<'a> {
    pub(super) fn parse(text: &'a str) -> Outline<'a> {
        let mut outline = Outline { head: text, ..Outline::default() };
        let mut start = 0;
        while let Some((position, bracket)) = next_bracket(text, start) {
            if outline.inside.is_empty() {
                outline.head = &text[..position];
            }
            outline.outside.push_str(&text[start..position]);
            outline.inside.push(bracket.content);
            start = bracket.end;
        }
        outline.outside.push_str(&text[start..]);
        outline
    }
}

/// A bracketed part: its content, and where the text continues after it.
struct Bracket<'a> {
    content: &'a str,
    end: usize,
}

/// The first bracketed part that opens at or after byte `start`, with the position at which it opens.
fn next_bracket(text: &str, start: usize) -> Option<(usize, Bracket<'_>)> {
    let mut positions = text[start..].char_indices().map(|(offset, _)| start + offset);
    positions.find_map(|position| Some((position, bracket_at(text, position)?)))
}

/// The bracketed part that opens at byte `position`, which is a character boundary.
fn bracket_at(text: &str, position: usize) -> Option<Bracket<'_>> {
    let open = text[position..].chars().next()?;
    let mut expected = vec![closing(open)?];
    let content_start = position + open.len_utf8();
    for (offset, found) in text[content_start..].char_indices() {
        if expected.last() == Some(&found) {
            expected.pop();
            if expected.is_empty() {
                let content_end = content_start + offset;
                let content = &text[content_start..content_end];
                return Some(Bracket { content, end: content_end + found.len_utf8() });
            }
        } else if let Some(close) = closing(found) {
            expected.push(close);
        }
    }
    Some(Bracket { content: &text[content_start..], end: text.len() })
}

fn char_len(text: &str, position: usize) -> usize {
    text[position..].chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_from_its_brackets() {
        #[track_caller]
        fn check(text: &str, head: &str, outside: &str, inside: &[&str]) {
            let found = Outline::parse(text);
            assert_eq!((found.head, found.outside.as_str()), (head, outside), "{text}");
            assert_eq!(found.inside, inside, "{text}");
        }
        check("八重洲", "八重洲", "八重洲", &[]);
        check("八重洲（１丁目）", "八重洲", "八重洲", &["１丁目"]);
        check("名駅Ｍ（高層棟）（１階）", "名駅Ｍ", "名駅Ｍ", &["高層棟", "１階"]);
        check("２丁目「６５１番地」以外", "２丁目", "２丁目以外", &["６５１番地"]);
        check(
            "箱石（第２地割「７０」～第４地割）",
            "箱石",
            "箱石",
            &["第２地割「７０」～第４地割"],
        );
        // Unpaired brackets.
        check("", "", "", &[]);
        check("町（", "町", "町", &[""]);
        check("町（甲「乙）", "町", "町", &["甲「乙）"]);
        check("町）甲", "町）甲", "町）甲", &[]);
    }

    #[test]
    fn the_end_of_nested_brackets_is_found() {
        assert_eq!(bracket_end("山「１」長"), Some("山「１」".len()));
        assert_eq!(bracket_end("１「２」「古町」、３"), Some("１「２」「古町」".len()));
        assert_eq!(bracket_end("山「１"), Some("山「１".len()));
        assert_eq!(bracket_end("山"), None);
        assert_eq!(bracket_end(""), None);
    }

    #[test]
    fn splits_outside_brackets_only() {
        #[track_caller]
        fn check(text: &str, expected: &[&str]) {
            assert_eq!(split_outside(text, &["、", "及び"]), expected, "{text}");
        }
        check("井道、奥井道", &["井道", "奥井道"]);
        check("甲、乙（丙、丁）、戊", &["甲", "乙（丙、丁）", "戊"]);
        check("１及び下平", &["１", "下平"]);
        check("、", &["", ""]);
        check("", &[""]);
    }
}
