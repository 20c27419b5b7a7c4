//! `daicho match` on the sample data: the added columns, and the arguments that it refuses.

use std::process::Command;

use super::{file, path};
use crate::sample::sample;

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    command.arg("match").args(arguments).env("DAICHO_SNAPSHOTS", sample());
    let output = command.output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn rows_get_the_number_of_their_corporation() {
    let table = "id,会社名,住所\r\n1,㈱台帳,東京都千代田区大手町\r\n2,どこにもない商店,\r\n";
    let (_folder, input) = file("customers.csv", table.as_bytes());
    let columns = ["--name-column", "会社名", "--address-column", "住所"];
    let arguments = [&[path(&input)][..], &columns, &["--add", "status"]].concat();
    let (code, out, errors) = run(&arguments);
    assert_eq!(code, Some(0), "{errors}");
    let lines: Vec<&str> = out.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "id,会社名,住所,match_level,corporate_number,match_score,match_reason,candidates,status,\
         successor_corporate_number"
    );
    let expected = "1,㈱台帳,東京都千代田区大手町,";
    assert!(lines[1].starts_with(expected) && lines[1].contains("6010001999901"), "{out}");
    assert!(lines[1].ends_with(",open,"), "{out}");
    assert_eq!(lines[2], "2,どこにもない商店,,none,,0,,,,");
    assert!(errors.contains("2 rows") && errors.contains("none"), "{errors}");
}

#[test]
fn wrong_arguments_are_refused() {
    let (_folder, input) = file("customers.csv", "会社名\n㈱台帳\n".as_bytes());
    for (arguments, code, message) in [
        (&["--name-column", "名称"][..], 1, "名称"),
        (&[][..], 2, "--name-column"),
        (&["--name-column", "1", "--add", "phone"], 2, "address, status, invoice"),
        (&["--name-column", "1", "--date", "2026-08-01"], 2, "--add invoice"),
        (&["--name-column", "1", "--output", "x.ods"], 2, ".ods"),
    ] {
        let (found, _, errors) = run(&[&[path(&input)], arguments].concat());
        assert_eq!(found, Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
}
