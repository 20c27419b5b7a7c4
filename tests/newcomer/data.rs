//! What the data are, how old, and how a newcomer corrects them.

use std::fs;

use super::{complaint, daicho, holds, printed, shows, walk};
use crate::support::{ServerProcess, sample, wait_until};

#[test]
fn a_newcomer_asks_what_the_data_are() {
    let served = ServerProcess::start();
    let sources = served.get("/v1/sources").text();
    let meta = served.get("/v1/postalcode/1000001?meta=1").text();
    walk(
        3,
        [
            shows("/v1/sources names the licence", &sources, "\"licence\""),
            shows("and the credit line", &sources, "\"credit\""),
            shows("meta=1 names them in an answer", &meta, "\"meta\""),
        ],
    );
}

#[test]
fn a_newcomer_corrects_a_bank() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let corrections = at.join("corrections");
    fs::create_dir(&corrections).expect("made");
    let run = |arguments: &[&str]| {
        let snapshots = sample().to_str().expect("UTF-8");
        let variables = [("DAICHO_SNAPSHOTS", snapshots), ("DAICHO_CORRECTIONS", "corrections")];
        daicho(at, arguments, &variables)
    };
    let template = printed(&run(&["corrections", "template", "bank"]));
    let write = |rows: &str| {
        let header = "action,code,name,katakana,hiragana,romaji,valid_from,valid_to,reason,author";
        fs::write(corrections.join("bank.csv"), format!("{header}\n{rows}\n")).expect("written");
    };
    write("change,0001,空色,ソライロ,,,2099-04-01,,press release,ops");
    let sound = run(&["corrections", "check"]);
    let before = printed(&run(&["get", "/v1/bank/0001"]));
    let after = printed(&run(&["get", "/v1/bank/0001?date=2099-04-01&meta=1"]));
    write("change,9998,空色,ソライロ,,,2099-04-01,,press release,ops");
    let wrong = run(&["corrections", "check"]);
    let told = String::from_utf8_lossy(&wrong.stdout).into_owned() + &complaint(&wrong);
    walk(
        7,
        [
            shows("a template explains the columns", template, "valid_from"),
            shows("a sound file is needed", printed(&sound), "1 needed"),
            holds("today the bank has its name", !before.contains("空色")),
            shows("on the day it has the new one", &after, "空色"),
            shows("and says why", &after, "press release"),
            shows("a wrong code is named", &told, "9998"),
            shows("with its line", &told, "line 2"),
        ],
    );
}

#[test]
fn corrections_reach_a_running_server() {
    let served = ServerProcess::with_snapshots(None, &[]);
    let snapshots = served.state().with_file_name("snapshots");
    let out = snapshots.to_str().expect("UTF-8");
    let built = daicho(&snapshots.with_file_name(""), &["build", "sample", "--out", out], &[]);
    assert!(built.status.success(), "{}", complaint(&built));
    wait_until("the data", || served.get("/v1/bank/0001").status == 200);
    let folder = snapshots.join("corrections");
    fs::create_dir_all(&folder).expect("made");
    let rows = "action,code,name,katakana,valid_from,reason,author\n\
                change,0001,空色,ソライロ,2020-01-01,renamed,ops\n";
    fs::write(folder.join("bank.csv"), rows).expect("written");
    wait_until("the correction", || served.get("/v1/bank/0001").text().contains("空色"));
}
