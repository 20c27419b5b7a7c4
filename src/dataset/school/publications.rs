//! The publication that school data are built from.

use crate::dataset::publication::Publication;

pub const SCHOOL_CODES: Publication = Publication {
    name: "学校コード",
    publisher: "文部科学省",
    url: "https://www.mext.go.jp/b_menu/toukei/mext_01087.html",
    licence: "政府標準利用規約 第2.0版 (compatible with CC BY 4.0)",
    credit: "「学校コード」（文部科学省）を加工して作成",
    silence: None,
};
