//! The ministry's page of school codes, and its lists.

use super::{Answer, Replica};

/// An edition: its date and its lists, `2-1` or `6`, with their bytes.
pub type Edition<'a> = (u32, &'a [(&'a str, Vec<u8>)]);

pub const PAGE: &str = "/b_menu/toukei/mext_01087.html";

pub fn path(date: u32, list: &str) -> String {
    format!("/content/{date}-mxt_chousa01-000011635_{list}.csv")
}

/// Publishes editions, the current one first.
pub fn publish(replica: &Replica, editions: &[Edition<'_>]) {
    replica.get(PAGE, Answer::html(&page(editions)));
    for (date, lists) in editions {
        for (list, bytes) in *lists {
            let answer = Answer::file(bytes).header("content-type", "text/csv");
            replica.get(&path(*date, list), answer);
        }
    }
}

fn page(editions: &[Edition<'_>]) -> String {
    let items = |(date, lists): &Edition<'_>| {
        let item = |(list, bytes): &(&str, Vec<u8>)| {
            let (path, kilobytes) = (path(*date, list), bytes.len() / 1_000);
            format!(
                "<li>\n <a href=\"{path}\">学校コード一覧（{list}）\n （CSV:{kilobytes}KB）</a></li>"
            )
        };
        let sheet = path(*date, "1").replace(".csv", ".xlsx");
        let lists: String = lists.iter().map(item).collect();
        format!("<ul><li><a href=\"{sheet}\">（Excel:9.1MB）</a></li>{lists}</ul>")
    };
    let (current, past) = editions.split_at(1.min(editions.len()));
    let lists = |editions: &[Edition<'_>]| editions.iter().map(items).collect::<String>();
    format!(
        "<!DOCTYPE html><html lang=\"ja\"><head><meta charset=\"UTF-8\"><title>学校コード</title></head><body>\
         <h1>学校コード</h1><div>{}</div><p>\n ＜過去の学校コード一覧＞\n</p><div>{}</div></body></html>",
        lists(current),
        lists(past)
    )
}
