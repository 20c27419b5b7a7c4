//! The answers with institutions and branches.

use super::members::{DATA_VERSION, data};
use crate::api::shape::Shape::{self, Changed, List, Map};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::dataset::bank::ARRAYS_SINCE;
use crate::dataset::bank::members::{BRANCH, INSTITUTION};

const OF_CODE: Shape = Changed { before: &BRANCH, since: ARRAYS_SINCE, then: &List(&BRANCH) };

const INSTITUTIONS: Member = data(List(&INSTITUTION), words("The institutions", "金融機関"));
pub static BANKS: Object = Object::new("Banks", &[DATA_VERSION, INSTITUTIONS]);

const OF_BANK: Member = data(INSTITUTION, words("The institution", "金融機関"));
pub static BANK: Object = Object::new("BankAnswer", &[DATA_VERSION, OF_BANK]);

#[rustfmt::skip] // One member a line.
const BANK_AND_BRANCHES: Shape = Shape::Object(&Object::new("BankWithBranches", &[
    member("bank", INSTITUTION, words("The institution", "金融機関")),
    member("branches", Map("^[0-9]{3}$", &OF_CODE), words("The branches by their code", "支店コードから支店へ")),
]));
const OF_BRANCHES: Member =
    data(BANK_AND_BRANCHES, words("The institution and its branches", "金融機関と支店"));
pub static BRANCHES: Object = Object::new("Branches", &[DATA_VERSION, OF_BRANCHES]);

#[rustfmt::skip] // One member a line.
const BANK_AND_BRANCH: Shape = Shape::Object(&Object::new("BankWithBranch", &[
    member("bank", INSTITUTION, words("The institution", "金融機関")),
    member("branch", OF_CODE, words("The branches of the code", "そのコードの支店")),
]));
const OF_BRANCH: Member =
    data(BANK_AND_BRANCH, words("The institution and the branches", "金融機関と支店"));
pub static BRANCH_OF_CODE: Object = Object::new("BranchAnswer", &[DATA_VERSION, OF_BRANCH]);
