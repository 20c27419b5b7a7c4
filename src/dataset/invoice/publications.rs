//! The publication that invoice data are built from.

use crate::dataset::publication::{PUBLIC_DATA_LICENCE, Publication};

pub const INVOICE_ISSUERS: Publication = Publication {
    name: "適格請求書発行事業者公表サイト",
    publisher: "国税庁",
    url: "https://www.invoice-kohyo.nta.go.jp/",
    licence: PUBLIC_DATA_LICENCE,
    credit: "出典：国税庁適格請求書発行事業者公表サイト（国税庁）(https://www.invoice-kohyo.nta.go.jp/)を加工して作成",
    silence: None,
};
