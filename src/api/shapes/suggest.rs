//! Suggestions: a list of rows, each a text to put into a field, members of its record, and how it matches.

use super::bank::{BRANCH_CODE, HIRAGANA, INSTITUTION_CODE, KATAKANA, NAME, ROMAJI};
use super::search::DATA_VERSION;
use crate::api::shape::Shape::{self, List, OneOf, Pattern, Text, Tuple, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::text::suggested::Matched;

pub const TEXT: Member =
    member("text", Text, words("What to put into the field", "入力欄に入れる文字列"));

pub const MATCH: Member = member(
    "match",
    OneOf(Matched::WORDS),
    words(
        "How it matches: text or code begin so (prefix), the reading does in kana (reading) or Roman letters (roman), \
         it stands inside (inside), one letter differs (near)",
        "一致のしかた。表記またはコードの前方一致（prefix）、読みのかな（reading）またはローマ字（roman）の前方一致、\
         途中の一致（inside）、1文字違い（near）",
    ),
);

const OFFSET: Shape = Whole { min: 0, max: u64::MAX };

pub const HIGHLIGHT: Member = member(
    "highlight",
    List(&Tuple(&[OFFSET, OFFSET])),
    words(
        "The parts of text that were typed: start and end in UTF-16 code units, as slice() of JavaScript takes them",
        "textのうち入力された部分。開始と終了（JavaScriptのslice()と同じUTF-16単位）",
    ),
);

#[rustfmt::skip] // One member a line.
static BANK: Object = Object::of("SuggestedBank", &[
    TEXT,
    INSTITUTION_CODE,
    NAME,
    KATAKANA,
    HIRAGANA,
    ROMAJI,
    MATCH,
    HIGHLIGHT,
]);

static BANK_ANSWER: Object = Object::of(
    "SuggestedBanks",
    &[
        DATA_VERSION,
        member("data", List(&Shape::Object(&BANK)), words("The institutions", "金融機関")),
    ],
);
pub static BANKS: Shape = Shape::Object(&BANK_ANSWER);

#[rustfmt::skip] // One member a line.
static BRANCH: Object = Object::of("SuggestedBranch", &[
    TEXT,
    BRANCH_CODE,
    NAME,
    KATAKANA,
    HIRAGANA,
    ROMAJI,
    member("bank_code", Pattern("^[0-9]{4}$"), words("Code of the institution", "金融機関コード")),
    MATCH,
    HIGHLIGHT,
]);

static BRANCH_ANSWER: Object = Object::of(
    "SuggestedBranches",
    &[DATA_VERSION, member("data", List(&Shape::Object(&BRANCH)), words("The branches", "支店"))],
);
pub static BRANCHES: Shape = Shape::Object(&BRANCH_ANSWER);
