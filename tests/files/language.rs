//! The language of help, messages and errors, with the real program and the variables that a system sets.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use regex::Regex;
use unicode_width::UnicodeWidthStr;

pub const JAPANESE: &[(&str, &str)] = &[("LANG", "ja_JP.UTF-8")];

/// The program with these variables and no others that name a language.
pub fn program(variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    for name in ["DAICHO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command
}

fn run(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    program(variables).args(arguments).output().expect("runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The words of every command.
fn commands() -> Vec<Vec<String>> {
    fn add(command: &clap::Command, words: &[String], found: &mut Vec<Vec<String>>) {
        found.push(words.to_vec());
        for inner in command.get_subcommands() {
            add(inner, &[words, &[inner.get_name().to_owned()]].concat(), found);
        }
    }
    let mut found = Vec::new();
    add(&daicho::cli::command(), &[], &mut found);
    found
}

/// A line that has a sentence in English. Examples and paths are the same in every language.
pub fn english_line(help: &str) -> Option<&str> {
    let sentence = Regex::new(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b").expect("an expression");
    let heading = Regex::new(r"^(Usage|Commands|Options|Arguments|Examples|Possible values):|\[(default|env|possible values|aliases):").expect("an expression");
    let text = help.split("\n例:").next().unwrap_or_default();
    // Usages and quoted commands.
    let quoted = Regex::new("`[^`]*`|'[^']*'").expect("an expression");
    let mut lines = text.lines().filter(|line| !line.starts_with("使い方: "));
    lines.find(|line| {
        let line = quoted.replace_all(line.trim(), "");
        sentence.is_match(&line) || heading.is_match(&line)
    })
}

#[test]
fn the_help_of_every_command_is_in_japanese() {
    let commands = commands();
    assert!(commands.len() > 50, "too few commands: {}", commands.len());
    for words in &commands {
        for flag in ["--help", "-h"] {
            let mut arguments: Vec<&str> = words.iter().map(String::as_str).collect();
            arguments.push(flag);
            let output = run(JAPANESE, &arguments);
            let help = stdout(&output);
            assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
            assert!(help.contains("使い方: daicho"), "{arguments:?}: {help}");
            assert_eq!(english_line(&help), None, "{arguments:?}");
            let is_command =
                |line: &str| line.trim_start_matches("使い方:").trim_start().starts_with("daicho ");
            let wide = help
                .lines()
                .find(|line| line.width() > 100 && !line.is_ascii() && !is_command(line));
            assert_eq!(wide, None, "{arguments:?}");
        }
    }
}

#[test]
fn an_english_line_is_found() {
    for (help, expected) in [
        ("使い方: daicho\n  Run the HTTP server", None),
        ("  Run the server for once", Some("  Run the server for once")),
        ("  番号 [default: 1]", Some("  番号 [default: 1]")),
        ("Options:", Some("Options:")),
        ("例\n例:\n  daicho serve with many words", None),
        ("使い方: daicho lookup postal <CODE>", None),
        ("`daicho webhook list`の番号", None),
    ] {
        assert_eq!(english_line(help), expected, "{help}");
    }
}

#[test]
fn the_option_comes_before_the_variable_and_that_before_the_locale() {
    let japanese = "使い方:";
    for (variables, arguments, expected) in [
        (&[][..], &["--help"][..], false),
        (JAPANESE, &["--help"], true),
        (&[("LANG", "C.UTF-8")], &["--help"], false),
        (&[("LC_ALL", "C"), ("LANG", "ja_JP.UTF-8")], &["--help"], false),
        (&[("LC_ALL", ""), ("LC_MESSAGES", "ja_JP.UTF-8")], &["--help"], true),
        (&[("DAICHO_LANG", "en"), ("LANG", "ja_JP.UTF-8")], &["--help"], false),
        (&[("DAICHO_LANG", "ja"), ("LC_ALL", "C")], &["--help"], true),
        (&[("DAICHO_LANG", ""), ("LANG", "ja_JP.UTF-8")], &["--help"], true),
        (JAPANESE, &["--lang", "en", "--help"], false),
        (&[("DAICHO_LANG", "en")], &["--lang=ja", "--help"], true),
        (&[], &["serve", "--help", "--lang", "ja"], true),
        (&[], &["help", "--lang", "ja"], false),
    ] {
        let output = run(variables, arguments);
        let shown = stdout(&output) + &stderr(&output);
        let context = format!("{variables:?} {arguments:?}: {shown}");
        if arguments[0] != "help" {
            assert_eq!(shown.contains(japanese), expected, "{context}");
        }
    }
}

#[test]
fn wrong_arguments_are_explained_in_japanese() {
    let none = tempfile::tempdir().expect("a folder");
    let folder = none.path().to_str().expect("UTF-8");
    for (arguments, code, expected) in [
        (
            &["serve", "--nope"][..],
            2,
            &["エラー: 引数'--nope'は使えません", "使い方: daicho serve", "詳しくは'--help'"][..],
        ),
        (&["serve", "--lisen", "x"], 2, &["ヒント: 似た引数'--listen'があります"]),
        (&["lookup", "postl", "1"], 2, &["エラー: コマンド'postl'はありません", "ヒント: "]),
        (&["lookup", "postal"], 2, &["エラー: 次の引数が必要です:", "<CODE>"]),
        (&["--lang", "fr", "serve"], 2, &["'fr'", "en, ja"]),
        (&["--lang"], 2, &["--lang <LANGUAGE>", "en, ja"]),
        (
            &["serve", "--log-level", "loud"],
            2,
            &["'loud'は指定できません", "[指定できる値: error, warn, info, debug]"],
        ),
        (&["serve", "--watch-limit", "x"], 2, &["'x'は指定できません: 数字以外の文字があります"]),
        (&["serve", "--drain", "5"], 2, &["単位の付いた0sから1hまでの時間が必要です"]),
        (&["start"], 2, &["エラー: コマンド（", "'start'でした", "'daicho help'"]),
        (&["lookup", "postal", "123"], 1, &["daicho: 郵便番号は7桁の数字です。3文字でした"]),
        (
            &["lookup", "postal", "1000001", "--snapshots", folder],
            1,
            &["にスナップショットがありません", "'daicho build"],
        ),
        (
            &["snapshot", "inspect", "/no/such.daicho"],
            1,
            &["/no/such.daicho: ファイルがありません"],
        ),
        (
            &["build", "postal", "--area", "/no/such.csv", "--version", "2026-05-29"],
            1,
            &["ファイルまたはフォルダーがありません（os error 2）"],
        ),
        (
            &["account", "list", "--state", "/no/such/daicho.db"],
            1,
            &["状態ファイル/no/such/daicho.db", "フォルダーがありません"],
        ),
        (&["key", "revoke", "dk_sec_x", "--state", "/no/such/daicho.db"], 1, &["daicho: "]),
        (&["get", "v1/bank"], 1, &["/で始まるパスが必要"]),
        (&["health", "ftp://x"], 2, &["httpかhttpsのURL"]),
    ] {
        let output = run(&[("DAICHO_LANG", "ja")], arguments);
        let shown = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {shown}");
        for part in expected {
            assert!(shown.contains(part), "{arguments:?}: {part}: {shown}");
        }
        assert_eq!(english_line(&shown), None, "{arguments:?}: {shown}");
    }
}

#[test]
fn output_for_programs_is_the_same_in_every_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("UTF-8");
    let built = run(JAPANESE, &["build", "sample", "--out", folder, "--json"]);
    assert!(built.status.success(), "{}", stderr(&built));
    let built = stdout(&built);
    assert!(serde_json::from_str::<serde_json::Value>(&built).is_ok() && !built.contains('。'));
    for arguments in [
        &["snapshot", "list", "--json", "--snapshots", folder][..],
        &["lookup", "postal", "1000001", "--json", "--snapshots", folder],
        &["get", "/v1/postalcode/12345", "--snapshots", folder],
        &["get", "/v1/sources", "--snapshots", folder],
    ] {
        let (english, japanese) = (run(&[], arguments), run(JAPANESE, arguments));
        assert_eq!(stdout(&english), stdout(&japanese), "{arguments:?}");
        assert_eq!(english.status.code(), japanese.status.code(), "{arguments:?}");
    }
}

/// Runs the script of `make run` with stand-ins for cargo and the program, which have tests of their own.
fn make_run(folder: &Path, variables: &[(&str, &str)], listen: &str) -> Output {
    let stand_in = |name: &str, script: &str| {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    };
    stand_in("cargo", "exit 0");
    let program = stand_in("daicho", "echo '{\"key\": \"dk_test\"}'");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    for name in ["DAICHO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command
        .arg("build-tools/demo.sh")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("DAICHO", program)
        .env("DEMO", folder.join("demo"))
        .env("LISTEN", listen)
        .envs(variables.iter().copied())
        .output()
        .expect("runs")
}

#[test]
fn make_run_speaks_the_language_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    for (variables, japanese) in [
        (&[][..], false),
        (JAPANESE, true),
        (&[("LC_ALL", "C"), ("LANG", "ja_JP.UTF-8")], false),
        (&[("DAICHO_LANG", "ja")], true),
        (&[("LANG", "jam")], false),
    ] {
        let refused = make_run(folder.path(), variables, &taken);
        let expected = if japanese {
            "別のプログラムが使用中です"
        } else {
            "another program listens"
        };
        assert_eq!(refused.status.code(), Some(1), "{variables:?}");
        assert!(stderr(&refused).contains(expected), "{variables:?}: {}", stderr(&refused));

        // The stand-in does not listen, so any free port will do.
        let shown = make_run(folder.path(), variables, "127.0.0.1:1");
        assert!(shown.status.success(), "{}", stderr(&shown));
        let shown = stdout(&shown);
        for (japanese_part, english_part) in [
            ("コンパイルします", "Compiling"),
            ("シークレットキー  dk_test", "secret key  dk_test"),
            ("# 郵便番号、", "# a postal code;"),
        ] {
            assert_eq!(shown.contains(japanese_part), japanese, "{variables:?}: {shown}");
            assert_eq!(shown.contains(english_part), !japanese, "{variables:?}: {shown}");
        }
        assert!(shown.contains(
            "curl -H 'Authorization: Token dk_test' http://127.0.0.1:1/v1/postalcode/1000001"
        ));
    }
}
