//! The members of suggested institutions and branches.

use super::members::{Branch, Institution};
use crate::dataset::bank::suggest::SuggestedEntry;
use crate::dataset::member::shape::Shape::Pattern;
use crate::dataset::member::{Digits, members};
use crate::dataset::suggestion::{Match, SuggestedText};
use crate::text::codes::BankCode;

#[derive(Clone, Copy)]
pub struct SuggestedInstitution<'a>(pub &'a SuggestedEntry<'a>);

members! {
    pub const SUGGESTED_INSTITUTION: "SuggestedBank" of it: SuggestedInstitution<'_>;
    ..SuggestedText { SuggestedText(&it.0.text) };
    ..Institution { Institution(it.0.entry) };
    ..Match { Match(&it.0.match_info) };
}

/// A suggested branch, and the code of its institution.
#[derive(Clone, Copy)]
pub struct SuggestedBranch<'a>(pub &'a SuggestedEntry<'a>, pub BankCode);

members! {
    pub const SUGGESTED_BRANCH: "SuggestedBranch" of it: SuggestedBranch<'_>;
    ..SuggestedText { SuggestedText(&it.0.text) };
    ..Branch { Branch(it.0.entry) };
    "bank_code": Pattern("^[0-9]{4}$") => Digits::<4>(it.1.number().into()), "Code of the institution", "金融機関コード";
    ..Match { Match(&it.0.match_info) };
}
