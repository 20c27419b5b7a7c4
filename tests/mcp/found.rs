//! What agents write is found, or they are told why not: readings and Roman letters, names with a legal form, numbers
//! without their T. Also what they are told of data that are not loaded, and that no text speaks of HTTP.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::agent::Agent;
use crate::support::{ServerProcess, sample};

/// The data that come with the program, which are real ones: a month of postal codes, and the corporations of Tottori.
fn included(folder: &Path) {
    let built = Command::new(env!("CARGO_BIN_EXE_daicho"))
        .args(["build", "included", "--out"])
        .arg(folder)
        .output()
        .expect("the binary runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

#[track_caller]
fn hint(found: &Value) -> &str {
    found["hint"].as_str().unwrap_or_else(|| panic!("no hint in {found}"))
}

#[test]
fn prefectures_are_read_in_every_spelling_or_refused() {
    let mut agent = Agent::start();
    for prefecture in ["東京都", "東京", "Tokyo", "tōkyō-to", "とうきょう", "ﾄｳｷｮｳﾄ", "13", "JP-13"]
    {
        let words = json!({ "text": "千代田", "prefecture": prefecture });
        let found = agent.call("search_postal_codes", words);
        assert!(found["count"].as_u64() > Some(0), "{prefecture}: {found}");
        let found =
            agent.call("search_corporations", json!({ "name": "台帳", "prefecture": prefecture }));
        assert!(found["count"].as_u64() > Some(0), "{prefecture}: {found}");
    }
    for tool in ["search_postal_codes", "search_corporations"] {
        let (text, name) =
            if tool == "search_corporations" { ("name", "台帳") } else { ("text", "千代田") };
        for wrong in ["関東", "Kanto", "", "48", "千代田区"] {
            let error = agent.refused(tool, json!({ text: name, "prefecture": wrong }));
            assert!(error.contains("expected a prefecture, such as 東京都, Tokyo"), "{error}");
            assert!(error.contains(&format!("found {wrong:?}")), "{error}");
        }
    }
}

#[test]
fn places_are_found_by_their_readings() {
    let mut agent = Agent::start();
    for (text, town) in [
        ("まるのうち", "丸の内"),
        ("ﾏﾙﾉｳﾁ", "丸の内"),
        ("Marunouchi", "丸の内"),
        ("Tokyo まるのうち", "丸の内"),
        ("あづま つくば市", "吾妻"),
    ] {
        let found = agent.call("search_postal_codes", json!({ "text": text }));
        let towns = found["places"].as_array().expect("places");
        assert!(towns.iter().any(|place| place["town"] == town), "{text}: {found}");
        assert!(hint(&found).contains("was read as"), "{found}");
    }
    let elsewhere = json!({ "text": "まるのうち", "prefecture": "Ibaraki" });
    let found = agent.call("search_postal_codes", elsewhere);
    assert_eq!(found["count"], 0, "{found}");
    assert!(hint(&found).contains("leave out the prefecture 茨城県"), "{found}");
    let by_city = json!({ "name": "台帳", "city": "Chiyoda" });
    let found = agent.call("search_corporations", by_city);
    assert!(found["count"].as_u64() > Some(0), "{found}");
    assert!(hint(&found).contains("Chiyoda was read as 千代田区"), "{found}");
}

#[test]
fn names_with_a_legal_form_and_numbers_with_or_without_a_t_are_found() {
    let mut agent = Agent::start();
    for name in ["株式会社台帳", "㈱台帳", "台帳"] {
        let found = agent.call("search_corporations", json!({ "name": name, "match": "exact" }));
        let names = found["corporations"].as_array().expect("corporations");
        assert!(names.iter().any(|it| it["name"] == "株式会社台帳"), "{name}: {found}");
    }
    for number in
        ["6010001999901", "T6010001999901", "Ｔ６０１０００１９９９９０１", "t6010001999901"]
    {
        let arguments = json!({ "number": number, "date": "2026-04-01" });
        assert_eq!(agent.call("verify_invoice_number", arguments)["registered"], true, "{number}");
        let found = agent.call("lookup_corporation", json!({ "corporate_number": number }));
        assert_eq!(found["corporation"]["name"], "株式会社台帳", "{number}");
    }
}

#[test]
fn nothing_found_always_has_a_reason() {
    let mut agent = Agent::start();
    for (tool, arguments, expected) in [
        ("search_postal_codes", json!({ "text": "六本木 宮内庁" }), "fewer words"),
        ("search_postal_codes", json!({ "text": "zzzzqq" }), "normalize_address"),
        (
            "search_corporations",
            json!({ "name": "存在しない商会", "match": "exact" }),
            "match loose",
        ),
        (
            "search_corporations",
            json!({ "name": "台帳", "match": "exact_with_kind" }),
            "match exact",
        ),
        (
            "search_corporations",
            json!({ "name": "存在しない商会", "city": "港区" }),
            "leave out the place (港区)",
        ),
        (
            "search_corporations",
            json!({ "name": "存在しない商会" }),
            "the data have corporations of",
        ),
        ("find_banks", json!({ "name": "zzzz" }), "a shorter part of the name"),
        ("find_branches", json!({ "bank_code": "0001", "name": "zzzz" }), "leave out the name"),
        ("find_schools", json!({ "text": "zzzz" }), "fewer words"),
        ("normalize_address", json!({ "address": "xyz" }), "names no place"),
    ] {
        let found = agent.call(tool, arguments.clone());
        assert!(hint(&found).contains(expected), "{tool} {arguments}: {found}");
    }
    let found = agent.call("match_corporation", json!({ "name": "存在しない商会" }));
    assert!(found["match_reason"].as_str().expect("why").contains("no corporation"), "{found}");
}

#[test]
fn real_data_answer_as_people_ask() {
    let folder = tempfile::tempdir().expect("a folder");
    included(folder.path());
    let mut agent = Agent::over(folder.path());
    for (name, prefecture) in
        [("株式会社鳥取銀行", "Tottori"), ("鳥取銀行", "とっとり"), ("㈱鳥取銀行", "鳥取")]
    {
        let arguments = json!({ "name": name, "match": "exact", "prefecture": prefecture });
        let found = agent.call("search_corporations", arguments);
        assert_eq!(found["corporations"][0]["name"], "株式会社鳥取銀行", "{name}: {found}");
    }
    let arguments = json!({ "text": "まるのうち", "prefecture": "Tokyo" });
    // The first search checks the sections of the file, which takes a program without optimisations half a minute.
    let call = json!({ "name": "search_postal_codes", "arguments": arguments });
    let mut found = Value::Null;
    for _ in 0..20 {
        let answer = agent.ask("tools/call", call.clone());
        if !answer.to_string().contains("search_timeout") {
            found = answer["result"]["structuredContent"].clone();
            break;
        }
    }
    let places = found["places"].as_array().expect("places");
    assert!(
        places.iter().any(|place| place["town"] == "丸の内" && place["city"] == "千代田区"),
        "{found}"
    );
    let found =
        agent.call("search_corporations", json!({ "name": "トヨタ自動車", "match": "exact" }));
    assert!(hint(&found).contains("鳥取県 only"), "{found}");
}

fn tools(list: &Value) -> Vec<String> {
    let names = list["result"]["tools"].as_array().expect("tools").iter();
    names.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn tools_without_data_are_not_listed_and_say_so_if_called() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&sample().join("postal"), &folder.path().join("postal"));
    let mut agent = Agent::over(folder.path());
    let listed = [
        "normalize_address",
        "lookup_postal_code",
        "search_postal_codes",
        "find_towns_near",
        "write_transfer_name",
        "check_business_day",
        "add_business_days",
        "count_business_days",
    ];
    assert_eq!(tools(&agent.ask("tools/list", json!({}))), listed);
    assert!(agent.instructions.contains("no data for these tools"), "{}", agent.instructions);
    assert!(agent.instructions.contains("find_banks, find_branches"), "{}", agent.instructions);
    let error = agent.refused("find_banks", json!({ "name": "台帳" }));
    assert!(error.contains("no_data") && error.contains("other tools still work"), "{error}");
    // A server lists them once the data are there.
    let served = ServerProcess::with_snapshots(Some(folder.path()), &[]);
    let list = || {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} });
        super::http::post(&served, &super::http::key(&served.secret), &body.to_string()).json()
    };
    assert_eq!(tools(&list()), listed);
    copy(&sample().join("bank"), &folder.path().join("bank"));
    served.signal(rustix::process::Signal::HUP);
    crate::support::wait_until("the tools for banks", || {
        tools(&list()).contains(&"find_banks".to_owned())
    });
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

#[test]
fn errors_speak_of_arguments_and_tools_and_not_of_http() {
    let mut agent = Agent::start();
    for (tool, arguments) in [
        ("lookup_postal_code", json!({ "postal_code": "100" })),
        ("lookup_postal_code", json!({ "postal_code": "" })),
        ("lookup_postal_code", json!({ "postal_code": "〒-" })),
        ("lookup_postal_code", json!({ "postal_code": "9999999" })),
        ("search_postal_codes", json!({ "text": "あ" })),
        ("lookup_corporation", json!({ "corporate_number": "" })),
        ("lookup_corporation", json!({ "corporate_number": "T" })),
        ("lookup_corporation", json!({ "corporate_number": "1234567890123" })),
        ("lookup_corporation", json!({ "corporate_number": "1", "history": true })),
        ("search_corporations", json!({ "name": "台".repeat(2_001) })),
        ("verify_invoice_number", json!({ "number": "", "date": "2026-04-01" })),
        ("verify_invoice_number", json!({ "number": "T1", "date": "2026-04-01" })),
        ("verify_invoice_number", json!({ "number": "T6010001999901", "date": "x" })),
        ("match_corporation", json!({ "name": "" })),
        ("match_corporation", json!({ "name": "台帳", "postal_code": "x" })),
        ("find_towns_near", json!({ "latitude": 139.76, "longitude": 35.68 })),
        ("find_towns_near", json!({ "latitude": 35, "longitude": 181 })),
        ("find_banks", json!({ "name": "9998" })),
        ("find_branches", json!({ "bank_code": "" })),
        ("find_branches", json!({ "bank_code": "x" })),
        ("find_branches", json!({ "bank_code": "9998" })),
        ("find_branches", json!({ "bank_code": "0001", "name": "999" })),
        ("convert_yucho_account", json!({})),
        ("convert_yucho_account", json!({ "symbol": "10010", "number": "1" })),
        ("convert_yucho_account", json!({ "branch_code": "998", "account_number": "1" })),
        ("write_transfer_name", json!({ "name": "台帳", "reading": "台" })),
        ("find_schools", json!({ "text": "F100000000000" })),
        ("check_business_day", json!({ "date": "2026-13-01" })),
        ("add_business_days", json!({ "date": "2026-11-24", "days": 10_001 })),
        ("count_business_days", json!({ "from": "2026-11-24", "to": "2026-11-23" })),
        ("normalize_address", json!({ "address": "東".repeat(8_000) })),
    ] {
        let error = agent.refused(tool, arguments.clone());
        // The code of an error may have such a word.
        let text = error.replace("(invalid_parameter)", "");
        for word in
            ["/v1", "header", "path", "arameter", "HTTP", "detail", "endpoint", "URL", "Send q"]
        {
            assert!(!text.contains(word), "{tool} {arguments}: {word:?} in {error}");
        }
    }
}
