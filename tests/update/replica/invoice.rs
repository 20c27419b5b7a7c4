//! The site of invoice issuers: a file is requested by a number; the numbers follow no order. As at the real site, an
//! unknown number returns some other valid file.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::{Answer, Received, Replica};
use crate::files::{japanese, zipped};

/// The files of the site, and its faults.
#[derive(Default)]
pub struct Site {
    /// The date of the full files.
    pub date: u32,
    /// Of each full file: the letter of the kind of holder, the part (0 for a single file) and the text.
    pub full: Vec<(char, u32, String)>,
    /// The text of each difference by its date.
    pub differences: BTreeMap<u32, String>,
    /// Whether every number returns the first file.
    pub mixes_numbers: bool,
}

pub fn install(replica: &Replica, site: &Arc<Mutex<Site>>) {
    type Give = fn(&Site, &Received) -> Answer;
    let routes: [(&str, Give); 4] = [
        ("/download/zenken", |site, _| Answer::html(&full_page(site))),
        ("/download/sabun", |site, _| Answer::html(&difference_page(site))),
        ("/download/zenken/dlfile", Site::give_full),
        ("/download/sabun/dlfile", Site::give_difference),
    ];
    for (path, give) in routes {
        let site = Arc::clone(site);
        replica.route("GET", path, move |asked| give(&site.lock().expect("not poisoned"), asked));
    }
}

impl Site {
    fn give_full(&self, asked: &Received) -> Answer {
        let number = parameter(asked, "dlFilKanriNo");
        let place = (0..self.full.len()).find(|place| number == number_of(*place).to_string());
        let place = place.filter(|_| !self.mixes_numbers).unwrap_or_default();
        let (letter, part, text) = &self.full[place];
        let asked_for = match parameter(asked, "jinkakukbn") {
            "1" => 'k',
            "2" => 'h',
            _ => 'j',
        };
        if asked_for != *letter || parameter(asked, "type") != "01" {
            return Answer::html("<!DOCTYPE html><title>エラー</title>");
        }
        let (name, member) = match part {
            0 => (format!("{letter}_all_{}_csv", self.date), format!("{letter}_all_{}", self.date)),
            part => (
                format!("{letter}_all_{}_csv_{part:03}", self.date),
                format!("{letter}_all_{}_{part:03}", self.date),
            ),
        };
        archive(&name, &member, text)
    }

    fn give_difference(&self, asked: &Received) -> Answer {
        let number = parameter(asked, "dlFilKanriNo");
        let found = self
            .differences
            .iter()
            .find(|(date, _)| number == difference_number(**date).to_string());
        let found = found.filter(|_| !self.mixes_numbers).or(self.differences.first_key_value());
        let (date, text) = found.expect("a site with differences");
        archive(&format!("diff_{date}_csv"), &format!("diff_{date}"), text)
    }
}

fn parameter<'a>(asked: &'a Received, name: &str) -> &'a str {
    asked.query.get(name).map(String::as_str).unwrap_or_default()
}

fn archive(name: &str, member: &str, text: &str) -> Answer {
    let bytes = zipped(&[
        (&format!("{member}.csv"), text.as_bytes()),
        (&format!("{member}.csv.asc"), b"signature"),
    ]);
    Answer::file(&bytes)
        .header("content-disposition", &format!("attachment; filename=\"{name}.zip\""))
}

/// The number of a full file by its position; not ascending.
fn number_of(place: usize) -> usize {
    5_071 + (place * 7 + 4) % 11
}

fn difference_number(date: u32) -> u32 {
    6_000 + date % 10_000
}

fn full_page(site: &Site) -> String {
    let links = |letter: char, holders: &str| {
        let files = site.full.iter().enumerate().filter(|(_, (found, ..))| *found == letter);
        let link = |(place, (_, part, _)): (usize, &(char, u32, String))| {
            format!(
                "<a href=\"#\" onclick=\"return doDownload('{}','{holders}','01');\">\n 分割{part} zip 19MB</a>\n",
                number_of(place)
            )
        };
        files.map(link).collect::<String>()
    };
    format!(
        "<!DOCTYPE html><html lang=\"ja\"><head><meta charset=\"UTF-8\"><title>全件データ</title></head><body>\
         <h2>全件データのダウンロード</h2><p>\n {}更新 </p><a id=\"csv-filtyp\"></a>\
         <table id=\"DLtableCsv\"><tr><th scope=\"row\">法人</th><td>{}</td></tr>\
         <tr><th scope=\"row\">人格のない社団等</th><td>{}</td></tr>\
         <tr><th scope=\"row\">個人</th><td>{}</td></tr></table>\
         <a id=\"xml-filtyp\"></a><table id=\"DLtableXml\"><tr><td>\
         <a href=\"#\" onclick=\"return doDownload('9001','2','11');\">zip 30MB</a></td></tr></table></body></html>",
        japanese(site.date),
        links('h', "2"),
        links('j', "3"),
        links('k', "1")
    )
}

fn difference_page(site: &Site) -> String {
    let table = |(title, kind, first): (&str, &str, u32)| {
        let row = |date: &u32| {
            format!(
                "<tr><th scope=\"row\">\n{}\n</th><td><a href=\"#\" \
                 onclick=\"return doDownload('{}','{kind}');\">zip 63KB</a></td></tr>",
                japanese(*date),
                first + difference_number(*date)
            )
        };
        let rows: String = site.differences.keys().rev().take(40).map(row).collect();
        format!(
            "<h3>{title}</h3><table><tr><th>ファイル作成日</th><th>ダウンロードファイル</th></tr>{rows}</table>"
        )
    };
    let kinds = [("CSV形式", "01", 0), ("XML形式", "11", 20_000), ("JSON形式", "21", 40_000)];
    let tables: String = kinds.into_iter().map(table).collect();
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"UTF-8\"></head><body>{tables}</body></html>"
    )
}
