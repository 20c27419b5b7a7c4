//! The publications that postal data are built from.

use crate::dataset::publication::{PUBLIC_DATA_LICENCE, Publication};

pub const AREAS: Publication = Publication {
    name: "郵便番号データ（住所の郵便番号）",
    publisher: "日本郵便株式会社",
    url: "https://www.post.japanpost.jp/service/search/zipcode/download/",
    licence: "no copyright is claimed; anyone may redistribute",
    credit: "郵便番号データ（日本郵便株式会社）",
    silence: None,
};

pub const BUSINESSES: Publication = Publication {
    name: "郵便番号データ（事業所の個別郵便番号）",
    publisher: "日本郵便株式会社",
    url: "https://www.post.japanpost.jp/service/search/zipcode/download/",
    licence: "no copyright is claimed; anyone may redistribute",
    credit: "郵便番号データ（日本郵便株式会社）",
    silence: None,
};

pub const TOWN_MASTER: Publication = Publication {
    name: "アドレス・ベース・レジストリ 町字マスター",
    publisher: "デジタル庁",
    url: "https://www.digital.go.jp/policies/base_registry_address",
    licence: PUBLIC_DATA_LICENCE,
    credit: "「アドレス・ベース・レジストリ」（デジタル庁）を加工して作成",
    silence: None,
};

pub const TOWN_POINTS: Publication = Publication {
    name: "Geolonia 住所データ",
    publisher: "株式会社Geolonia",
    url: "https://github.com/geolonia/japanese-addresses",
    licence: "CC BY 4.0",
    credit: "「Geolonia 住所データ」（株式会社Geolonia, https://github.com/geolonia/japanese-addresses, CC BY 4.0）を加工して作成",
    silence: None,
};
