//! Suggestions: a list of rows, each a text to put into a field, members of its record, and how it matches.

use super::bank::{BRANCH_CODE, HIRAGANA, INSTITUTION_CODE, KATAKANA, NAME, ROMAJI};
use super::members::{CORPORATE_NUMBER, DATA_VERSION, JISX0402, POSTAL_CODE, TEXT_OR_NULL, data};
use crate::api::shape::Shape::{self, Bool, List, OneOf, OrNull, Pattern, Text, Tuple, Whole};
use crate::api::shape::{Member, Object, member};
use crate::api::words::words;
use crate::text::match_info::MatchKind;

const TEXT: Member =
    member("text", Text, words("Text to put into the input field", "入力欄に入れる文字列"));

const MATCH: Member = member(
    "match",
    OneOf(MatchKind::NAMES),
    words(
        "Kind of match: the text or code begins with q (prefix), the reading begins with q in kana (reading) or Roman \
         letters (roman), q is inside the text (inside), one letter differs (near)",
        "一致のしかた。表記またはコードの前方一致（prefix）、読みのかな（reading）またはローマ字（roman）の前方一致、\
         途中の一致（inside）、1文字違い（near）",
    ),
);

const OFFSET: Shape = Whole { min: 0, max: u64::MAX };

const HIGHLIGHT: Member = member(
    "highlight",
    List(&Tuple(&[OFFSET, OFFSET])),
    words(
        "The parts of text that match the typed text: start and end in UTF-16 code units, as for slice() in JavaScript",
        "textのうち入力された部分。開始と終了（JavaScriptのslice()と同じUTF-16単位）",
    ),
);

#[rustfmt::skip] // One member a line.
const CORPORATION: Shape = Shape::Object(&Object::new("SuggestedCorporation", &[
    TEXT,
    member("corporate_number", CORPORATE_NUMBER, words("The corporate number", "法人番号")),
    member("name", Text, words("Name", "商号または名称")),
    member("furigana", Text, words("Reading, or empty", "フリガナ。なければ空")),
    member("postal_code", Shape::OrNull(&POSTAL_CODE), words("Postal code, or null", "郵便番号。なければnull")),
    member("prefecture", Text, words("Prefecture, empty abroad", "都道府県。国外は空")),
    member("city", Text, words("Municipality, empty abroad", "市区町村。国外は空")),
    member("address", Text, words("Prefecture, municipality and the rest in one", "都道府県から番地までの所在地")),
    member("closed", Bool, words("Whether the registration of the corporation is closed", "登記記録が閉鎖されているか")),
    MATCH,
    HIGHLIGHT,
]));

const FOUND_CORPORATIONS: Member = data(List(&CORPORATION), words("The corporations", "法人"));
pub static CORPORATIONS: Object =
    Object::new("SuggestedCorporations", &[DATA_VERSION, FOUND_CORPORATIONS]);

#[rustfmt::skip] // One member a line.
const BANK: Shape = Shape::Object(&Object::new("SuggestedBank", &[
    TEXT,
    INSTITUTION_CODE,
    NAME,
    KATAKANA,
    HIRAGANA,
    ROMAJI,
    MATCH,
    HIGHLIGHT,
]));

const FOUND_BANKS: Member = data(List(&BANK), words("The institutions", "金融機関"));
pub static BANKS: Object = Object::new("SuggestedBanks", &[DATA_VERSION, FOUND_BANKS]);

#[rustfmt::skip] // One member a line.
const BRANCH: Shape = Shape::Object(&Object::new("SuggestedBranch", &[
    TEXT,
    BRANCH_CODE,
    NAME,
    KATAKANA,
    HIRAGANA,
    ROMAJI,
    member("bank_code", Pattern("^[0-9]{4}$"), words("Code of the institution", "金融機関コード")),
    MATCH,
    HIGHLIGHT,
]));

const FOUND_BRANCHES: Member = data(List(&BRANCH), words("The branches", "支店"));
pub static BRANCHES: Object = Object::new("SuggestedBranches", &[DATA_VERSION, FOUND_BRANCHES]);

const COUNT_OF_CODES: Shape = Whole { min: 1, max: u64::MAX };

#[rustfmt::skip] // One member a line.
const ADDRESS: Shape = Shape::Object(&Object::new("SuggestedAddress", &[
    TEXT,
    member("postal_code", OrNull(&POSTAL_CODE), words("Postal code, or null if the place has none or several", "郵便番号。一つに決まらないときはnull")),
    member("jisx0402", OrNull(&JISX0402), words("Code of the municipality; null of a prefecture", "市区町村コード（JIS X 0402）。都道府県ならnull")),
    member("prefecture", Text, words("Prefecture", "都道府県")),
    member("prefecture_kana", Text, words("Its reading", "都道府県の読み")),
    member("city", Text, words("County, city and ward in one; empty of a prefecture", "市区町村（郡・区を含む）。都道府県なら空")),
    member("city_kana", Text, words("Its reading", "市区町村の読み")),
    member("town", Text, words("Town area; empty of larger places", "町域。市区町村以上なら空")),
    member("town_kana", Text, words("Its reading", "町域の読み")),
    member("level", OneOf(&["prefecture", "city", "town", "part"]), words("Kind of place; a part is one record of a town with several postal codes", "種類。partは番号が複数ある町域の一つのレコード")),
    MATCH,
    HIGHLIGHT,
    member("codes", COUNT_OF_CODES, words("Number of postal codes of the place", "郵便番号の数")),
    member("parent", TEXT_OR_NULL, words("For a town with several postal codes, pass this as parent to list its parts; otherwise null", "番号が複数ある町域のとき、parentに指定すると各レコードを返す値。ほかはnull")),
]));

const FOUND_ADDRESSES: Member = data(List(&ADDRESS), words("The places", "場所"));
pub static ADDRESSES: Object = Object::new("SuggestedAddresses", &[DATA_VERSION, FOUND_ADDRESSES]);
