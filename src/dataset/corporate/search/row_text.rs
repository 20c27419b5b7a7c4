//! Whether a field of a row has a folded keyword, for the candidates of the index: as few bytes of the record are read as
//! possible, and no text is decoded that folds letter by letter.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::syntax::TextField;
use crate::dataset::reading::{Reading, kana_byte};
use crate::query::budget::EvaluationError;
use crate::record::CodedText;
use crate::text::fold::{FoldedKeyword, Level, folded};

/// A keyword that is looked for in one field of many rows.
pub struct FieldKeyword<'k> {
    field: TextField,
    keyword: FoldedKeyword<'k>,
    /// The keyword in the bytes of a stored reading; `None` if no such reading has it.
    kana: Option<Finder<'static>>,
    /// The bytes of the folded reading.
    reading: Vec<u8>,
    /// The folded letters of a coded text.
    letters: Vec<char>,
}

impl<'k> FieldKeyword<'k> {
    /// For letters that are folded for this field.
    pub fn new(field: TextField, letters: &'k [char]) -> FieldKeyword<'k> {
        let keyword = FoldedKeyword::new(letters, field.level());
        let kana: Option<Vec<u8>> = letters.iter().map(|letter| kana_byte(*letter)).collect();
        let kana = kana.map(|kana| Finder::new(&kana).into_owned());
        FieldKeyword { field, keyword, kana, reading: Vec::new(), letters: Vec::new() }
    }

    /// Whether a row that is not hidden has the keyword.
    pub fn is_in(&mut self, data: &CorporateData, row: u32) -> Result<bool, EvaluationError> {
        let text = match self.field {
            TextField::Name => return Ok(self.is_in_coded(data.coded_name(row)?)),
            TextField::StreetNumber => return Ok(self.is_in_coded(data.coded_street(row)?)),
            TextField::Furigana => match data.stored_reading(row)? {
                Reading::Kana(kana) => return Ok(self.is_in_kana(kana)),
                Reading::Text(text) => text.as_bytes(),
            },
            TextField::EnName => data.record(row)?.en_name().text.as_bytes(),
            TextField::AddressOutside => data.record(row)?.outside().text.as_bytes(),
        };
        Ok(self.keyword.is_in(text))
    }

    fn is_in_coded(&mut self, text: CodedText<'_>) -> bool {
        text.fold_into(&mut self.letters);
        self.keyword.is_in_folded(&self.letters)
    }

    fn is_in_kana(&mut self, kana: &[u8]) -> bool {
        self.reading.clear();
        self.reading.extend(kana.iter().map(|kana| FOLDED_KANA[usize::from(kana & 0x7f)]));
        if self.reading.contains(&UNKNOWN) {
            return self.keyword.is_in(Reading::Kana(kana).to_string().as_bytes());
        }
        self.kana.as_ref().is_some_and(|keyword| keyword.find(&self.reading).is_some())
    }
}

/// In [`FOLDED_KANA`]: the character does not become one kana.
const UNKNOWN: u8 = 0;

/// For each byte of a stored reading the byte of the folded kana, which no neighbour changes: voiced marks have no byte.
static FOLDED_KANA: LazyLock<[u8; 128]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let text = folded(&Reading::Kana(&[byte as u8]).to_string(), Level::Search);
        let mut letters = text.chars();
        let kana = letters.next().filter(|_| letters.next().is_none());
        kana.and_then(kana_byte).unwrap_or(UNKNOWN)
    })
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::coded_text::TextKind;

    proptest! {
        #[test]
        fn a_stored_reading_is_compared_as_its_text(
            reading in prop::collection::vec(0u8..0x60, 0..8),
            keyword in "[アァガカコトヤャー・ヱエA゛]{1,3}",
        ) {
            let letters: Vec<char> = folded(&keyword, Level::Search).chars().collect();
            let mut keyword = FieldKeyword::new(TextField::Furigana, &letters);
            let text = Reading::Kana(&reading).to_string();
            let expected = FoldedKeyword::new(&letters, Level::Search).is_in(text.as_bytes());
            prop_assert_eq!(keyword.is_in_kana(&reading), expected, "{}", text);
        }

        #[test]
        fn a_coded_text_is_compared_as_its_text(
            text in "(株式会社|[ァ-ヶー゛゜ｱ-ﾟ㈱]|[Ａ-ｃ０-２]|[一三山田]|丁目|番地|[a-c ]){0,8}",
            keyword in "[アァガカ゛ー山田a丁目番1]{1,2}",
        ) {
            for (field, kind) in [
                (TextField::Name, TextKind::Name),
                (TextField::StreetNumber, TextKind::Street),
            ] {
                let letters: Vec<char> = folded(&keyword, field.level()).chars().collect();
                let mut bytes = Vec::new();
                kind.append(&text, &mut bytes);
                let found = FieldKeyword::new(field, &letters).is_in_coded(CodedText::new(&bytes, kind));
                let expected = FoldedKeyword::new(&letters, field.level()).is_in(text.as_bytes());
                prop_assert_eq!(found, expected, "{}", text);
            }
        }
    }
}
