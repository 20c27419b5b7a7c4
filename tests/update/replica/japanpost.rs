//! Japan Post's site: the pages and files of one month.

use super::{Answer, Replica};

pub const BASE: &str = "/service/search/zipcode/download/";

/// The published files of one month.
#[derive(Debug, Clone)]
pub struct Month {
    /// As the page writes it: `2026年5月29日`.
    pub date: String,
    /// `2605`
    pub name: String,
    pub area: Vec<u8>,
    pub business: Vec<u8>,
    pub added: Option<Vec<u8>>,
    pub removed: Option<Vec<u8>>,
    pub roman: Option<Vec<u8>>,
}

pub fn path(name: &str) -> String {
    format!("{BASE}{name}")
}

/// Publishes a month. Files that it does not have return 404 with a page, as at the real site.
pub fn publish(replica: &Replica, month: &Month) {
    let Month { date, name, .. } = month;
    let area = format!(
        r#"<html><head><meta charset="Shift_JIS"><title>郵便番号データ</title></head><body>
        <div class="innerwidth"><p class="arrange-r">{date}更新</p>
        <ul class="basic-m sp-v20"><li><a class="inline" href="utf/zip/utf_ken_all.zip">…</a>（zip形式）</li></ul>
        <table class="data w100p sp-t20"><tr><td class="arrange-r">{date}更新分</td>
         <td><a class="inline" href="utf/zip/utf_add_{name}.zip">…</a></td>
         <td><a class="inline" href="utf/zip/utf_del_{name}.zip">…</a></td></tr></table></div>"#
    );
    replica.get(&path("utf-zip.html"), Answer::shift_jis(&area));
    replica.get(&path("utf/zip/utf_ken_all.zip"), Answer::file(&month.area));
    let office = format!(
        r#"<meta charset="Shift_JIS"><p class="arrange-r">{date}更新</p><a href="zip/jigyosyo.zip">…</a>"#
    );
    replica.get(&path("office/index-zip.html"), Answer::shift_jis(&office));
    replica.get(&path("office/zip/jigyosyo.zip"), Answer::file(&month.business));
    let roman = r#"<meta charset="Shift_JIS"><p class="arrange-r">2026年6月5日更新</p>
        <a href="roman/KEN_ALL_ROME.zip">…</a>"#;
    replica.get(&path("roman-zip.html"), Answer::shift_jis(roman));
    let files = [
        (format!("utf/zip/utf_add_{name}.zip"), &month.added),
        (format!("utf/zip/utf_del_{name}.zip"), &month.removed),
        ("roman/KEN_ALL_ROME.zip".to_owned(), &month.roman),
    ];
    for (file, bytes) in files {
        match bytes {
            Some(bytes) => replica.get(&path(&file), Answer::file(bytes)),
            None => replica.remove(&path(&file)),
        }
    }
}
