//! Institutions and branches.

use super::search::DATA_VERSION;
use crate::api::shape::Shape::{self, Changed, List, Map, Pattern, Text};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::json::ARRAYS_SINCE;

pub const INSTITUTION_CODE: Member =
    member("code", Pattern("^[0-9]{4}$"), words("Code of the institution", "金融機関コード"));
pub const BRANCH_CODE: Member =
    member("code", Pattern("^[0-9]{3}$"), words("Code of the branch", "支店コード"));
pub const NAME: Member = member("name", Text, words("Name", "名称"));
pub const KATAKANA: Member =
    member("katakana", Text, words("Reading in katakana", "読み（カタカナ）"));
pub const HIRAGANA: Member =
    member("hiragana", Text, words("Reading in hiragana", "読み（ひらがな）"));
pub const ROMAJI: Member =
    member("romaji", Text, words("Reading in Roman letters", "読み（ローマ字）"));

static INSTITUTION: Object =
    Object::new("Bank", &[INSTITUTION_CODE, NAME, KATAKANA, HIRAGANA, ROMAJI]);

static BRANCH: Object = Object::new("Branch", &[BRANCH_CODE, NAME, KATAKANA, HIRAGANA, ROMAJI]);

const OF_CODE: Shape = Changed {
    before: &Shape::Object(&BRANCH),
    since: ARRAYS_SINCE,
    then: &List(&Shape::Object(&BRANCH)),
};

static BANK_LIST: Object = Object::new(
    "Banks",
    &[
        DATA_VERSION,
        member("data", List(&Shape::Object(&INSTITUTION)), words("The institutions", "金融機関")),
    ],
);
pub static BANKS: Shape = Shape::Object(&BANK_LIST);

static BANK_ANSWER: Object = Object::new(
    "BankAnswer",
    &[
        DATA_VERSION,
        member("data", Shape::Object(&INSTITUTION), words("The institution", "金融機関")),
    ],
);
pub static BANK: Shape = Shape::Object(&BANK_ANSWER);

#[rustfmt::skip] // One member a line.
static BRANCHES_DATA: Object = Object::new("BankWithBranches", &[
    member("bank", Shape::Object(&INSTITUTION), words("The institution", "金融機関")),
    member("branches", Map("^[0-9]{3}$", &OF_CODE), words("The branches by their code", "支店コードから支店へ")),
]);

static BRANCHES_ANSWER: Object = Object::new(
    "Branches",
    &[
        DATA_VERSION,
        member(
            "data",
            Shape::Object(&BRANCHES_DATA),
            words("The institution and its branches", "金融機関と支店"),
        ),
    ],
);
pub static BRANCHES: Shape = Shape::Object(&BRANCHES_ANSWER);

#[rustfmt::skip] // One member a line.
static BRANCH_DATA: Object = Object::new("BankWithBranch", &[
    member("bank", Shape::Object(&INSTITUTION), words("The institution", "金融機関")),
    member("branch", OF_CODE, words("The branches of the code", "そのコードの支店")),
]);

static BRANCH_ANSWER: Object = Object::new(
    "BranchAnswer",
    &[
        DATA_VERSION,
        member(
            "data",
            Shape::Object(&BRANCH_DATA),
            words("The institution and the branches", "金融機関と支店"),
        ),
    ],
);
pub static BRANCH_OF_CODE: Shape = Shape::Object(&BRANCH_ANSWER);
