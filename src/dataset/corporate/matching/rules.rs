//! The rules by which a match is scored, in one table: what speaks for a candidate or against it, with its points
//! (`docs/matching.md`).

use crate::text::named_enum::named_enum;

named_enum! {
    fn name;
    /// How sure a match is.
    pub enum MatchLevel {
        /// Name and place are equal, with nothing against it.
        Exact = "exact",
        /// Surely enough to be used without a person.
        Probable = "probable",
        /// A person decides between the candidates.
        Review = "review",
        /// No corporation fits.
        None = "none",
    }
}

/// The least points of each level.
pub const EXACT_MIN: i32 = 96;
pub const PROBABLE_MIN: i32 = 75;
pub const REVIEW_MIN: i32 = 40;

const _: () = assert!(EXACT_MIN > PROBABLE_MIN && PROBABLE_MIN > REVIEW_MIN);

/// An open corporation that is behind by fewer points than this fits equally: a person decides.
pub const LEAD_MIN: i32 = 8;

/// What speaks for a candidate or against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    NumberGiven,
    NameEqual,
    AliasEqual,
    SpellingEqual,
    EnglishNameEqual,
    ReadingEqual,
    SoundEqual,
    FormerNameEqual,
    NameWithoutBranch,
    OneLetterDiffers,
    FormEqual,
    FormDiffers,
    SameLot,
    SameTown,
    SameCity,
    SamePostalCode,
    SamePrefecture,
    OtherPlace,
    OnlyOfItsName,
    OnlyInData,
    Closed,
}

/// A reason with its points, and its words for a person.
pub struct Rule {
    pub reason: Reason,
    pub points: i32,
    pub words: &'static str,
}

const fn rule(reason: Reason, points: i32, words: &'static str) -> Rule {
    Rule { reason, points, words }
}

/// Every rule, in the order of the reasons.
pub const RULES: [Rule; 21] = [
    rule(Reason::NumberGiven, 100, "corporate number given"),
    rule(Reason::NameEqual, 55, "name equal without legal form"),
    rule(Reason::AliasEqual, 55, "alias given by the operator equal"),
    rule(Reason::SpellingEqual, 48, "name equal in another spelling"),
    rule(Reason::EnglishNameEqual, 53, "English name equal"),
    rule(Reason::ReadingEqual, 48, "reading equal"),
    rule(Reason::SoundEqual, 48, "reading equal but for long vowels and small kana"),
    rule(Reason::FormerNameEqual, 50, "former name equal without legal form"),
    rule(Reason::NameWithoutBranch, 50, "name equal without the branch or department"),
    rule(Reason::OneLetterDiffers, 30, "one letter of the name differs"),
    rule(Reason::FormEqual, 7, "legal form equal"),
    rule(Reason::FormDiffers, -20, "another legal form"),
    rule(Reason::SameLot, 40, "same lot"),
    rule(Reason::SameTown, 32, "same town"),
    rule(Reason::SameCity, 25, "same municipality"),
    rule(Reason::SamePostalCode, 28, "same postal code"),
    rule(Reason::SamePrefecture, -3, "another municipality of the prefecture"),
    rule(Reason::OtherPlace, -18, "another prefecture"),
    rule(Reason::OnlyOfItsName, 20, "only one of its name in the country"),
    rule(Reason::OnlyInData, 5, "only one of its name in the data (not of the whole country)"),
    rule(Reason::Closed, -6, "closed"),
];

impl Reason {
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_rule() {
        for (index, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.reason as usize, index, "{}", rule.words);
            assert!(!rule.words.is_empty() && rule.points != 0);
        }
    }

    #[test]
    fn what_a_person_must_decide_is_not_probable() {
        let points = |reasons: &[Reason]| reasons.iter().map(|it| it.rule().points).sum::<i32>();
        for reasons in [
            &[Reason::NameEqual, Reason::FormEqual, Reason::OnlyOfItsName, Reason::OtherPlace][..],
            &[Reason::OneLetterDiffers, Reason::FormEqual, Reason::SameTown],
            &[Reason::NameEqual, Reason::FormDiffers, Reason::SameTown],
            &[Reason::NameEqual, Reason::FormEqual],
            &[Reason::NameEqual, Reason::FormEqual, Reason::OnlyInData],
        ] {
            assert!(points(reasons) < PROBABLE_MIN, "{reasons:?}");
        }
    }
}
