//! Texts that people or agents typed as keywords of a query.

use crate::query::syntax::Vocabulary;
use crate::text::half_width::full_width_ascii;

/// A text as one keyword: quoted, so that its operators have no effect, and with the full-width forms of the characters
/// that a query must not contain even in quotes. Searches ignore the width.
pub fn phrase<V: Vocabulary>(text: &str) -> String {
    let allowed: String = text.chars().map(without_forbidden::<V>).collect();
    format!("\"{}\"", allowed.replace('\\', "\\\\").replace('"', "\\\""))
}

fn without_forbidden<V: Vocabulary>(letter: char) -> char {
    if V::FORBIDDEN.contains(&letter) { full_width_ascii(letter) } else { letter }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::corporate::syntax::CorporateVocabulary;
    use crate::dataset::postal::syntax::PostalVocabulary;
    use crate::dataset::school::syntax::{SchoolText, SchoolVocabulary};
    use crate::text::fold::{Level, fold_char};

    #[test]
    fn a_text_finds_what_it_would_find_with_a_forbidden_letter() {
        fn check<V: Vocabulary>(level: Level) {
            for letter in V::FORBIDDEN {
                let wide = without_forbidden::<V>(*letter);
                assert!(!V::FORBIDDEN.contains(&wide), "{wide}");
                assert_eq!(fold_char(wide, level), fold_char(*letter, level), "{wide}");
            }
        }
        check::<CorporateVocabulary>(Level::Search);
        check::<SchoolVocabulary>(SchoolText::LEVEL);
    }

    #[test]
    fn only_forbidden_letters_are_replaced() {
        assert_eq!(phrase::<PostalVocabulary>("a(b)\"\\"), "\"a(b)\\\"\\\\\"");
        assert_eq!(phrase::<SchoolVocabulary>("a(b)\"\\"), "\"a（b）\\\"\\\\\"");
        assert_eq!(phrase::<CorporateVocabulary>("L'Oréal"), "\"L＇Oréal\"");
    }
}
