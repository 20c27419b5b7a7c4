//! The publications that bank data are built from: one or the other.

use crate::dataset::publication::{Publication, Silence};

pub const ZENGIN_CODE: Publication = Publication {
    name: "zengin-code/source-data",
    publisher: "zengin-code",
    url: "https://github.com/zengin-code/source-data",
    licence: "MIT, as its README states; made from a list without a stated licence",
    credit: "zengin-code/source-data（MIT）、原データ ykaku.net 金融機関コード",
    // By the packages of the project, which follow its data.
    silence: Some(Silence { last_edition: "2026-08-24", checked: "2026-11-27" }),
};

pub const GINKOSITEN: Publication = Publication {
    name: "ginkositen.txt",
    publisher: "ykaku.net",
    url: "https://ykaku.net/ginkokensaku/",
    licence: "none stated",
    credit: "ykaku.net 金融機関コード",
    silence: None,
};
