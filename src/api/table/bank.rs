//! The endpoints of banks and their branches.

use super::parameters::{BANK, BANK_TYPE, MATCH, NAME, VERSION};
use crate::account::Service;
use crate::api::endpoint::Handler::Immediate;
use crate::api::endpoint::Kind::Pattern;
use crate::api::endpoint::{Content, Endpoint, parameter};
use crate::api::error::Code;
use crate::api::resource::bank;
use crate::api::resource::version::list_versions;
use crate::api::shapes::bank as bank_shapes;
use crate::api::shapes::members;
use crate::api::words::words;
use crate::dataset::Catalog;

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
        content: Content::Json(&bank_shapes::BANKS),
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
        content: Content::Json(&members::VERSIONS),
        example: "/v1/bank/versions",
        ..GET
    },
    Endpoint {
        path: "/v1/bank/{bank}",
        handler: Immediate(bank::lookup),
        summary: words("An institution", "金融機関"),
        parameters: &[BANK, VERSION],
        answer: words("The institution", "金融機関"),
        content: Content::Json(&bank_shapes::BANK),
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
        content: Content::Json(&bank_shapes::BRANCHES),
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
        content: Content::Json(&bank_shapes::BRANCH_OF_CODE),
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
