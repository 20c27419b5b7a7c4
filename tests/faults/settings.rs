//! Where the settings of a server come from: the command line, variables, the settings file, the defaults; and what is
//! wrong with them. The variables are those that the options declare, so a new option is covered.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use clap::Command as Declared;
use rustix::process::Signal;
use serde_json::Value;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::ask;

/// Every variable that an option of a command declares.
fn variables(command: &Declared, found: &mut Vec<String>) {
    for option in command.get_arguments() {
        found.extend(option.get_env().map(|name| name.to_string_lossy().into_owned()));
    }
    command.get_subcommands().for_each(|inner| variables(inner, found));
}

fn all_variables() -> Vec<String> {
    let mut found = Vec::new();
    variables(&daicho::cli::command(), &mut found);
    found.sort();
    found.dedup();
    assert!(found.len() > 50, "{found:?}");
    found
}

/// The program without any variable of the environment of the tests.
fn daicho(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_daicho"));
    for name in all_variables() {
        command.env_remove(name);
    }
    command.args(words);
    command
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the binary runs");
    assert!(status.success(), "{}", text(&stderr));
    text(&stdout)
}

#[track_caller]
fn refused(command: &mut Command, code: i32) -> String {
    let Output { status, stderr, .. } = command.output().expect("the binary runs");
    assert_eq!(status.code(), Some(code), "{}", text(&stderr));
    text(&stderr)
}

/// The setting with this name, as `daicho config show --json` has it.
#[track_caller]
fn shown(command: &mut Command, name: &str) -> Value {
    let settings: Value = serde_json::from_str(&succeeds(command)).expect("JSON");
    let settings = settings.as_array().expect("a list").iter();
    settings.clone().find(|shown| shown["setting"] == name).cloned().unwrap_or_default()
}

#[test]
fn an_empty_variable_counts_as_unset_for_every_option() {
    let default = succeeds(&mut daicho(&["config", "show", "--json"]));
    for name in all_variables() {
        let found = succeeds(daicho(&["config", "show", "--json"]).env(&name, ""));
        assert_eq!(found, default, "{name}");
    }
}

#[test]
fn a_server_starts_with_every_variable_empty() {
    let setup = ServerSetup::new();
    let mut command = setup.command("", &[]);
    let secrets = ["DAICHO_ADMIN_PASSWORD", "DAICHO_WEBHOOK_KEY"].map(str::to_owned);
    for name in all_variables().iter().chain(&secrets) {
        command.env(name, "");
    }
    let mut server = RunningProcess::start_server(&mut command, &setup);
    assert_eq!(ask(setup.address, "GET /readyz").status, 200);
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    // The other commands, too.
    for words in
        [&["health"][..], &["account", "list"], &["snapshot", "list"], &["lookup", "bank", "0001"]]
    {
        let mut command = daicho(words);
        for name in all_variables() {
            command.env(name, "");
        }
        let errors = text(&command.output().expect("runs").stderr);
        assert!(
            !errors.contains("invalid value") && !errors.contains("a value is required"),
            "{errors}"
        );
    }
}

#[test]
fn a_setting_is_shown_with_its_origin() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("daicho.toml");
    let lines = "# Settings\nage-days = 7\nlisten = [\"127.0.0.1:1\", \"127.0.0.1:2\"]\n\
                 state = \"postgres://me:hidden@db.example/daicho\"\npublish = \"s3://bucket/daicho\"\n";
    fs::write(&file, lines).expect("written");
    let path = file.to_str().expect("text");
    let show = |more: &[&str]| {
        let mut command = daicho(&["config", "show", "--json"]);
        command.args(more).env("DAICHO_CONFIG", path);
        command
    };
    let age = shown(&mut show(&[]), "age-days");
    assert_eq!(
        (&age["value"], &age["from"], &age["line"]),
        (&"7".into(), &"file".into(), &2.into())
    );
    assert_eq!(age["file"], path);
    let age = shown(show(&[]).env("DAICHO_AGE_DAYS", "8"), "age-days");
    assert_eq!((&age["value"], &age["variable"]), (&"8".into(), &"DAICHO_AGE_DAYS".into()));
    let age = shown(show(&["--age-days", "9"]).env("DAICHO_AGE_DAYS", "8"), "age-days");
    assert_eq!((&age["value"], &age["from"]), (&"9".into(), &"command line".into()));
    assert_eq!(shown(&mut show(&[]), "listen")["value"], "127.0.0.1:1,127.0.0.1:2");
    let warm = shown(&mut show(&[]), "warm");
    assert_eq!((&warm["value"], &warm["from"]), (&"100M".into(), &"default".into()));
    assert_eq!(shown(&mut show(&[]), "publish")["from"], "file");
    assert_eq!(shown(&mut daicho(&["config", "show", "--json"]), "publish"), Value::Null);
    let state = shown(&mut show(&[]), "state");
    assert_eq!(state["value"], "postgres://me:***@db.example/daicho");
    let secret = show(&[]).env("DAICHO_ADMIN_PASSWORD", "hidden words").output().expect("runs");
    assert!(!text(&secret.stdout).contains("hidden"), "{}", text(&secret.stdout));
    let table = succeeds(daicho(&["config", "show", "--config", path]).env("DAICHO_WARM", "off"));
    for line in ["SETTING", "daicho.toml:2", "variable DAICHO_WARM", "default"] {
        assert!(table.contains(line), "{line}: {table}");
    }
}

#[test]
fn a_file_is_checked_as_a_server_would_use_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("daicho.toml");
    let path = file.to_str().expect("text");
    let check = || daicho(&["config", "check", path]);
    fs::write(&file, "listen = \"127.0.0.1:8080\"\nage-days = 7\n").expect("written");
    assert!(succeeds(&mut check()).contains("daicho.toml: 2 settings, all usable"));
    for (lines, expected) in [
        (
            "lisen = \"x\"\n",
            "daicho.toml:1: expected the name of a setting; found \"lisen\"; did you mean listen?",
        ),
        ("\nage-days = \"x\"\n", "daicho.toml:2: age-days: expected a whole number; found a text"),
        ("drain = \"5\"\n", "daicho.toml:1: drain: invalid value '5'"),
        ("listen = \"nowhere\"\n", "--listen: expected an address and a port"),
        ("tls-cert = \"a.pem\"\n", "--tls-cert needs --tls-key"),
        ("compat = [\"nothing\"]\n", "--compat: "),
    ] {
        fs::write(&file, lines).expect("written");
        let error = refused(&mut check(), 2);
        assert!(error.contains(expected), "{error}");
    }
    assert!(
        refused(&mut daicho(&["config", "check", "/nowhere/x.toml"]), 2).contains("No such file")
    );
    assert!(
        refused(&mut daicho(&["config", "check"]), 2)
            .contains("expected a settings file; found none")
    );
}

#[test]
fn a_server_uses_the_file_and_does_not_start_with_a_wrong_one() {
    let setup = ServerSetup::new();
    let path = |name: &str| setup.folder.path().join(name);
    let write = |name: &str, lines: &str| fs::write(path(name), lines).expect("written");
    write("daicho.toml", "metrics = \"off\"\nage-days = 3\n");
    let mut command = setup.command("", &[]);
    command.env("DAICHO_CONFIG", path("daicho.toml"));
    let mut server = RunningProcess::start_server(&mut command, &setup);
    assert_eq!(ask(setup.address, "GET /metrics").status, 404, "the file turns them off");
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    // The command line overrides it.
    let mut command = setup.command("", &["--metrics", "on", "--config"]);
    command.arg(path("daicho.toml"));
    let mut server = RunningProcess::start_server(&mut command, &setup);
    assert_eq!(ask(setup.address, "GET /metrics").status, 200);
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
    write("wrong.toml", "metrics = \"off\"\nage_days = 3\n");
    let started = |file: &Path| {
        let output = setup.command("", &["--config", file.to_str().expect("text")]).output();
        let output = output.expect("runs");
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let error = started(&path("wrong.toml"));
    assert!(error.contains("wrong.toml:2: expected the name of a setting; found \"age_days\"; did you mean age-days?"), "{error}");
    assert!(
        started(&path("none.toml"))
            .contains("none.toml: expected a settings file that can be read")
    );
    // The help does not need it.
    let help = succeeds(daicho(&["serve", "--help"]).env("DAICHO_CONFIG", path("none.toml")));
    assert!(help.contains("--config <FILE>"), "{help}");
    // Commands beside the server read it, too.
    write("state.toml", &format!("state = {:?}\n", setup.state));
    let accounts = succeeds(daicho(&["account", "list"]).env("DAICHO_CONFIG", path("state.toml")));
    assert!(accounts.contains("demo"), "{accounts}");
}
