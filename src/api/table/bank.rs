//! The endpoints of banks and their branches.

use super::parameters::{
    BANK, BANK_TYPE, DATA_VERSION, DATE_OR_NULL, MATCH, NAME, ON_DAY, VERSION, VERSIONS, data,
};
use super::suggest;
use crate::account::Rights;
use crate::api::endpoint::Handler::{Budgeted, Immediate};
use crate::api::endpoint::{Content, Endpoint, Parameter, parameter};
use crate::api::error::Code;
use crate::api::resource::{bank, bank_transfer, list_versions};
use crate::api::shape::Shape::{Changed, List, Map, Pattern, Text};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::bank::ARRAYS_SINCE;
use crate::dataset::bank::BankData;
use crate::dataset::bank::account::YUCHO_ACCOUNT;
use crate::dataset::bank::members::{BRANCH, INSTITUTION};
use crate::dataset::bank::suggest::{SUGGESTED_BRANCH, SUGGESTED_INSTITUTION};
use crate::dataset::bank::transfer_name::PAYEE;
use crate::snapshot::Dataset as _;
use crate::text::codes::ApiVersion;

const GET: Endpoint = Endpoint {
    needs: Some(Rights::STANDARD),
    datasets: &[BankData::KIND],
    since: bank::SINCE,
    ..Endpoint::GET
};

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/bank",
        handler: Immediate(bank::list),
        summary: words(
            "All institutions, or those matching a name",
            "金融機関の一覧または名称検索",
        ),
        parameters: &[NAME, MATCH, BANK_TYPE, ON_DAY, VERSION],
        answer: words(
            "The institutions, ordered by code; of a search those whose name is q first",
            "金融機関。コード順。検索では名称がqと一致するものが先",
        ),
        content: Content::Json(&BANKS),
        errors: &[Code::InvalidDate],
        example: "/v1/bank",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/versions",
        handler: Immediate(|request| list_versions(request, Catalog::bank)),
        summary: words(
            "The loaded versions of the bank data",
            "読み込まれている金融機関データのバージョン",
        ),
        answer: words("The dates of the versions, oldest first", "バージョンの日付。古い順"),
        content: Content::Json(&VERSIONS),
        example: "/v1/bank/versions",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/yucho",
        handler: Immediate(bank_transfer::yucho),
        summary: words(
            "An account of Japan Post Bank by symbol and number, or by branch and account number",
            "ゆうちょ銀行の記号番号と店番・口座番号の変換",
        ),
        parameters: &[
            parameter(
                "symbol",
                Pattern("^[0-9０-９]{5}(-[0-9０-９])?$"),
                words(
                    "The symbol of the passbook (記号), five digits; with number",
                    "記号（5桁）。numberとともに指定",
                ),
                "10010",
            ),
            parameter(
                "number",
                Pattern("^[0-9０-９]{1,8}$"),
                words(
                    "The number of the passbook (番号); with symbol",
                    "番号（8桁まで）。symbolとともに指定",
                ),
                "12345671",
            ),
            parameter(
                "branch_code",
                Pattern("^[0-9０-９]{3}$"),
                words(
                    "The branch of a transfer (店番), three digits; with account_number",
                    "振込用の店番（3桁）。account_numberとともに指定",
                ),
                "008",
            ),
            parameter(
                "account_number",
                Pattern("^[0-9０-９]{1,7}$"),
                words(
                    "The account number of a transfer (口座番号); with branch_code",
                    "振込用の口座番号（7桁まで）。branch_codeとともに指定",
                ),
                "1234567",
            ),
            VERSION,
        ],
        answer: words(
            "The account with both of its names",
            "口座。記号番号と、振込用の店番・口座番号",
        ),
        content: Content::Json(&ACCOUNT),
        errors: &[
            Code::InvalidAccount,
            Code::InvalidBranchCode,
            Code::InvalidParameter,
            Code::NoSuchBank,
            Code::NoSuchBranch,
        ],
        example: "/v1/bank/yucho?symbol=10010&number=12345671",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/transfer-name",
        handler: Immediate(bank_transfer::transfer_name),
        summary: words("A name as bank transfers write it", "振込用の名義（半角カナと略語）"),
        parameters: &[
            parameter(
                "name",
                Text,
                words(
                    "The name of a payee, with the kind of the corporation",
                    "受取人の名称（法人の種類を含む）",
                ),
                "株式会社台帳",
            )
            .required(),
            parameter(
                "reading",
                Text,
                words(
                    "Its reading in kana; default: that of the corporations of this name, if it is not kana itself",
                    "読み（かな）。省略すると、名称がかなでなければ同じ名称の法人のフリガナ",
                ),
                "ダイチョウ",
            ),
        ],
        answer: words(
            "The name for transfers, or what of it is not known",
            "振込用の名義、または読みのわからない部分",
        ),
        content: Content::Json(&TRANSFER_NAME),
        errors: &[Code::InvalidParameter],
        example: "/v1/bank/transfer-name?name=%E6%A0%AA%E5%BC%8F%E4%BC%9A%E7%A4%BE%E3%81%A0%E3%81%84%E3%81%A1%E3%82%87%E3%81%86",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/{bank}",
        handler: Immediate(bank::lookup),
        summary: words("An institution", "金融機関"),
        parameters: &[BANK, ON_DAY, VERSION],
        answer: words("The institution", "金融機関"),
        content: Content::Json(&BANK_ANSWER),
        errors: &[Code::InvalidBankCode, Code::InvalidDate, Code::NoSuchBank],
        example: "/v1/bank/0001",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/{bank}/branches",
        handler: Budgeted(bank::branches),
        summary: words(
            "All branches of an institution, or those matching a name",
            "金融機関の支店の一覧または名称検索",
        ),
        parameters: &[BANK, NAME, MATCH, ON_DAY, VERSION],
        answer: words(
            "The institution and its branches, ordered by code",
            "金融機関とその支店。コード順",
        ),
        content: Content::Json(&BRANCHES),
        errors: &[Code::InvalidBankCode, Code::InvalidDate, Code::NoSuchBank],
        example: "/v1/bank/1901/branches",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/{bank}/branches/{branch}",
        handler: Immediate(bank::branch),
        summary: words("The branches with a code", "支店コードの支店"),
        parameters: &[
            BANK,
            parameter(
                "branch",
                Pattern("^[0-9]{3}$"),
                words("The code of a branch, three digits", "支店コード（3桁）"),
                "001",
            ),
            ON_DAY,
            VERSION,
        ],
        answer: words(
            "The institution and all branches with the code",
            "金融機関と、そのコードを持つすべての支店",
        ),
        content: Content::Json(&BRANCH_OF_CODE),
        errors: &[
            Code::InvalidBankCode,
            Code::InvalidBranchCode,
            Code::InvalidDate,
            Code::NoSuchBank,
            Code::NoSuchBranch,
        ],
        example: "/v1/bank/0001/branches/001",
        ..GET
    },
];

const OF_ACCOUNT: Member = data(YUCHO_ACCOUNT, words("The account", "口座"));
pub static ACCOUNT: Object = Object::new("YuchoAnswer", &[DATA_VERSION, OF_ACCOUNT]);

const OF_PAYEE: Member = data(PAYEE, words("The payee", "受取人"));
const READINGS_VERSION: Member = member(
    "version",
    DATE_OR_NULL,
    words(
        "The version of the data of corporations that were asked for readings; null if none are",
        "読みを調べた法人データのバージョン。調べなければnull",
    ),
);
pub static TRANSFER_NAME: Object = Object::new("PayeeAnswer", &[READINGS_VERSION, OF_PAYEE]);

const OF_CODE: Shape = Changed { before: &BRANCH, since: ARRAYS_SINCE, then: &List(&BRANCH) };

const INSTITUTIONS: Member = data(List(&INSTITUTION), words("The institutions", "金融機関"));
pub static BANKS: Object = Object::new("Banks", &[DATA_VERSION, INSTITUTIONS]);

const OF_BANK: Member = data(INSTITUTION, words("The institution", "金融機関"));
pub static BANK_ANSWER: Object = Object::new("BankAnswer", &[DATA_VERSION, OF_BANK]);

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

/// Suggestions are the same in every API version.
const SUGGESTIONS_DAY: Parameter = ON_DAY.since(ApiVersion::V2022_09_01);

pub const SUGGESTIONS: Endpoint = Endpoint {
    path: "/v1/suggest/bank",
    needs: Some(Rights::STANDARD),
    datasets: &[BankData::KIND],
    handler: Budgeted(bank::suggestions),
    summary: words("Suggestions of institutions while typing a name", "金融機関名の入力補完"),
    parameters: &[suggest::TYPED, suggest::LIMIT, SUGGESTIONS_DAY, VERSION],
    answer: words("The institutions, most likely first", "金融機関。有力な候補から順"),
    content: Content::Json(&SUGGESTED_BANKS),
    errors: &[Code::MissingQuery, Code::InvalidDate],
    example: "/v1/suggest/bank?q=%E3%81%A0%E3%81%84&limit=3",
    ..Endpoint::GET
};

pub const BRANCH_SUGGESTIONS: Endpoint = Endpoint {
    path: "/v1/suggest/branch",
    needs: Some(Rights::STANDARD),
    datasets: &[BankData::KIND],
    handler: Budgeted(bank::branch_suggestions),
    summary: words("Suggestions of branches while typing a name", "支店名の入力補完"),
    parameters: &[BANK.required(), suggest::TYPED, suggest::LIMIT, SUGGESTIONS_DAY, VERSION],
    answer: words(
        "The branches of the institution, most likely first",
        "その金融機関の支店。有力な候補から順",
    ),
    content: Content::Json(&SUGGESTED_BRANCHES),
    errors: &[Code::MissingQuery, Code::InvalidBankCode, Code::InvalidDate, Code::NoSuchBank],
    example: "/v1/suggest/branch?bank=0001&q=mihon",
    ..Endpoint::GET
};

const FOUND_BANKS: Member =
    data(List(&SUGGESTED_INSTITUTION), words("The institutions", "金融機関"));
pub static SUGGESTED_BANKS: Object = Object::new("SuggestedBanks", &[DATA_VERSION, FOUND_BANKS]);

const FOUND_BRANCHES: Member = data(List(&SUGGESTED_BRANCH), words("The branches", "支店"));
pub static SUGGESTED_BRANCHES: Object =
    Object::new("SuggestedBranches", &[DATA_VERSION, FOUND_BRANCHES]);
