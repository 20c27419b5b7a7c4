//! The settings file against the declared options: keys, values, faults, and what overrides what.

use super::*;
use crate::cli::{command, shorthand};

fn read(text: &str) -> Result<SettingsFile, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("daicho.toml");
    std::fs::write(&path, text).expect("written");
    let shown = format!("{}/", folder.path().display());
    SettingsFile::read(&path, &command()).map_err(|error| error.to_string().replace(&shown, ""))
}

/// The values of an option of `serve` with this file and these arguments, without the environment.
fn values(file: &SettingsFile, id: &str, arguments: &[&str]) -> Vec<String> {
    let command = shorthand::without_variables(file.applied(command()), &|_name| true);
    let words = ["daicho", "serve"].iter().chain(arguments);
    let matches = command.try_get_matches_from(words).expect("parsed");
    let serve = matches.subcommand_matches("serve").expect("serve");
    let raw = serve.get_raw(id).into_iter().flatten();
    raw.map(|value| value.to_string_lossy().into_owned()).collect()
}

#[test]
fn every_option_of_the_server_with_a_variable_has_its_name_as_key() {
    let command = command();
    let settings = declared(&command);
    let serve = command.find_subcommand("serve").expect("serve");
    let mut seen = 0;
    for option in serve.get_arguments() {
        let Some(variable) = option.get_env() else {
            panic!("{:?} has no variable", option.get_id());
        };
        let key = key_of(variable).expect("begins with DAICHO_");
        assert_eq!(option.get_long(), Some(key.as_str()));
        assert!(settings.contains_key(&key), "{key}");
        seen += 1;
    }
    assert!(seen > 30, "{seen} options");
    assert!(settings.contains_key("publish") && !settings.contains_key("config"));
}

/// Each setting takes a value of its own type and refuses the other ones with its line.
#[test]
fn every_setting_refuses_a_value_of_another_type_with_its_line() {
    for (key, setting) in declared(&command()) {
        let error = read(&format!("\n\n{key} = 1979-05-27")).expect_err(&key);
        let expected = ValueKind::of(&setting.option).described(&setting.option);
        let expected = format!("daicho.toml:3: {key}: expected {expected}; found a date");
        assert!(error.starts_with(&expected), "{error}");
        if !takes_several(&setting.option) {
            let error = read(&format!("{key} = [\"a\"]")).expect_err(&key);
            assert!(error.contains("found a list"), "{error}");
        }
    }
}

#[test]
fn faults_are_named_with_their_line() {
    for (text, expected) in [
        (
            "lisen = \"a\"",
            "daicho.toml:1: expected the name of a setting; found \"lisen\"; did you mean listen?",
        ),
        ("AGE_DAYS = 1", "found \"AGE_DAYS\"; did you mean age-days?"),
        ("admin-password = \"x\"", "did you mean admin-password-file?"),
        ("config = \"x\"", "found \"config\""),
        ("zzzz = 1", "found \"zzzz\"; 'daicho config show' lists them"),
        (
            "[serve]\nlisten = \"a\"",
            "daicho.toml:1: expected the name of a setting; found \"serve\"",
        ),
        (
            "# a\nage-days = \"sixty\"",
            "daicho.toml:2: age-days: expected a whole number; found a text",
        ),
        ("age-days = 4294967296", "daicho.toml:1: age-days: invalid value '4294967296'"),
        ("age-days = -1", "age-days: invalid value '-1'"),
        ("age-days = 0x10", "age-days: expected a whole number; found a whole number"),
        ("age-days = 1.5", "found a fraction"),
        (
            "drain = \"5\"",
            "drain: invalid value '5' for '--drain <TIME>': expected a time from 0s to 1h",
        ),
        ("metrics = true", "metrics: expected a text between quotes; found true or false"),
        ("metrics = \"yes\"", "[possible values: on, off]"),
        ("query-grouping = \"yes\"", "query-grouping: expected true or false; found a text"),
        (
            "listen = []",
            "listen: expected a text between quotes, or a list of them; found an empty list",
        ),
        ("listen = [1]", "found a whole number"),
        ("state = 5", "state: expected a text between quotes; found a whole number"),
        ("drain = \"1s\"\ndrain = \"2s\"", "daicho.toml:2: expected lines such as listen"),
        ("listen = ", "daicho.toml:1: expected lines such as listen"),
    ] {
        let error = read(text).expect_err(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
    let both = read("a-b-c = 1\nage-days = true\n").expect_err("two faults");
    assert_eq!(both.lines().count(), 2, "{both}");
    assert!(both.contains("daicho.toml:1: ") && both.contains("daicho.toml:2: "), "{both}");
}

#[test]
fn a_file_that_is_no_text_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("daicho.toml");
    let refused =
        |path: &Path| SettingsFile::read(path, &command()).expect_err("refused").to_string();
    assert!(refused(&path).contains("expected a settings file that can be read; found: No such"));
    assert!(refused(folder.path()).contains("expected a settings file that can be read"));
    std::fs::write(&path, b"listen = \"\xff\"").expect("written");
    assert!(refused(&path).contains("expected text in UTF-8"));
    std::fs::write(&path, vec![b'#'; BYTES_MAX as usize + 1]).expect("written");
    assert!(refused(&path).contains("of at most 1048576 bytes"));
}

#[test]
fn values_of_the_file_are_defaults() {
    let text = "listen = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\nage-days = 7\nquery-grouping = true\n\
                huge-pages = false\nconnections-per-address = \"off\"\nstate = \"x.db\"\n";
    let file = read(text).expect("valid");
    assert_eq!(file.len(), 6);
    assert_eq!(file.get("age-days"), Some(&Entry { line: 2, values: vec!["7".to_owned()] }));
    assert_eq!(values(&file, "listen", &[]), ["127.0.0.1:1", "127.0.0.1:2"]);
    assert_eq!(values(&file, "listen", &["--listen", "127.0.0.1:3"]), ["127.0.0.1:3"]);
    assert_eq!(values(&file, "age_days", &[]), ["7"]);
    assert_eq!(values(&file, "age_days", &["--age-days", "8"]), ["8"]);
    assert_eq!(values(&file, "query_grouping", &[]), ["true"]);
    assert_eq!(values(&file, "huge_pages", &[]), ["false"]);
    assert_eq!(values(&file, "huge_pages", &["--huge-pages"]), ["true"]);
    assert_eq!(values(&file, "state", &[]), ["x.db"]);
    assert_eq!(values(&file, "warm", &[]), ["100M"]);
    // An option that takes one text gets the list with commas, as the variable has it.
    let command = shorthand::without_variables(file.applied(command()), &|_name| true);
    let matches = command.try_get_matches_from(["daicho", "health"]).expect("parsed");
    let health = matches.subcommand_matches("health").expect("health");
    assert_eq!(health.get_one::<String>("listen").expect("given"), "127.0.0.1:1,127.0.0.1:2");
}

#[test]
fn passwords_are_not_shown() {
    for (value, expected) in [
        ("./daicho.db", "./daicho.db"),
        ("postgres://me:hidden@db/daicho", "postgres://me:***@db/daicho"),
        ("postgres://me:hid@den/x@db/daicho", "postgres://me:***@db/daicho"),
        ("postgres://me@db/daicho?password=hidden&a=b", "postgres://me@db/daicho?password=***&a=b"),
        ("http://user:hidden@proxy:3128", "http://user:***@proxy:3128"),
        ("s3://bucket/daicho", "s3://bucket/daicho"),
    ] {
        assert_eq!(Masked(value).to_string(), expected);
    }
}
