//! The publication that corporate data are built from.

use crate::dataset::publication::{PUBLIC_DATA_LICENCE, Publication};

pub const CORPORATE_NUMBERS: Publication = Publication {
    name: "法人番号公表サイト 基本3情報",
    publisher: "国税庁",
    url: "https://www.houjin-bangou.nta.go.jp/",
    licence: PUBLIC_DATA_LICENCE,
    credit: "出典：国税庁法人番号公表サイト（国税庁）(https://www.houjin-bangou.nta.go.jp/)を加工して作成",
    silence: None,
};
