//! The endpoints of banks and their branches.

use super::parameters::{BANK, BANK_TYPE, DATA_VERSION, MATCH, NAME, VERSION, VERSIONS, data};
use crate::account::Service;
use crate::api::endpoint::Handler::Immediate;
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::{bank, list_versions};
use crate::api::shape::Shape::{Changed, List, Map, Pattern};
use crate::api::shape::{Member, Object, Shape, member};
use crate::api::words::words;
use crate::dataset::Catalog;
use crate::dataset::bank::ARRAYS_SINCE;
use crate::dataset::bank::members::{BRANCH, INSTITUTION};

const GET: Endpoint = Endpoint { needs: Some(Service::Bank), since: bank::SINCE, ..Endpoint::GET };

pub const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        path: "/v1/bank",
        handler: Immediate(bank::list),
        summary: words(
            "All institutions, or those matching a name",
            "金融機関の一覧または名称検索",
        ),
        parameters: &[NAME, MATCH, BANK_TYPE, VERSION],
        answer: words("The institutions, ordered by code", "金融機関。コード順"),
        content: Content::Json(&BANKS),
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
        path: "/v1/bank/{bank}",
        handler: Immediate(bank::lookup),
        summary: words("An institution", "金融機関"),
        parameters: &[BANK, VERSION],
        answer: words("The institution", "金融機関"),
        content: Content::Json(&BANK_ANSWER),
        errors: &[Code::InvalidBankCode, Code::NoSuchBank],
        example: "/v1/bank/0001",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/{bank}/branches",
        handler: Immediate(bank::branches),
        summary: words(
            "All branches of an institution, or those matching a name",
            "金融機関の支店の一覧または名称検索",
        ),
        parameters: &[BANK, NAME, MATCH, VERSION],
        answer: words(
            "The institution and its branches, ordered by code",
            "金融機関とその支店。コード順",
        ),
        content: Content::Json(&BRANCHES),
        errors: &[Code::InvalidBankCode, Code::NoSuchBank],
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
                Pattern("^[0-9０-９]{3}$"),
                words("The code of a branch, three digits", "支店コード（3桁）"),
                "001",
            ),
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
            Code::NoSuchBank,
            Code::NoSuchBranch,
        ],
        example: "/v1/bank/0001/branches/001",
        ..GET
    },
];

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
