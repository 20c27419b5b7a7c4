//! The endpoint of suggestions of places, and what the entries of all suggestions share. The others are in the file of
//! their resource.

use super::parameters::{DATA_VERSION, VERSION, data};
use crate::account::Rights;
use crate::api::endpoint::Handler::Budgeted;
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::resource::suggest::{self, SUGGESTIONS_MAX};
use crate::api::shape::Shape::{List, Pattern, Text, Whole};
use crate::api::shape::{Member, Object};
use crate::api::words::words;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::suggest::SUGGESTED_PLACE;
use crate::snapshot::Dataset as _;

pub const TYPED: Parameter = parameter(
    "q",
    Text,
    words(
        "The typed text: the beginning of a name or its reading in kanji, kana or Roman letters, or the first digits of a code",
        "入力された文字。名称または読みの先頭（漢字、かな、カナ、ローマ字）、またはコードの先頭の数字",
    ),
    "みず",
)
.required();

pub const LIMIT: Parameter = parameter(
    "limit",
    Whole { min: 1, max: SUGGESTIONS_MAX },
    words(
        "Maximum number of suggestions, 1 to 20; default: 10",
        "返す候補の上限。1から20、省略すると10",
    ),
    "5",
);

pub const ADDRESS: Endpoint = Endpoint {
    path: "/v1/suggest/address",
    needs: Some(Rights::STANDARD),
    datasets: &[PostalData::KIND],
    handler: Budgeted(suggest::addresses),
    summary: words("Suggestions of places while typing an address", "住所の入力補完"),
    parameters: &[
        parameter(
            "q",
            Text,
            words(
                "The typed text: the beginning of a prefecture, city or town in kanji, kana or Roman letters, with or \
                 without the larger areas before it, or the first digits of a postal code. Required unless parent is \
                 given",
                "入力された文字。都道府県、市区町村、町域の先頭（漢字、かな、カナ、ローマ字、上位の地名は省略可）、\
                 または郵便番号の先頭の数字。parentがなければ必須",
            ),
            "港区ろっ",
        ),
        LIMIT,
        parameter(
            "near",
            Pattern("^([0-9]{2}|[0-9]{5})$"),
            words(
                "Code of a prefecture (two digits) or municipality (five digits) whose places are listed first",
                "優先する都道府県コード（2桁）または市区町村コード（5桁）",
            ),
            "13",
        ),
        parameter(
            "parent",
            Pattern("^[0-9]{5}.+$"),
            words(
                "The parent of a suggestion: returns the parts of that town that contain q",
                "候補のparent。指定すると、その町域のうちqを含むレコードを返す",
            ),
            "13101千代田",
        ),
        VERSION,
    ],
    answer: words("The places, most likely first", "場所。有力な候補から順"),
    content: Content::Json(&ADDRESSES),
    errors: &[Code::MissingQuery, Code::InvalidLimit, Code::InvalidParameter],
    example: "/v1/suggest/address?q=%E3%81%A1%E3%82%88&limit=3",
    ..Endpoint::GET
};

const FOUND_ADDRESSES: Member = data(List(&SUGGESTED_PLACE), words("The places", "場所"));
pub static ADDRESSES: Object = Object::new("SuggestedAddresses", &[DATA_VERSION, FOUND_ADDRESSES]);
