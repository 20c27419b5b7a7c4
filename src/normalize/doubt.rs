//! Why a row needs a person.

use super::placement::{CodeCheck, CorrectedComponent, Match, Placement};
use crate::address::{CorrectionKind, MatchLevel, Span, SpanKind};
use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// What is doubtful about a row that has an address.
    pub enum Doubt {
        NoCode = "no postal code",
        /// At most a municipality is known.
        NoTown = "no town",
        /// The text fits several places, and nothing decides.
        SeveralPlaces = "several places fit",
        /// A name was read although its letters differ.
        Letters = "letters corrected",
        /// The postal code in the file is another one.
        CodeDiffers = "postal code differs",
        /// A part of the text is in no component.
        Unplaced = "text left over",
        Unreadable = "unreadable",
    }
}

/// The doubts of one row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Doubts(u8);

impl Doubts {
    /// The doubts about this result; none for a row without an address.
    pub fn of(placement: &Placement, text: &str, check: Option<CodeCheck>) -> Doubts {
        let mut doubts = Doubts::default();
        let matched = placement.matched();
        let Some(address) = placement.address() else {
            doubts.set(Doubt::Unreadable, matched == Match::Unreadable);
            return doubts;
        };
        let several = address.level() == MatchLevel::Cities && address.cities().len() > 1
            || address.has_open_code();
        doubts.set(Doubt::NoCode, placement.code.is_none());
        doubts.set(Doubt::NoTown, !matches!(matched, Match::Full | Match::Town));
        doubts.set(Doubt::SeveralPlaces, several);
        doubts.set(Doubt::Letters, doubtful_letters(placement).next().is_some());
        doubts.set(Doubt::CodeDiffers, check == Some(CodeCheck::Differs));
        doubts.set(Doubt::Unplaced, unplaced(placement, text).next().is_some());
        doubts
    }

    pub fn set(&mut self, doubt: Doubt, is_set: bool) {
        self.0 |= u8::from(is_set) << (doubt as u8);
    }

    pub fn has(self, doubt: Doubt) -> bool {
        self.0 & (1 << (doubt as u8)) != 0
    }

    pub fn is_empty(self) -> bool {
        self == Doubts::default()
    }

    pub fn iter(self) -> impl Iterator<Item = Doubt> {
        Doubt::ALL.into_iter().filter(move |doubt| self.has(*doubt))
    }
}

/// The names that were read although their letters differ.
pub fn doubtful_letters(placement: &Placement) -> impl Iterator<Item = &CorrectedComponent> {
    let is_doubtful = |one: &&CorrectedComponent| {
        matches!(one.kind, CorrectionKind::Letters | CorrectionKind::Contradicted)
    };
    placement.corrected.iter().filter(is_doubtful)
}

/// The parts of the text that are in no component. A text without any component is not listed: all of it is unknown.
pub fn unplaced<'a>(placement: &'a Placement, text: &'a str) -> impl Iterator<Item = &'a str> {
    let address = placement.address().filter(|it| it.level() != MatchLevel::None);
    let spans: &[Span] = address.map_or(&[], |address| address.spans());
    let spans = spans.iter().filter(|span| span.kind == SpanKind::Unplaced);
    let part = |span: &Span| text.get(span.start as usize..span.end as usize);
    spans.filter_map(part).map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_a_set() {
        let mut doubts = Doubts::default();
        assert!(doubts.is_empty());
        doubts.set(Doubt::Letters, true);
        doubts.set(Doubt::NoCode, true);
        doubts.set(Doubt::Unplaced, false);
        assert_eq!(doubts.iter().collect::<Vec<_>>(), [Doubt::NoCode, Doubt::Letters]);
        assert!(doubts.has(Doubt::Letters) && !doubts.has(Doubt::Unplaced) && !doubts.is_empty());
        assert!(Doubt::ALL.len() <= 8, "a set has one byte");
    }
}
