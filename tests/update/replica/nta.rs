//! The corporate number site: pages with a one-time token of their session, and files that are requested by a number.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::{Answer, Received, Replica};
use crate::files::{japanese, zipped};

const TOKEN: &str =
    "jp.go.nta.houjin_bangou.framework.web.common.CNSFWTokenProcessor.request.token";

/// The editions of each file, in the order of their numbers.
const EDITIONS: [(&str, &str); 3] = [
    ("csv-sjis", "CSV形式・Shift_JIS"),
    ("csv-unicode", "CSV形式・Unicode"),
    ("xml-unicode", "XML形式・Unicode"),
];

/// The number of differences that the site keeps.
const KEPT: usize = 40;

/// The files of the site, and its faults.
#[derive(Default)]
pub struct Site {
    /// The date and the text of the full file.
    pub full: Option<(u32, String)>,
    /// The text of each difference by its date.
    pub differences: BTreeMap<u32, String>,
    /// Responses sent in place of a file, in turn.
    pub instead: VecDeque<Answer>,
    /// How many sessions are still to be lost before a file is sent.
    pub lost_sessions: usize,
    /// Whether every number returns the file of the oldest difference.
    pub mixes_numbers: bool,
    /// The token of each session; a token is valid once.
    pub tokens: HashMap<String, String>,
    pub asked: usize,
}

pub fn install(replica: &Replica, site: &Arc<Mutex<Site>>) {
    for (path, page) in [
        ("/download/sabun/", difference_page as fn(&Site, &str) -> String),
        ("/download/zenken/", full_page),
    ] {
        let state = Arc::clone(site);
        replica.route("GET", path, move |asked| {
            let mut site = state.lock().expect("not poisoned");
            let (session, token) = site.begin(asked);
            Answer::html(&page(&site, &token))
                .header("set-cookie", &format!("JSESSIONID={session}; Path=/; HttpOnly"))
        });
        let state = Arc::clone(site);
        replica.route("POST", &format!("{path}index.html"), move |asked| {
            state.lock().expect("not poisoned").give(asked)
        });
    }
}

impl Site {
    /// The newest differences that the site lists.
    fn listed(&self) -> impl Iterator<Item = u32> {
        self.differences.keys().rev().take(KEPT).copied()
    }

    fn begin(&mut self, asked: &Received) -> (String, String) {
        self.asked += 1;
        let session = session_of(asked).unwrap_or_else(|| format!("{:032X}", self.asked));
        let token = format!("{:08x}-0000-4000-8000-000000000000", self.asked);
        self.tokens.insert(session.clone(), token.clone());
        (session, token)
    }

    fn give(&mut self, asked: &Received) -> Answer {
        let token = session_of(asked).and_then(|session| self.tokens.remove(&session));
        let is_known = token.is_some() && asked.form.get(TOKEN) == token.as_ref();
        let is_download = asked.form.get("event").map(String::as_str) == Some("download");
        if !is_known || !is_download || self.lost_sessions > 0 {
            self.lost_sessions = self.lost_sessions.saturating_sub(1);
            return Answer::html(
                "<!DOCTYPE html><title>エラー</title><p>セッションが無効です。</p>",
            );
        }
        if let Some(answer) = self.instead.pop_front() {
            return answer;
        }
        let number = asked.form.get("selDlFileNo").and_then(|number| number.parse().ok());
        let (name, edition, text) = self.file(number.unwrap_or_default());
        let bytes = if edition == 0 {
            zipped(&[(&name.replace(".zip", ".csv"), &encoding_rs::SHIFT_JIS.encode(text).0)])
        } else {
            let extension = if edition == 1 { ".csv" } else { ".xml" };
            let member = name.replace(".zip", extension);
            zipped(&[(&member, text.as_bytes()), (&format!("{member}.asc"), b"signature")])
        };
        Answer::file(&bytes)
            .without("etag")
            .header("content-type", "application/octet-stream;charset=UTF-8")
            .header("content-disposition", &format!("attachment; filename*=utf-8'jp'{name}"))
    }

    /// The file of a number; an unknown number returns a file of the oldest difference.
    fn file(&self, number: usize) -> (String, usize, &str) {
        let full = self.full.iter().map(|(date, text)| (number_of_full(*date), *date, text, true));
        let differences =
            self.differences.iter().map(|(date, text)| (number_of(*date), *date, text, false));
        let mut files = differences.chain(full);
        let oldest = files.clone().next().expect("a site with files");
        let found = files.find(|(first, ..)| (*first..first + 3).contains(&number));
        let found = found.filter(|_| !self.mixes_numbers);
        let (first, date, text, is_full) = found.unwrap_or(oldest);
        let stem = if is_full { "00_zenkoku_all" } else { "diff" };
        let edition = if found.is_some() { number - first } else { 1 };
        (format!("{stem}_{date}.zip"), edition, text)
    }
}

/// The number of the Shift_JIS edition; those of Unicode and XML follow it.
fn number_of(date: u32) -> usize {
    27_000 + 3 * (date as usize % 10_000 / 100 * 31 + date as usize % 100)
}

fn number_of_full(date: u32) -> usize {
    40_000 + number_of(date)
}

fn session_of(asked: &Received) -> Option<String> {
    let cookies = asked.header("cookie")?;
    let session = cookies.split("; ").find_map(|cookie| cookie.strip_prefix("JSESSIONID="))?;
    Some(session.to_owned())
}

fn form(kind: &str, token: &str, sections: &str) -> String {
    format!(
        r##"<!DOCTYPE html>
<html lang="ja"><head><meta charset="UTF-8"><title>国税庁法人番号公表サイト</title>
<script>function doDownload(fileNo){{ document.getElementById("selDlFileNo").value = fileNo; return false; }}</script>
</head><body><p class="update">令和5年1月10日更新</p>
<form id="appForm" action="/download/{kind}/index.html" method="post">
 <div><input type="hidden" name="{TOKEN}" value="{token}"/></div>
 <input type="hidden" name="event" id="event" value="download"><input type="hidden" name="selDlFileNo" id="selDlFileNo">
 <div class="inBox21">
 {sections}
 <input type="hidden" id="corpHistoryNum" value="8"/></div></form></body></html>"##
    )
}

fn difference_page(site: &Site, token: &str) -> String {
    let section = |(edition, (id, title)): (usize, (&str, &str))| {
        let row = |(place, date): (usize, u32)| {
            let (group, number) = (place / 5 + 1, number_of(date) + edition);
            let style = if group > 1 { " style=\"display: none;\"" } else { "" };
            format!(
                "<tr class=\"type{edition}_corpHistory{group}\"{style}>\n<th scope=\"row\">\n {}\n</th>\
                 <td><a href=\"#\" onclick=\"return doDownload({number});\">zip 134KB</a><br></td></tr>",
                japanese(date)
            )
        };
        let rows: String = site.listed().enumerate().map(row).collect();
        format!(
            "<h2 class=\"title\" id=\"{id}\">{title}</h2>\n<div class=\"tbl03\"><table><thead><tr>\
             <th class=\"w30\">差分データファイル作成日</th><th>ダウンロードファイル</th></tr></thead>\
             <tbody>{rows}</tbody></table></div><div class=\"formAddr07\"><button id=\"btnMore{edition}\" \
             onclick=\"clickHistoryBtn({edition})\">さらに表示</button></div>"
        )
    };
    form("sabun", token, &EDITIONS.into_iter().enumerate().map(section).collect::<String>())
}

fn full_page(site: &Site, token: &str) -> String {
    let Some((date, _)) = &site.full else { return form("zenken", token, "<p>準備中</p>") };
    let section = |(edition, (id, title)): (usize, (&str, &str))| {
        let number = number_of_full(*date) + edition;
        let item = |name: &str, number: usize| {
            format!(
                "<td><dl class=\"mb00\"><dt class=\"mb05\">\n {name}\n</dt><dd><ol class=\"listNone mb00\"><li>\
                 <a href=\"#\" onclick=\"return doDownload({number});\">zip 266MB</a></li></ol></dd></dl></td>"
            )
        };
        format!(
            "<h2 class=\"title\" id=\"{id}\">{title}</h2><p class=\"txtS\">\n{}更新\n</p>\
             <div class=\"tbl02\"><table><tbody><tr>{}</tr><tr>{}</tr></tbody></table></div>",
            japanese(*date),
            item("全国", number),
            item("北海道", number + 3)
        )
    };
    form("zenken", token, &EDITIONS.into_iter().enumerate().map(section).collect::<String>())
}
