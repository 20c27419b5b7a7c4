//! Whether texts have a folded keyword. Most texts have its letters as they are, and are not folded.

use memchr::memmem::Finder;

use super::table::{self, Form, Table};
use super::{Level, fold_letters};
use crate::text::half_width::full_width_ascii;

/// A keyword that is looked for in many texts. Reuses its buffer.
#[derive(Debug)]
pub struct FoldedKeyword<'k> {
    letters: &'k [char],
    level: Level,
    /// Find texts whose letters fold to the keyword's one by one, whatever is beside them.
    as_written: Vec<Finder<'static>>,
    folded: Vec<char>,
}

impl<'k> FoldedKeyword<'k> {
    /// For letters that are folded at this level.
    pub fn new(letters: &'k [char], level: Level) -> FoldedKeyword<'k> {
        let table = Table::for_level(level);
        // The register writes ASCII in full width.
        let capital: fn(char) -> char = |letter| full_width_ascii(letter.to_ascii_uppercase());
        let mut spellings: Vec<String> = Vec::new();
        for spelling in [full_width_ascii as fn(char) -> char, capital, |letter| letter] {
            let becomes = |letter: &char| {
                let form = table.form(spelling(*letter));
                matches!(form, Form::One(folded) if folded == *letter)
            };
            let stays = |letter: &char| becomes(letter) && !table::is_voiced_mark(*letter);
            let text: String = letters.iter().map(|letter| spelling(*letter)).collect();
            if letters.iter().all(stays) && !spellings.contains(&text) {
                spellings.push(text);
            }
        }
        let finder = |text: &String| Finder::new(text).into_owned();
        let as_written = spellings.iter().map(finder).collect();
        FoldedKeyword { letters, level, as_written, folded: Vec::new() }
    }

    /// Whether the folded text has the keyword. Bytes that are no UTF-8 are as no text.
    pub fn is_in(&mut self, text: &[u8]) -> bool {
        let is_written = |finder| is_written_in(finder, text, self.level);
        if self.letters.is_empty() || self.as_written.iter().any(is_written) {
            return true;
        }
        self.folded.clear();
        fold_letters(std::str::from_utf8(text).unwrap_or_default(), self.level, &mut self.folded);
        self.is_in_folded(&self.folded)
    }

    /// Whether folded letters have the keyword.
    pub fn is_in_folded(&self, folded: &[char]) -> bool {
        let Some((first, rest)) = self.letters.split_first() else { return true };
        let mut places = folded.iter().enumerate().filter(|(_, letter)| *letter == first);
        places.any(|(place, _)| folded[place + 1..].starts_with(rest))
    }
}

/// Whether the text has the letters, and after them nothing that may change the last one. Only a voiced mark does, also
/// one behind a character that is dropped.
fn is_written_in(finder: &Finder<'_>, text: &[u8], level: Level) -> bool {
    let Some(start) = finder.find(text) else { return false };
    let rest = text.get(start + finder.needle().len()..).unwrap_or_default();
    if rest.is_empty() {
        return true;
    }
    // A character has at most four bytes.
    let next =
        rest.get(..4).unwrap_or(rest).utf8_chunks().next().and_then(|it| it.valid().chars().next());
    match next.map(|next| Table::for_level(level).form(next)) {
        Some(Form::One(next)) => !table::is_voiced_mark(next),
        Some(Form::Several(_)) => true,
        Some(Form::Dropped) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::folded;

    proptest! {
        #[test]
        fn a_keyword_is_found_where_the_folded_text_has_it(
            text in "[カガハパヤャａaＡ㈱株゛゜ﾞﾟ\u{3099}\u{fe00}ｶ社會会A]{0,9}",
            keyword in "[カガハパヤャａaＡ㈱株゛゜ﾞﾟ\u{3099}\u{fe00}ｶ社會会A]{1,3}",
        ) {
            for level in Level::ALL {
                let keyword = folded(&keyword, level);
                let letters: Vec<char> = keyword.chars().collect();
                let mut looked_for = FoldedKeyword::new(&letters, level);
                let expected = folded(&text, level).contains(&keyword);
                prop_assert_eq!(looked_for.is_in(text.as_bytes()), expected);
                prop_assert_eq!(looked_for.is_in(text.as_bytes()), expected, "the buffer is reused");
            }
        }
    }
}
