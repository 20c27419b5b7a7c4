//! Folds coded texts without decoding them, if their letters fold one by one, whatever is beside them. Nearly all do; the
//! others are decoded.

use std::sync::LazyLock;

use super::{CodedText, SEQUENCE_BYTES_MAX, SEQUENCES, TextKind, read_letter};
use crate::text::fold::{Level, fold_alone, fold_letters};

/// Letters of three bytes in the longest sequence.
const LETTERS_MAX: usize = SEQUENCE_BYTES_MAX / 3;

struct FoldedSequence {
    /// The folded letters, then any others.
    letters: [char; LETTERS_MAX],
    length: usize,
}

/// By the bytes of the sequences.
type FoldedSequences = [FoldedSequence; SEQUENCES];

fn folded_sequences(kind: TextKind) -> &'static FoldedSequences {
    static NAMES: LazyLock<FoldedSequences> = LazyLock::new(|| fold_all(TextKind::Name));
    static STREETS: LazyLock<FoldedSequences> = LazyLock::new(|| fold_all(TextKind::Street));
    match kind {
        TextKind::Name => &NAMES,
        TextKind::Street => &STREETS,
    }
}

fn fold_all(kind: TextKind) -> FoldedSequences {
    std::array::from_fn(|byte| {
        let text = CodedText::new(&[byte as u8], kind).to_string();
        let mut letters = ['\0'; LETTERS_MAX];
        for (folded, letter) in letters.iter_mut().zip(text.chars()) {
            *folded = fold_alone(letter, Level::Search).expect("a test folds each letter");
        }
        FoldedSequence { letters, length: text.chars().count() }
    })
}

impl CodedText<'_> {
    /// Replaces the letters by those of the text, folded for searches ([`Level::Search`]).
    pub fn fold_into(self, letters: &mut Vec<char>) {
        letters.clear();
        if !self.fold_one_by_one(letters) {
            letters.clear();
            fold_letters(&self.to_string(), Level::Search, letters);
        }
    }

    /// Appends the folded letters. False if one may fold otherwise beside another one, or to several or none.
    #[inline]
    fn fold_one_by_one(self, letters: &mut Vec<char>) -> bool {
        let sequences = folded_sequences(self.kind);
        letters.reserve(self.bytes.len() * LETTERS_MAX);
        let mut rest = self.bytes;
        while let Some((first, after_first)) = rest.split_first() {
            if let Some(sequence) = sequences.get(usize::from(*first)) {
                // A copy of constant length takes no call.
                let end = letters.len() + sequence.length;
                letters.extend_from_slice(&sequence.letters);
                letters.truncate(end);
                rest = after_first;
            } else {
                let (letter, after_letter) = read_letter(*first, after_first);
                let Some(folded) = fold_alone(letter, Level::Search) else { return false };
                letters.push(folded);
                rest = after_letter;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::fold::folded;

    #[test]
    fn the_letters_of_all_sequences_fold_one_by_one() {
        for kind in [TextKind::Name, TextKind::Street] {
            for byte in 0..SEQUENCES as u8 {
                let bytes = [byte];
                let sequence = CodedText::new(&bytes, kind);
                let mut letters = Vec::new();
                assert!(sequence.fold_one_by_one(&mut letters));
                let expected = folded(&sequence.to_string(), Level::Search);
                assert_eq!(letters.iter().collect::<String>(), expected);
            }
        }
    }

    proptest! {
        #[test]
        fn a_text_folds_as_when_it_is_decoded(
            text in "(株式会社|[ァ-ヶー゛゜ｱ-ﾟ㈱]|[Ａ-ｚ０-９]|[一-龠]|丁目|番地|[\u{fe00}a-z ]|\\PC){0,12}",
        ) {
            for kind in [TextKind::Name, TextKind::Street] {
                let mut bytes = Vec::new();
                kind.append(&text, &mut bytes);
                let mut letters = Vec::new();
                CodedText::new(&bytes, kind).fold_into(&mut letters);
                prop_assert_eq!(letters.iter().collect::<String>(), folded(&text, Level::Search));
            }
        }
    }
}
