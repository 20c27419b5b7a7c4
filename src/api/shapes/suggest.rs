//! The answers with suggestions: a list of rows, each a text to put into a field, members of its record, and how it
//! matches.

use super::members::{DATA_VERSION, data};
use crate::api::shape::Shape::List;
use crate::api::shape::{Member, Object};
use crate::api::words::words;
use crate::dataset::bank::suggestion::{SUGGESTED_BRANCH, SUGGESTED_INSTITUTION};
use crate::dataset::corporate::suggestion::SUGGESTED_CORPORATION;
use crate::dataset::postal::suggestion::SUGGESTED_PLACE;

const FOUND_CORPORATIONS: Member =
    data(List(&SUGGESTED_CORPORATION), words("The corporations", "法人"));
pub static CORPORATIONS: Object =
    Object::new("SuggestedCorporations", &[DATA_VERSION, FOUND_CORPORATIONS]);

const FOUND_BANKS: Member =
    data(List(&SUGGESTED_INSTITUTION), words("The institutions", "金融機関"));
pub static BANKS: Object = Object::new("SuggestedBanks", &[DATA_VERSION, FOUND_BANKS]);

const FOUND_BRANCHES: Member = data(List(&SUGGESTED_BRANCH), words("The branches", "支店"));
pub static BRANCHES: Object = Object::new("SuggestedBranches", &[DATA_VERSION, FOUND_BRANCHES]);

const FOUND_ADDRESSES: Member = data(List(&SUGGESTED_PLACE), words("The places", "場所"));
pub static ADDRESSES: Object = Object::new("SuggestedAddresses", &[DATA_VERSION, FOUND_ADDRESSES]);
