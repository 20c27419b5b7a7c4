//! `/v1/holidays` and `/v1/businessdays`, with the official list and the operator's own holidays.

use std::fs;
use std::process::Command;

use rustix::process::Signal;

use crate::support::{NEWEST, SHOP, ServerProcess, ask, wait_until};

fn dates(served: &ServerProcess, query: &str) -> Vec<String> {
    let answer = served.get(&format!("/v1/holidays?{query}"));
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let body = answer.json();
    let data = body["data"].as_array().expect("an array");
    data.iter().map(|day| day["date"].as_str().expect("a date").to_owned()).collect()
}

#[test]
fn the_holidays_of_a_year_are_listed_with_weekdays() {
    let served = ServerProcess::start();
    let answer = served.get("/v1/holidays?year=2026");
    let expected = concat!(
        r#"{"data":[{"title":"元日","date":"2026-01-01","day_of_week":4,"day_of_week_text":"thursday"},"#,
        r#"{"title":"成人の日","date":"2026-01-12","day_of_week":1,"day_of_week_text":"monday"},"#,
    );
    assert!(answer.text().starts_with(expected), "{}", answer.text());
    let body = answer.json();
    assert_eq!(body.as_object().map(|body| body.len()), Some(1));
    assert_eq!(body["data"].as_array().map(Vec::len), Some(18));
    let sunday = &body["data"][6];
    assert_eq!((&sunday["date"], &sunday["day_of_week"]), (&"2026-05-03".into(), &0.into()));
    assert_eq!(sunday["day_of_week_text"], "sunday");
    assert_eq!(body["data"][9]["title"], "休日");
    assert_eq!(served.get("/v1/holidays/?year=2026").text(), answer.text());
    // The answer is the same in every API version and with a public key.
    for api in ["2022-09-01", "2023-09-01", "2025-01-01", NEWEST] {
        let other = served.get(&format!("/v1/holidays?year=2026&api_version={api}"));
        assert_eq!((other.text(), other.header("api-version")), (answer.text(), Some(api)));
    }
    let head = format!(
        "GET /v1/holidays?year=2026\nAuthorization: Token {}\nOrigin: {SHOP}",
        served.public
    );
    assert_eq!(ask(served.address, &head).text(), answer.text());
    ask(served.address, "GET /v1/holidays").expect_error(401, "missing_key", None);
    let tag = answer.header("etag").expect("a tag");
    let headers = format!("If-None-Match: {tag}");
    assert_eq!(served.get_with("/v1/holidays?year=2026", &headers).status, 304);
}

#[test]
fn a_range_is_inclusive_and_year_overrides_it() {
    let served = ServerProcess::start();
    let check = |query: &str, expected: &[&str]| assert_eq!(dates(&served, query), expected);
    check(
        "from=2026-05-03&to=2026-05-06",
        &["2026-05-03", "2026-05-04", "2026-05-05", "2026-05-06"],
    );
    check("from=2026-5-3&to=2026-5-3", &["2026-05-03"]);
    check("from=2026-05-07&to=2026-05-08", &[]);
    check("from=2026-12-01&to=2027-01-10", &["2027-01-01"]);
    assert_eq!(dates(&served, "year=1955&from=2026-01-01&to=2026-12-31").len(), 9);
    assert_eq!(
        dates(&served, "year=1955&from=nonsense").len(),
        9,
        "from is not parsed beside year"
    );
    let all = dates(&served, "");
    assert_eq!(all.first().map(String::as_str), Some("1970-01-01"));
    assert!(all.iter().any(|date| date == "2026-11-23") && all.len() > 800, "{}", all.len());
    assert_eq!(dates(&served, "to=1970-01-31"), ["1970-01-01", "1970-01-15"]);
    assert_eq!(dates(&served, "to=1969-12-31"), dates(&served, "year=1969"));
    check("to=1965-02-01", &["1965-01-01", "1965-01-15"]);
    assert_eq!(dates(&served, "from=1970-01-01"), all);
    assert_eq!(dates(&served, "from=1955-01-01&to=2027-12-31").len(), 1_067);
    let late = dates(&served, "from=2099-12-01");
    assert_eq!(late, Vec::<String>::new(), "the known holidays end with 2099");
    assert_eq!(dates(&served, "year=2099").first().map(String::as_str), Some("2099-01-01"));
}

#[test]
fn years_before_1955_and_after_2099_have_no_holidays() {
    let served = ServerProcess::start();
    for query in [
        "year=1954",
        "year=2100",
        "year=0000",
        "year=9999",
        "from=1900-01-01&to=1954-12-31",
        "from=2100-01-01&to=9999-12-31",
        "from=2100-01-01",
        "to=1954-12-31",
    ] {
        let answer = served.get(&format!("/v1/holidays?{query}"));
        assert_eq!((answer.status, answer.text().as_str()), (200, r#"{"data":[]}"#), "{query}");
    }
    let early = dates(&served, "from=0001-01-01&to=1955-01-31");
    assert_eq!(early, ["1955-01-01", "1955-01-15"], "the known holidays begin with 1955");
    assert_eq!(dates(&served, "from=2099-11-01&to=2150-01-01").len(), 2);
}

#[test]
fn malformed_years_and_days_are_400() {
    let served = ServerProcess::start();
    for bad in ["", "26", "02026", "+2026", "2026.0", "２０２６", "令和8年", "2026-01", "-2026"]
    {
        let bad: String = bad.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = served.get(&format!("/v1/holidays?year={bad}"));
        answer.expect_error(400, "invalid_parameter", Some("year"));
        assert!(answer.text().contains("a year of four digits"), "{}", answer.text());
    }
    for bad in [
        "",
        "today",
        "2026",
        "2026-01",
        "2026-13-01",
        "2026-02-29",
        "2026-00-01",
        "2026-1-0",
        "26-1-1",
        "2026-01-01T00:00",
        "2026/01/01",
        "2026-001-01",
        "-2026-01-01",
        "2026-1-1-1",
        "20260101",
    ] {
        for name in ["from", "to"] {
            let answer = served.get(&format!("/v1/holidays?{name}={bad}"));
            answer.expect_error(400, "invalid_parameter", Some(name));
        }
        let answer = served.get(&format!("/v1/businessdays/check?date={bad}"));
        answer.expect_error(400, "invalid_parameter", Some("date"));
    }
    let answer = served.get("/v1/holidays?from=2026-05-02&to=2026-05-01");
    answer.expect_error(400, "invalid_parameter", Some("to"));
    for beyond in ["1954-12-31", "2100-01-01"] {
        let answer = served.get(&format!("/v1/businessdays/check?date={beyond}"));
        answer.expect_error(400, "invalid_parameter", Some("date"));
        assert!(answer.text().contains("1955-01-01 to 2099-12-31"), "{}", answer.text());
    }
    let answer = served.get("/v1/businessdays/check");
    answer.expect_error(400, "invalid_parameter", Some("date"));
    served.get("/v1/businessdays").expect_error(404, "no_such_endpoint", None);
}

#[test]
fn weekends_and_holidays_are_no_business_days() {
    let served = ServerProcess::start();
    for (date, expected) in [
        ("2026-11-20", true),
        ("2026-11-21", false),
        ("2026-11-22", false),
        ("2026-11-23", false),
        ("2026-9-22", false),
        ("2026-1-5", true),
        ("2026-01-1", false),
        // Banks are closed on this day, but it is no national holiday.
        ("2026-12-31", true),
        ("2019-05-02", false),
    ] {
        for slash in ["", "/"] {
            let answer = served.get(&format!("/v1/businessdays/check{slash}?date={date}"));
            assert_eq!(answer.text(), format!("{{\"result\":{expected}}}"), "{date}");
        }
    }
}

/// The holidays of a year by the rules, as a CSV file in the format of the Cabinet Office.
fn list(year: i16) -> String {
    let mut text = "国民の祝日・休日月日,国民の祝日・休日名称\r\n".to_owned();
    for holiday in daicho::calendar::holidays(year) {
        let date = holiday.date.strftime("%Y/%-m/%-d");
        text.push_str(&format!("{date},{}\r\n", holiday.title));
    }
    text
}

#[test]
fn the_official_list_overrides_the_rules_for_its_years() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let folder = served.folder.path().join("snapshots/holidays");
    fs::create_dir_all(&folder).expect("a folder");
    assert_eq!(dates(&served, "from=2026-08-01&to=2026-08-31"), ["2026-08-11"]);
    // As if a new act moved a holiday by one day and renamed it.
    let moved = list(2026).replace("2026/8/11,山の日", "2026/8/12,高山の日");
    fs::write(folder.join("2026-02-02.csv"), moved).expect("written");
    wait_until("the list to be loaded", || {
        dates(&served, "from=2026-08-01&to=2026-08-31") == ["2026-08-12"]
    });
    assert!(served.get("/v1/holidays?year=2026").text().contains(r#"{"title":"高山の日","#));
    let check = |date: &str| served.get(&format!("/v1/businessdays/check?date={date}")).text();
    assert_eq!(check("2026-08-11"), r#"{"result":true}"#);
    assert_eq!(check("2026-08-12"), r#"{"result":false}"#);
    assert_eq!(dates(&served, "from=2027-08-01&to=2027-08-31"), ["2027-08-11"], "by the rules");
    served.wait_for_log("2026-08-12 高山の日 is in the list and not in the rules");
    // If a new list cannot be read, the previous one stays in use.
    fs::write(folder.join("2026-03-01.csv"), "no list").expect("written");
    served.wait_for_log("list of holidays rejected");
    assert_eq!(check("2026-08-12"), r#"{"result":false}"#);
}

#[test]
fn the_bank_calendar_is_closed_around_new_year() {
    let served = ServerProcess::start();
    for (date, calendar, expected) in [
        ("2026-12-31", "", true),
        ("2026-12-31", "&calendar=", true),
        ("2026-12-31", "&calendar=national", true),
        ("2026-12-31", "&calendar=bank", false),
        ("2026-12-30", "&calendar=bank", true),
        ("2025-01-02", "&calendar=national", true),
        ("2025-01-02", "&calendar=bank", false),
        ("2025-01-03", "&calendar=bank", false),
        ("2025-01-06", "&calendar=bank", true),
    ] {
        let answer = served.get(&format!("/v1/businessdays/check?date={date}{calendar}"));
        assert_eq!(answer.text(), format!("{{\"result\":{expected}}}"), "{date}{calendar}");
    }
    for path in
        ["check?date=2026-11-20", "add?date=2026-11-20&days=1", "between?from=2026-1-1&to=2026-1-2"]
    {
        for bad in ["Bank", "office", "1", "bank,national"] {
            let answer = served.get(&format!("/v1/businessdays/{path}&calendar={bad}"));
            answer.expect_error(400, "invalid_parameter", Some("calendar"));
            assert!(answer.text().contains("national, bank"), "{}", answer.text());
        }
        let answer = served.get(&format!("/v1/businessdays/{path}&calendar=bank&calendar=bank"));
        answer.expect_error(400, "invalid_parameter", Some("calendar"));
    }
}

#[test]
fn business_days_are_added_and_subtracted() {
    let served = ServerProcess::start();
    for (query, expected) in [
        ("date=2026-11-20&days=1", "2026-11-24"),
        ("date=2026-11-20&days=0", "2026-11-20"),
        ("date=2026-11-21&days=0", "2026-11-24"),
        ("date=2026-11-24&days=-1", "2026-11-20"),
        ("date=2026-11-24&days=-0", "2026-11-24"),
        ("date=2026-5-1&days=1", "2026-05-07"),
        ("date=2026-12-30&days=1", "2026-12-31"),
        ("date=2026-12-30&days=1&calendar=bank", "2027-01-04"),
    ] {
        for slash in ["", "/"] {
            let answer = served.get(&format!("/v1/businessdays/add{slash}?{query}"));
            assert_eq!(answer.text(), format!("{{\"result\":\"{expected}\"}}"), "{query}");
        }
    }
    // The largest numbers of days lead about forty years away. Counting and subtracting agree with adding.
    let far = served.get("/v1/businessdays/add?date=2026-11-20&days=10000").json();
    let far = far["result"].as_str().expect("a day").to_owned();
    assert!(far.starts_with("2067-"), "{far}");
    let counted = served.get(&format!("/v1/businessdays/between?from=2026-11-20&to={far}"));
    assert_eq!(counted.text(), r#"{"result":10000}"#);
    let back = served.get(&format!("/v1/businessdays/add?date={far}&days=-10000"));
    assert_eq!(back.text(), r#"{"result":"2026-11-20"}"#);
    for (query, parameter, expected) in [
        ("days=1", "date", "found none"),
        ("date=2026-11-20", "days", "a whole number of -10000 to 10000"),
        ("date=2026-11-20&days=", "days", "a whole number"),
        ("date=2026-11-20&days=10001", "days", "a whole number"),
        ("date=2026-11-20&days=-10001", "days", "a whole number"),
        ("date=2026-11-20&days=99999999999999999999", "days", "a whole number"),
        ("date=2026-11-20&days=%2B1", "days", "a whole number"),
        ("date=2026-11-20&days=--1", "days", "a whole number"),
        ("date=2026-11-20&days=-", "days", "a whole number"),
        ("date=2026-11-20&days=1.0", "days", "a whole number"),
        ("date=2026-11-20&days=%EF%BC%91", "days", "a whole number"),
        ("date=2026-11-31&days=1", "date", "a day such as"),
        ("date=1954-12-31&days=1", "date", "1955-01-01 to 2099-12-31"),
        ("date=2100-01-01&days=-1", "date", "1955-01-01 to 2099-12-31"),
        ("date=2099-12-31&days=1", "days", "leads to a day from 1955-01-01 to 2099-12-31"),
        ("date=1955-01-04&days=-5", "days", "leads to a day from 1955-01-01 to 2099-12-31"),
    ] {
        let answer = served.get(&format!("/v1/businessdays/add?{query}"));
        answer.expect_error(400, "invalid_parameter", Some(parameter));
        assert!(answer.text().contains(expected), "{query}: {}", answer.text());
    }
}

#[test]
fn business_days_between_two_days_count_the_last_and_not_the_first() {
    let served = ServerProcess::start();
    for (query, expected) in [
        ("from=2026-11-20&to=2026-11-20", 0),
        ("from=2026-11-20&to=2026-11-24", 1),
        ("from=2026-11-19&to=2026-11-20", 1),
        ("from=2026-11-20&to=2026-11-23", 0),
        ("from=2026-12-30&to=2027-1-4", 2),
        ("from=2026-12-30&to=2027-1-4&calendar=bank", 1),
        ("from=2025-12-31&to=2026-12-31", 244),
    ] {
        let answer = served.get(&format!("/v1/businessdays/between?{query}"));
        assert_eq!(answer.text(), format!("{{\"result\":{expected}}}"), "{query}");
    }
    for (query, parameter, expected) in [
        ("to=2026-11-20", "from", "found none"),
        ("from=2026-11-20", "to", "found none"),
        ("from=2026-11-20&to=x", "to", "a day such as"),
        ("from=2026-11-20&to=2026-11-19", "to", "a day from 2026-11-20 on"),
        ("from=1954-12-31&to=2026-11-19", "from", "1955-01-01 to 2099-12-31"),
        ("from=2026-11-20&to=2100-01-01", "to", "1955-01-01 to 2099-12-31"),
    ] {
        let answer = served.get(&format!("/v1/businessdays/between?{query}"));
        answer.expect_error(400, "invalid_parameter", Some(parameter));
        assert!(answer.text().contains(expected), "{query}: {}", answer.text());
    }
}

#[test]
fn own_holidays_are_added_to_national_ones_and_reloaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.csv");
    fs::write(&file, "# closed\n2026-08-13,夏季休業\n2026-08-11,社の日\n").expect("written");
    let served = ServerProcess::with_snapshots(None, &["--holidays", file.to_str().expect("text")]);
    let august = "from=2026-08-01&to=2026-08-31";
    assert_eq!(dates(&served, august), ["2026-08-11", "2026-08-13"]);
    let listed = served.get(&format!("/v1/holidays?{august}")).text();
    assert!(listed.contains("山の日") && listed.contains("夏季休業"), "{listed}");
    assert!(!listed.contains("社の日"), "a national holiday keeps its title: {listed}");
    let after = || served.get("/v1/businessdays/add?date=2026-08-12&days=1").text();
    assert_eq!(after(), r#"{"result":"2026-08-14"}"#);
    // If the file is invalid, the holidays read before stay in use.
    fs::write(&file, "2026-08-14,夏季休業\n2026-08-32,x\n").expect("written");
    served.signal(Signal::HUP);
    let log = served.wait_for_log("cannot use the new own holidays");
    assert!(log.contains("line 2: expected a day that exists"), "{log}");
    assert_eq!(after(), r#"{"result":"2026-08-14"}"#);
    fs::remove_file(&file).expect("removed");
    served.signal(Signal::HUP);
    wait_until("the missing file to be reported", || {
        served.logged().matches("cannot use the new own holidays").count() == 2
    });
    assert_eq!(after(), r#"{"result":"2026-08-14"}"#);
    fs::write(&file, "2026-08-14,夏季休業\n").expect("written");
    served.signal(Signal::HUP);
    wait_until("the corrected file to be loaded", || after() == r#"{"result":"2026-08-13"}"#);
    assert_eq!(dates(&served, august), ["2026-08-11", "2026-08-14"]);
}

#[test]
fn a_server_does_not_start_with_an_invalid_file_of_own_holidays() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.csv");
    for (content, expected) in [
        (Some("2026-08-13"), "line 1: expected a day and its title such as 2026-08-13,夏季休業"),
        (Some("\n2026-08-13,x\n2026-08-13,y"), "line 3: expected each day once"),
        (None, "cannot be read"),
    ] {
        match content {
            Some(content) => fs::write(&file, content).expect("written"),
            None => fs::remove_file(&file).expect("removed"),
        }
        let state = folder.path().join("daicho.db");
        let run = Command::new(env!("CARGO_BIN_EXE_daicho"))
            .args(["serve", "--listen", "127.0.0.1:0", "--dashboard", "off", "--snapshots"])
            .arg(folder.path().join("snapshots"))
            .arg("--state")
            .arg(&state)
            .arg("--holidays")
            .arg(&file)
            .output()
            .expect("the binary runs");
        let told = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && told.contains(expected), "{told}");
        assert!(told.contains("own.csv"), "{told}");
    }
}
