//! The commands `account`, `plan`, `key`, `webhook` and `watch`: parsed from a command line and run on a state file in a
//! temporary folder. Databases are covered only by their addresses; no server runs.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use serde_json::Value;

use super::{account::AccountArgs, error::CommandError, key::KeyArgs, plan::PlanArgs};
use super::{store::StateArg, watch::WatchArgs, webhook::WebhookArgs};
use crate::account::ApiKey;
use crate::text::codes::ApiVersion;

#[derive(Debug, Parser)]
struct Line {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Account(AccountArgs),
    Plan(PlanArgs),
    Key(KeyArgs),
    Webhook(WebhookArgs),
    Watch(WatchArgs),
}

/// A temporary folder with a state file, on which commands run.
struct TestCli {
    _folder: tempfile::TempDir,
    state: PathBuf,
}

impl TestCli {
    fn new() -> TestCli {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("daicho.db");
        TestCli { _folder: folder, state }
    }

    fn with_demo() -> TestCli {
        let cli = TestCli::new();
        cli.text("account create demo --plan standard");
        cli
    }

    /// Writes a file beside the state file, and returns its path.
    fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.state.with_file_name(name);
        std::fs::write(&path, content).expect("written");
        path.to_str().expect("text").to_owned()
    }

    fn run_to(&self, line: &str, out: &mut dyn Write) -> Result<(), CommandError> {
        let state = ["--state", self.state.to_str().expect("text")];
        let words = ["daicho"].into_iter().chain(line.split_whitespace()).chain(state);
        let parsed = Line::try_parse_from(words);
        match parsed.map_err(|error| CommandError::Usage(error.to_string()))?.verb {
            Verb::Account(args) => super::account::run(&args, out),
            Verb::Plan(args) => super::plan::run(&args, out),
            Verb::Key(args) => super::key::run(&args, out),
            Verb::Webhook(args) => super::webhook::run(&args, out),
            Verb::Watch(args) => super::watch::run(&args, out),
        }
    }

    fn run(&self, line: &str) -> Result<String, CommandError> {
        let mut out = Vec::new();
        self.run_to(line, &mut out)?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[track_caller]
    fn text(&self, line: &str) -> String {
        self.run(line).expect("done")
    }

    #[track_caller]
    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.text(&format!("{line} --json"))).expect("JSON")
    }

    #[track_caller]
    fn assert_fails(&self, line: &str, code: u8, expected: &str) {
        let error = self.run(line).expect_err("refused");
        assert_eq!(error.exit_code(), code, "{line}: {error}");
        assert!(error.to_string().contains(expected), "{line}: {error}");
    }
}

#[test]
fn accounts_from_the_command_line() {
    let cli = TestCli::new();
    let made = cli.text("account create 株式会社例 --plan premium --batch");
    let newest = ApiVersion::NEWEST;
    let expected = format!(
        "NAME        PLAN     BATCH  API VERSION\n\
                    株式会社例  premium  yes    {newest}\n\n\
                    Requests that do not name an API version get {newest}. For a client written for\n\
                    another version: daicho account set NAME --api-version VERSION\n"
    );
    assert_eq!(made, expected);
    let made = cli.text("account create moving --plan standard --api-version newest");
    assert!(made.contains(&format!("get the newest, currently {newest}.")), "{made}");
    let made = cli.json("account create demo --plan standard --api-version 2022-11-01");
    assert_eq!(made["api_version"], "2022-11-01");
    assert_eq!(made["batch"], false);
    let all = cli.json("account list");
    assert_eq!(all.as_array().map(Vec::len), Some(3));
    let set = cli.json("account set demo --plan enterprise --api-version newest");
    assert_eq!((&set["plan"], &set["api_version"]), (&"enterprise".into(), &Value::Null));
    assert_eq!(cli.json("account set demo --batch true")["batch"], true);
    assert_eq!(cli.json("account set demo --batch false")["batch"], false);
    let shown = cli.json("account show demo");
    assert_eq!((&shown["plan"], &shown["keys"]), (&"enterprise".into(), &Value::Array(vec![])));
}

#[test]
fn an_account_is_deleted_from_the_command_line() {
    let cli = TestCli::with_demo();
    cli.text("account create 株式会社例 --plan premium");
    cli.text("key create --account demo --kind secret");
    cli.text("key create --account demo --kind secret");
    cli.text("key revoke 1");
    let message = cli.text("account delete demo --yes");
    let expected = "Deleted the account demo with 2 keys, 0 sessions, 0 watched corporations, \
                    0 watched invoice issuers, 0 webhooks, 0 deliveries and 0 days of usage.\n";
    assert_eq!(message, expected);
    cli.assert_fails("account show demo", 1, "the existing accounts: 株式会社例");
    assert_eq!(cli.json("key list"), serde_json::json!([]));
    let deleted = cli.json("account delete 株式会社例 --yes");
    assert_eq!((&deleted["id"], &deleted["name"]), (&2.into(), &"株式会社例".into()));
    assert_eq!(deleted["deleted"]["keys"], 0);
    assert_eq!(cli.json("account list"), serde_json::json!([]));
    cli.assert_fails("account delete demo --yes", 1, "no account is named \"demo\"");
}

#[test]
fn wrong_account_commands_are_refused() {
    let cli = TestCli::new();
    // Only `account create` creates the state file.
    for line in ["account list", "account show demo", "key list", "key revoke 1"] {
        cli.assert_fails(line, 1, "the file does not exist");
    }
    assert!(!cli.state.exists());
    cli.text("account create demo --plan standard");
    cli.assert_fails("account create demo --plan premium", 1, "\"demo\" exists already");
    cli.assert_fails("account show nobody", 1, "shows the existing accounts: demo");
    cli.assert_fails("account set nobody --batch true", 1, "no account is named \"nobody\"");
    cli.assert_fails("account set demo", 2, "required");
    cli.assert_fails("account set demo --batch maybe", 2, "maybe");
    cli.assert_fails("account delete nobody --yes", 1, "the existing accounts: demo");
    cli.assert_fails("account delete", 2, "NAME");
    cli.assert_fails("account delete demo --yes=maybe", 2, "maybe");
    cli.assert_fails("account create x --plan gold", 2, "standard, premium, enterprise");
    cli.assert_fails("account create x", 2, "--plan");
    let unknown = "account create x --plan standard --api-version 2022-09-02";
    cli.assert_fails(unknown, 2, "2022-09-01, 2022-11-01");
    let long = format!("account create {} --plan standard", "x".repeat(101));
    cli.assert_fails(&long, 2, "found 101 characters");
    assert_eq!(cli.json("account list").as_array().map(Vec::len), Some(1));
}

#[test]
fn a_password_comes_from_a_file() {
    let cli = TestCli::with_demo();
    let file = cli.state.with_file_name("password");
    std::fs::write(&file, "a good password\n").expect("written");
    let line = format!("account set demo --password-file {}", file.display());
    cli.text(&line);
    let state = StateArg { state: cli.state.clone() };
    let mut store = state.open(crate::account::store::IfMissing::Refuse).expect("there");
    let name = crate::account::AccountName::parse("demo").expect("a name");
    let (_, hash) = store.account_password(&name).expect("readable").expect("set");
    assert!(hash.matches("a good password") && !hash.matches("a good password\n"));
    std::fs::write(&file, "short").expect("written");
    cli.assert_fails(&line, 2, "10 to 200 characters; found 5");
    cli.assert_fails("account set demo --password-file /no/such/file", 1, "cannot be read");
    cli.assert_fails("account set nobody --password-file /no/such/file", 1, "cannot be read");
}

#[test]
fn quotas_from_the_command_line() {
    let cli = TestCli::with_demo();
    let none = "PLAN        RATE  BURST  MONTHLY\n\
                standard    none  none   none\n\
                premium     none  none   none\n\
                enterprise  none  none   none\n";
    assert_eq!(cli.text("plan list"), none);
    let set = cli.json("plan set standard --rate 10 --burst 20");
    let expected = serde_json::json!({
        "plan": "standard",
        "quota": { "rate": 10, "burst": 20, "monthly": null },
    });
    assert_eq!(set, expected);
    assert_eq!(cli.json("plan list")[0], expected);
    let set = cli.json("plan set standard --monthly 5000");
    assert_eq!((&set["quota"]["rate"], &set["quota"]["monthly"]), (&10.into(), &5000.into()));

    let shown = cli.text("account show demo");
    let quota = "\nRATE  BURST  SOURCE  MONTHLY  SOURCE\n10    20     plan    5000     plan\n";
    assert!(shown.contains(quota), "{shown}");
    let own = cli.json("account set demo --rate 3 --monthly none");
    let expected = serde_json::json!({
        "rate": 3, "burst": 3, "monthly": null, "rate_of": "account", "monthly_of": "account",
    });
    assert_eq!(own["quota"], expected);
    let back = cli.json("account set demo --rate plan --monthly plan")["quota"].clone();
    assert_eq!((&back["burst"], &back["monthly_of"]), (&20.into(), &"plan".into()));
    assert!(!cli.text("account create other --plan premium").contains("RATE"));
    for value in ["many", "plan"] {
        let expected = format!("expected a whole number or none; found \"{value}\"");
        cli.assert_fails(&format!("plan set premium --rate {value}"), 2, &expected);
        cli.assert_fails(&format!("plan set premium --monthly {value}"), 2, &expected);
    }
    cli.assert_fails("account set demo --rate many", 2, "expected a whole number, none or plan");
    cli.assert_fails(
        "plan set premium --rate none --burst 5",
        2,
        "--burst needs --rate with a number",
    );
    cli.assert_fails("account set demo --rate 5 --burst 1000001", 2, "found 1000001");
    let without_state = TestCli::new();
    without_state.assert_fails("plan list", 1, "the file does not exist");
    without_state.assert_fails("plan set standard --rate 5", 1, "the file does not exist");
}

#[test]
fn keys_from_the_command_line() {
    let cli = TestCli::with_demo();
    let line = "key create --account demo --kind public \
                --origin https://B.example --origin https://a.example";
    let public = cli.json(line);
    let text = public["key"].as_str().expect("the key");
    let parsed = ApiKey::parse(text).expect("well formed");
    assert_eq!(
        (&public["beginning"], &public["label"]),
        (&parsed.beginning().into(), &Value::Null)
    );
    assert_eq!(public["origins"].to_string(), r#"["https://a.example","https://b.example"]"#);

    let shown = cli.text("key create --account demo --kind secret");
    let secret = shown.lines().next().expect("a line");
    ApiKey::parse(secret).expect("alone on the first line");
    assert!(shown.contains("not shown again"), "{shown}");
    assert_eq!(shown.matches("dk_sec_").count(), 1);

    let listed = cli.text("key list --account demo");
    assert!(listed.contains(&format!("{}…", parsed.beginning())), "{listed}");
    assert!(!listed.contains(text) && !listed.contains(secret), "{listed}");
    assert_eq!(listed.lines().count(), 3);
    let labelled = cli.json("key create --account demo --kind secret --label 注文");
    assert_eq!((&labelled["label"], &labelled["used_at"]), (&"注文".into(), &Value::Null));
    let listed = cli.text("key list");
    let heading = ["ID", "ACCOUNT", "KIND", "KEY", "LABEL", "CREATED", "LAST", "USE", "FROM"];
    let found: Vec<&str> = listed.lines().next().expect("a line").split_whitespace().collect();
    assert_eq!(found[..9], heading);
    assert!(listed.lines().nth(3).expect("a third").contains("…  注文  "), "{listed}");
    assert_eq!(cli.json("key list")[1]["revoked_at"], Value::Null);

    let ending = cli.json("key create --account demo --kind secret --expires 90d");
    assert!(ending["expires_at"].is_string() && labelled["expires_at"].is_null(), "{ending}");
    let line = "key create --account demo --kind secret --expires 2099-12-31";
    assert_eq!(cli.json(line)["expires_at"], "2099-12-31T15:00:00Z");

    let shown = cli.text("key create --account demo --kind secret --expires 2099-12-31");
    assert!(shown.ends_with("It works until 2099-12-31T15:00:00Z.\n"), "{shown}");

    // Revoked by number and by text; revoking again changes nothing.
    let revoked = cli.json(&format!("key revoke 1 {secret}"));
    assert!(revoked[0]["revoked_at"].is_string() && revoked[1]["revoked_at"].is_string());
    assert_eq!(cli.json("key revoke 1")[0], revoked[0]);
    let keys = cli.json("account show demo")["keys"].clone();
    assert_eq!((&keys[0], &keys[1]), (&revoked[0], &revoked[1]));
}

#[test]
fn wrong_key_commands_are_refused() {
    let cli = TestCli::with_demo();
    let create = "key create --account demo --kind";
    cli.assert_fails(&format!("{create} secret --origin https://a.example"), 2, "public keys only");
    for (wrong, expected) in [
        ("2020-01-01", "--expires: expected today or a later day; found 2020-01-01"),
        ("soon", "such as 90d; found \"soon\""),
        ("0d", "found \"0d\""),
    ] {
        cli.assert_fails(&format!("{create} secret --expires {wrong}"), 2, expected);
    }
    cli.assert_fails(&format!("{create} master"), 2, "public, secret");
    cli.assert_fails(&format!("{create} public --origin https://*.a.example"), 2, "a wildcard");
    cli.assert_fails(
        &format!("{create} secret --label {}", "x".repeat(61)),
        2,
        "found 61 characters",
    );
    cli.assert_fails(&format!("{create} secret --label="), 2, "found 0 characters");
    cli.assert_fails("key create --account nobody --kind secret", 1, "the existing accounts: demo");
    cli.assert_fails("key list --account nobody", 1, "the existing accounts: demo");
    cli.assert_fails("key revoke", 2, "KEY_OR_ID");
    cli.assert_fails("key revoke demo", 1, "key 1 of 1: a key is named by its number");
    assert_eq!(cli.text("key list").lines().count(), 1);

    // Valid keys are revoked. The errors of the other arguments do not repeat their text.
    let secret = cli.json(&format!("{create} secret"));
    let cut = &secret["key"].as_str().expect("the key")[..40];
    let error = cli.run(&format!("key revoke {cut} 1 77")).expect_err("two of three");
    let message = error.to_string();
    assert_eq!(message.lines().count(), 2, "{message}");
    assert!(message.contains("key 1 of 3: ") && message.contains("key 3 of 3: "), "{message}");
    assert!(!message.contains(cut), "{message}");
    assert!(cli.json("key list")[0]["revoked_at"].is_string());
}

#[test]
fn a_key_that_could_not_be_printed_is_revoked() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let cli = TestCli::with_demo();
    let line = "key create --account demo --kind secret";
    let error = cli.run_to(line, &mut Full).expect_err("the output is full");
    assert_eq!(error.exit_code(), 1);
    assert!(cli.json("key list")[0]["revoked_at"].is_string());
}

#[test]
fn unusable_state_locations_are_refused() {
    let mut cli = TestCli::new();
    for (state, code, expected) in [
        ("postgres://user:hidden@db.example/daicho?sslmode=maybe", 2, "sslmode"),
        ("postgres://user:hidden@localhost:nine/daicho", 2, "found another form"),
        ("mysql://user:hidden@localhost/daicho", 2, "found a URL with the scheme mysql"),
        ("postgres://user:hidden@127.0.0.1:1/daicho", 1, "user@127.0.0.1:1/daicho: the database"),
    ] {
        cli.state = state.into();
        for line in ["account list", "account create demo --plan standard", "key list"] {
            cli.assert_fails(line, code, expected);
            let message = cli.run(line).expect_err("refused").to_string();
            assert!(!message.contains("hidden"), "{message}");
        }
    }
    cli.state = PathBuf::new();
    cli.assert_fails("account create demo --plan standard", 2, "a value is required");
    cli.state = "/absent/folder/daicho.db".into();
    cli.assert_fails("account create demo --plan standard", 1, "create the folder");
    let cli = TestCli::new();
    std::fs::write(&cli.state, b"rubbish, and more of it than a header is long".repeat(9))
        .expect("written");
    cli.assert_fails("account list", 3, "expected an SQLite file");
}

#[test]
fn webhooks_from_the_command_line() {
    let cli = TestCli::with_demo();
    assert_eq!(cli.json("account show demo")["webhook"], Value::Null);
    cli.assert_fails("account set demo --webhook-secret rotate", 1, "the account has no webhook");
    cli.assert_fails("webhook test demo", 1, "the account has no webhook");
    let refused = "account set demo --webhook https://shop.example/hook";
    cli.assert_fails(
        refused,
        1,
        "needs the premium plan or above; the account has the standard plan",
    );
    let lowered = format!("{refused} --plan standard --batch true");
    cli.assert_fails(&lowered, 1, "the webhook was not set");
    let shown = cli.json("account show demo");
    assert_eq!(
        (&shown["webhook"], &shown["batch"]),
        (&Value::Null, &false.into()),
        "nothing changed"
    );
    cli.text("account set demo --plan premium");
    let set = cli.json("account set demo --webhook https://shop.example/hook");
    assert_eq!(set["webhook"]["url"], "https://shop.example/hook");
    let first = set["webhook"]["secret"].as_str().expect("shown once").to_owned();
    assert!(first.starts_with("whsec_"), "{first}");
    let moved = cli.json("account set demo --webhook https://other.example");
    assert_eq!(moved["webhook"], serde_json::json!({ "url": "https://other.example/" }));
    let rotated = cli.json("account set demo --webhook-secret rotate");
    assert_ne!(rotated["webhook"]["secret"], *first);
    let both =
        "account set demo --plan premium --webhook https://shop.example --webhook-secret rotate";
    let both = cli.json(both);
    assert!(both["webhook"]["secret"].is_string() && both["plan"] == "premium");
    let shown = cli.text("account set demo --webhook-secret rotate");
    assert!(shown.contains("\nwhsec_") && shown.contains("Copy it now"), "{shown}");
    let shown = cli.text("account show demo");
    assert!(shown.contains("https://shop.example/; it watches 0 corporations"), "{shown}");
    assert!(!shown.contains("whsec_"), "{shown}");
    let shown = cli.text("account set demo --webhook none");
    assert!(shown.contains("The webhook was removed"), "{shown}");
    assert_eq!(cli.json("account set demo --webhook none")["webhook"], Value::Null);
}

#[test]
fn deliveries_from_the_command_line() {
    let cli = TestCli::with_demo();
    assert_eq!(cli.json("webhook list"), serde_json::json!([]));
    cli.text("account set demo --plan premium --webhook https://shop.example");
    let made = cli.json("webhook test demo");
    assert_eq!((&made[0]["kind"], &made[0]["state"]), (&"test".into(), &"waiting".into()));
    let id = made[0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(cli.json("webhook list --account demo --limit 5"), made);
    let table = cli.text("webhook list");
    assert!(table.starts_with("ID") && table.contains(&id), "{table}");
    assert_eq!(cli.json(&format!("webhook show {id}")), serde_json::json!([]));
    assert_eq!(cli.json(&format!("webhook redeliver {id}"))[0]["id"], id);
    let other = "msg_aaaaaaaaaaaaaaaaaaaaaaaa";
    for verb in ["show", "redeliver"] {
        cli.assert_fails(&format!("webhook {verb} {other}"), 1, "no delivery has the id");
        cli.assert_fails(&format!("webhook {verb} nonsense"), 2, "a delivery id is msg_");
    }
    cli.assert_fails("webhook list --account nobody", 1, "\"nobody\"");
    cli.assert_fails("webhook test nobody", 1, "\"nobody\"");
    cli.assert_fails("webhook list --limit 0", 2, "0 is not in 1..=10000");
    cli.assert_fails("account set demo --webhook shop.example", 2, "does not begin with http");
    cli.assert_fails("account set demo --webhook https://u:p@shop.example", 2, "user name");
    cli.assert_fails("account set demo --webhook-secret keep", 2, "rotate");
    let contrary = "account set demo --plan enterprise --webhook none --webhook-secret rotate";
    cli.assert_fails(contrary, 2, "--webhook-secret needs a webhook");
    assert_eq!(
        cli.json("account show demo")["plan"],
        "premium",
        "a refused command changes nothing"
    );
}

/// A premium account `shop` with a webhook.
fn cli_with_webhook() -> TestCli {
    let cli = TestCli::new();
    cli.text("account create shop --plan premium");
    cli.text("account set shop --webhook https://shop.example/hook");
    cli
}

#[test]
fn a_whole_file_is_watched() {
    let cli = cli_with_webhook();
    let table = "取引先,登録番号,電話\n\
                 台帳,T6010001999901,0312345678\n\
                 商事,T5010001999902,\n\
                 一太郎,T9810999999902,\n\
                 重複,t6010001999901,\n\
                 未定,申請中,\n\
                 無し,,\n";
    let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode(table);
    let file = cli.file("suppliers.csv", &sjis);
    for column in ["--column 登録番号", "--column 2", ""] {
        let added = cli.json(&format!("watch add {file} {column} --account shop"));
        assert_eq!((&added["register"], &added["numbers"]), (&"invoice".into(), &3.into()));
        assert_eq!(added["watched"], 3, "{column}");
        let left_out = serde_json::json!([
            { "line": 5, "text": "t6010001999901", "reason": "duplicate" },
            { "line": 6, "text": "申請中", "reason": "not_a_number" },
        ]);
        assert_eq!((&added["left_out"], &added["blank"]), (&left_out, &1.into()), "{column}");
        let unchecked = serde_json::json!([{ "line": 4, "number": "T9810999999902" }]);
        assert_eq!(added["wrong_check_digit"], unchecked);
    }
    let again = cli.text(&format!("watch add {file}"));
    assert!(
        again.starts_with("3 numbers read, 0 added; shop now watches 3 invoice issuers."),
        "{again}"
    );
    assert!(
        again.contains("left out: 2\n  line 5: \"t6010001999901\", it is in an earlier line too\n")
    );
    assert!(again.contains("line 4: T9810999999902\n") && again.contains("1 row without a number"));
    let listed = cli.text("watch list --register invoice");
    assert_eq!(listed, "T5010001999902\nT6010001999901\nT9810999999902\n");
    assert_eq!(cli.json("watch list"), serde_json::json!([]), "corporations have another list");
    // The same file as corporate numbers: the individual is none.
    let added = cli.json(&format!("watch add {file} --register corporate"));
    assert_eq!((&added["added"], &added["left_out"][0]["line"]), (&2.into(), &4.into()));
    assert_eq!(added["left_out"][0]["reason"], "wrong_check_digit");
    assert_eq!(cli.text("watch list"), "5010001999902\n6010001999901\n");
    let shown = cli.json("account show shop");
    assert_eq!((&shown["watched"], &shown["watched_issuers"]), (&2.into(), &3.into()));
    // A list without a header.
    let list = cli.file("former.txt", b"6010001999901\n7000012050002\n");
    let removed = cli.json(&format!("watch remove {list}"));
    assert_eq!((&removed["removed"], &removed["watched"]), (&1.into(), &1.into()));
    let removed = cli.text(&format!("watch remove {list} --register invoice"));
    assert!(removed.contains("1 removed; shop now watches 2 invoice issuers."), "{removed}");
}

#[test]
fn an_account_has_a_maximum_number_of_live_keys() {
    let cli = TestCli::with_demo();
    let create = "key create --account demo --kind secret --account-keys-max";
    let first = cli.json(&format!("{create} 1 --expires 90d"));
    let expected =
        "at most 1 live keys; demo has 1; revoke some, or allow more with --account-keys-max";
    cli.assert_fails(&format!("{create} 1"), 1, expected);
    cli.text(&format!("{create} 2"));
    // Revoked keys do not count.
    cli.text(&format!("key revoke {}", first["id"]));
    cli.text(&format!("{create} 2"));
    cli.assert_fails(&format!("{create} 0"), 2, "0 is not in 1..");
}

#[test]
fn a_file_that_does_not_fit_is_not_watched_at_all() {
    let cli = cli_with_webhook();
    let file = cli.file("list.txt", b"6010001999901\n7000012050002\n5010001999902\n");
    let add = format!("watch add {file}");
    cli.assert_fails(&format!("{add} --watch-limit 2"), 1, "at most 2 numbers; this would make 3");
    assert_eq!(cli.text("watch list"), "");
    let none = cli.file("none.csv", "会社,番号\n台帳,未定\n".as_bytes());
    for (line, code, expected) in [
        (format!("{add} --column 番号"), 1, "no column '番号'"),
        (format!("{add} --column 7"), 1, "no column 7"),
        (format!("{add} --column 0"), 2, "columns are numbered from 1"),
        (format!("{add} --register bank"), 2, "corporate, invoice"),
        (format!("{add} --account other"), 1, "shop"),
        (format!("watch add {file}.gone"), 1, "cannot read"),
        (format!("watch add {none} --column 番号"), 1, "found line 2: \"未定\""),
    ] {
        cli.assert_fails(&line, code, expected);
    }
    let mixed = cli.file("mixed.txt", b"T6010001999901\n7000012050002\n");
    let expected = "found T6010001999901 in line 1 and 7000012050002 in line 2";
    cli.assert_fails(&format!("watch add {mixed}"), 2, expected);
    assert_eq!(cli.json(&format!("watch add {mixed} --register invoice"))["added"], 2);
    // Which account is meant, and whether it may watch.
    cli.text("account create demo --plan standard");
    cli.assert_fails(&format!("{add} --account demo"), 1, "remium");
    cli.text("account create second --plan premium");
    cli.assert_fails(&format!("{add} --account second"), 1, "the account has no webhook");
    assert_eq!(cli.json(&add)["account"], "shop", "the only one with a webhook");
    cli.text("account set second --webhook https://second.example");
    cli.assert_fails(&add, 2, "--account is missing");
}
