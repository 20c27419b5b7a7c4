//! The endpoints of suggestions.

use super::parameters::{BANK, DATA_VERSION, ON_DAY, VERSION, data};
use crate::account::Service;
use crate::api::endpoint::Handler::Budgeted;
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::resource::suggest::{self, SUGGESTIONS_MAX};
use crate::api::shape::Shape::{List, Pattern, Text, Whole};
use crate::api::shape::{Member, Object};
use crate::api::words::words;
use crate::dataset::bank::BankData;
use crate::dataset::bank::suggest::{SUGGESTED_BRANCH, SUGGESTED_INSTITUTION};
use crate::dataset::corporate::CorporateData;
use crate::dataset::corporate::suggest::SUGGESTED_CORPORATION;
use crate::dataset::postal::PostalData;
use crate::dataset::postal::suggest::SUGGESTED_PLACE;
use crate::dataset::school::SchoolData;
use crate::dataset::school::suggest::SUGGESTED_SCHOOL;
use crate::snapshot::Dataset as _;
use crate::text::codes::ApiVersion;

const TYPED: Parameter = parameter(
    "q",
    Text,
    words(
        "The typed text: the beginning of a name or its reading in kanji, kana or Roman letters, or the first digits of a code",
        "入力された文字。名称または読みの先頭（漢字、かな、カナ、ローマ字）、またはコードの先頭の数字",
    ),
    "みず",
)
.required();

const SUGGESTIONS: Parameter = parameter(
    "limit",
    Whole { min: 1, max: SUGGESTIONS_MAX },
    words(
        "Maximum number of suggestions, 1 to 20; default: 10",
        "返す候補の上限。1から20、省略すると10",
    ),
    "5",
);

/// Suggestions are the same in every API version.
const DAY: Parameter = ON_DAY.since(ApiVersion::V2022_09_01);

const GET: Endpoint = Endpoint { errors: &[Code::MissingQuery], ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/suggest/address",
        needs: Some(Service::AddressSearch),
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
            SUGGESTIONS,
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
    },
    Endpoint {
        path: "/v1/suggest/corporation",
        needs: Some(Service::Corporate),
        datasets: &[CorporateData::KIND],
        handler: Budgeted(suggest::corporations),
        summary: words("Suggestions of corporations while typing a name", "法人名の入力補完"),
        parameters: &[TYPED, SUGGESTIONS, VERSION],
        answer: words(
            "The corporations, most likely first, closed ones last",
            "法人。有力な候補から順、閉鎖された法人は最後",
        ),
        content: Content::Json(&CORPORATIONS),
        example: "/v1/suggest/corporation?q=%E5%8F%B0%E5%B8%B3&limit=3",
        ..GET
    },
    Endpoint {
        path: "/v1/suggest/bank",
        needs: Some(Service::Bank),
        datasets: &[BankData::KIND],
        handler: Budgeted(suggest::banks),
        summary: words("Suggestions of institutions while typing a name", "金融機関名の入力補完"),
        parameters: &[TYPED, SUGGESTIONS, DAY, VERSION],
        answer: words("The institutions, most likely first", "金融機関。有力な候補から順"),
        content: Content::Json(&BANKS),
        errors: &[Code::MissingQuery, Code::InvalidDate],
        example: "/v1/suggest/bank?q=%E3%81%A0%E3%81%84&limit=3",
        ..GET
    },
    Endpoint {
        path: "/v1/suggest/branch",
        needs: Some(Service::Bank),
        datasets: &[BankData::KIND],
        handler: Budgeted(suggest::branches),
        summary: words("Suggestions of branches while typing a name", "支店名の入力補完"),
        parameters: &[BANK.required(), TYPED, SUGGESTIONS, DAY, VERSION],
        answer: words(
            "The branches of the institution, most likely first",
            "その金融機関の支店。有力な候補から順",
        ),
        content: Content::Json(&BRANCHES),
        errors: &[
            Code::MissingQuery,
            Code::InvalidBankCode,
            Code::InvalidDate,
            Code::NoSuchBank,
        ],
        example: "/v1/suggest/branch?bank=0001&q=mihon",
        ..GET
    },
    Endpoint {
        path: "/v1/suggest/school",
        needs: Some(Service::School),
        datasets: &[SchoolData::KIND],
        handler: Budgeted(suggest::schools),
        summary: words("Suggestions of schools while typing a name", "学校名の入力補完"),
        parameters: &[
            parameter(
                "q",
                Text,
                words(
                    "The typed text: a part of the name as it is written, with or without 市立 and the like",
                    "入力された文字。学校名の一部（表記のとおり。市立などは省略可）",
                ),
                "台帳",
            )
            .required(),
            SUGGESTIONS,
            VERSION,
        ],
        answer: words(
            "The schools, most likely first, closed ones last",
            "学校。有力な候補から順、廃校は最後",
        ),
        content: Content::Json(&SCHOOLS),
        example: "/v1/suggest/school?q=%E5%8F%B0%E5%B8%B3&limit=3",
        ..GET
    },
];

const FOUND_SCHOOLS: Member = data(List(&SUGGESTED_SCHOOL), words("The schools", "学校"));
pub static SCHOOLS: Object = Object::new("SuggestedSchools", &[DATA_VERSION, FOUND_SCHOOLS]);

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
