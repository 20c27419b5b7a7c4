//! Addresses as the unchanged normalize-japanese-addresses reads them, versions 3 and 2, with this server's data.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::country::serve_country;
use crate::support::{ServerProcess, ask, sample};
use crate::tools;

/// What both versions found for each address, by the address.
#[track_caller]
fn read(base: &str, addresses: &[&str]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/addresses.cjs");
    let modules = tools::folder("compat-clients").join("node_modules");
    let done = Command::new("node").arg(script).arg(modules).arg(base).args(addresses).output();
    let done = done.expect("node runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).expect("JSON")
}

#[needs::compat_clients]
#[test]
fn addresses_of_the_sample_are_read_to_the_town() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--compat", "all"]);
    let base = format!("http://{}/{}", served.address, served.public);
    let address = "東京都千代田区千代田1-1";
    let found = &read(&base, &[address])[address];
    assert_eq!(found["place"], json!(["東京都", "千代田区", "千代田", "1-1", 3]));
    assert_eq!(found["old"], json!(["東京都", "千代田区", "千代田", "1-1", 3]));
    assert_eq!(
        (&found["code"], &found["id"], &found["blocks"]),
        (&json!(131_016), &json!(""), &json!(3))
    );
    assert_eq!(found["point"], json!([139.75, 35.68, 3]));
    assert_eq!(found["oldPoint"], json!([139.75, 35.68]));
}

/// Addresses of several kinds, with what is found of them.
const ADDRESSES: &[(&str, [&str; 4])] = &[
    ("東京都新宿区西新宿2-8-1", ["東京都", "新宿区", "西新宿二丁目", "8-1"]),
    ("東京都千代田区丸の内二丁目7番2号", ["東京都", "千代田区", "丸の内二丁目", "7-2"]),
    ("東京都千代田区紀尾井町1-3", ["東京都", "千代田区", "紀尾井町", "1-3"]),
    ("北海道札幌市中央区北1条西2丁目", ["北海道", "札幌市中央区", "北一条西二丁目", ""]),
    (
        "京都府京都市中京区寺町通御池上る上本能寺前町488番地",
        ["京都府", "京都市中京区", "上本能寺前町", "488"],
    ),
    ("宮崎県えびの市大字池島1", ["宮崎県", "えびの市", "池島", "1"]),
    ("大阪府堺市堺区南瓦町3番1号", ["大阪府", "堺市堺区", "南瓦町", "3-1"]),
    ("埼玉県秩父郡長瀞町大字本野上1035番地1", ["埼玉県", "秩父郡長瀞町", "本野上", "1035-1"]),
    ("東京都三宅村阿古497", ["東京都", "三宅村", "阿古", "497"]),
    ("沖縄県那覇市泉崎1-2-2", ["沖縄県", "那覇市", "泉崎一丁目", "2-2"]),
];

#[needs::official_data]
#[needs::compat_clients]
#[test]
fn addresses_of_many_kinds_are_read_to_the_town() {
    let served = serve_country();
    let addresses: Vec<&str> = ADDRESSES.iter().map(|(address, _)| *address).collect();
    let found = read(&format!("http://{}", served.address), &addresses);
    for (address, [prefecture, city, town, other]) in ADDRESSES {
        let expected = json!([prefecture, city, town, other, 3]);
        let found = &found[address];
        assert_eq!((&found["place"], &found["old"]), (&expected, &expected), "{address}");
        assert_eq!(found["point"][2], 3, "{address}: the point of the town");
    }
}

/// The names of a town's entries in the file of a municipality: chome or koaza, and whether there is a point.
fn parts(served: &ServerProcess, path: &str, town: &str) -> Vec<(String, bool)> {
    let answer = ask(served.address, &format!("GET /api/ja/{path}.json"));
    let file = answer.json();
    let entries = file["data"].as_array().expect("entries").iter();
    let of_town = entries.filter(|entry| entry["oaza_cho"] == town);
    of_town
        .map(|entry| {
            let part = [&entry["chome"], &entry["koaza"]].map(|it| it.as_str().unwrap_or_default());
            (part.concat(), entry.get("point").is_some())
        })
        .collect()
}

#[needs::official_data]
#[test]
fn a_town_has_an_entry_for_each_chome_and_koaza() {
    let served = serve_country();
    let tokyo = "%E6%9D%B1%E4%BA%AC%E9%83%BD/%E6%96%B0%E5%AE%BF%E5%8C%BA";
    let names = |town: &str, path: &str| -> Vec<String> {
        let parts = parts(&served, path, town);
        assert!(parts.iter().all(|(_, has_point)| *has_point), "{parts:?}");
        parts.into_iter().map(|(name, _)| name).collect()
    };
    // The coordinates have 新宿 only by its chome.
    let chome = ["一丁目", "二丁目", "三丁目", "四丁目", "五丁目", "六丁目", "七丁目"];
    assert_eq!(names("新宿", tokyo), chome);
    let hokkaido = "%E5%8C%97%E6%B5%B7%E9%81%93/%E7%BE%8E%E5%94%84%E5%B8%82";
    let koaza = names("上美唄町", hokkaido);
    assert!(koaza.contains(&"協和".to_owned()) && koaza.contains(&"南".to_owned()), "{koaza:?}");
    let sakai = "%E5%A4%A7%E9%98%AA%E5%BA%9C/%E5%A0%BA%E5%B8%82%E5%A0%BA%E5%8C%BA";
    let cho = names("三宝町", sakai);
    assert!(cho.contains(&"一丁".to_owned()), "{cho:?}");
}
