//! The examples at the end of each command's `--help` and manual page. A test parses every line.

use std::fmt::Write as _;

/// The words of a command, and its examples.
pub type Examples = (&'static [&'static str], &'static [&'static str]);

/// In the order of the commands. The examples of `build` and `lookup` are beside these commands, those of `normalize` beside
/// its long help text.
#[rustfmt::skip] // One group per command.
const EXAMPLES: &[Examples] = &[
    (&["serve"], &[
        "daicho serve --snapshots snapshots --listen 127.0.0.1:8080",
        "daicho serve --update daily --public-url https://daicho.example",
        #[cfg(feature = "object-store")]
        "daicho serve --snapshots s3://bucket/daicho --cache cache --cache-size 40G",
    ]),
    (&["update"], &[
        "daicho update",
        "daicho update postal bank --check",
        "daicho update corporate --keep 3",
        #[cfg(feature = "object-store")]
        "daicho update --publish s3://bucket/daicho --signing-key private.pem",
    ]),
    (&["snapshot"], &["daicho snapshot list", "daicho snapshot prune --keep 12 --dry-run"]),
    (&["snapshot", "list"], &["daicho snapshot list", "daicho snapshot list --json"]),
    (&["snapshot", "inspect"], &[
        "daicho snapshot inspect",
        "daicho snapshot inspect snapshots/postal/2026-05-29.daicho",
    ]),
    (&["snapshot", "verify"], &["daicho snapshot verify"]),
    (&["corrections"], &["daicho corrections template bank", "daicho corrections check"]),
    (&["corrections", "check"], &["daicho corrections check", "daicho corrections check --snapshots snapshots --json"]),
    (&["corrections", "template"], &["daicho corrections template bank"]),
    (&["snapshot", "install"], &["daicho snapshot install /tmp/2026-05-29.daicho --snapshots snapshots"]),
    (&["snapshot", "prune"], &["daicho snapshot prune --keep 12 --dry-run"]),
    #[cfg(feature = "object-store")]
    (&["release"], &["daicho release push --to s3://bucket/daicho --activate", "daicho release rollback --releases s3://bucket/daicho"]),
    #[cfg(feature = "object-store")]
    (&["release", "push"], &[
        "daicho release push --snapshots snapshots --to s3://bucket/daicho --activate",
        "daicho release push --dataset postal --to file:///srv/releases --signing-key private.pem",
        "daicho release push --to s3://garage-bucket/daicho --activate --state postgres://daicho@db.example/daicho",
    ]),
    #[cfg(feature = "object-store")]
    (&["release", "list"], &["daicho release list --releases s3://bucket/daicho"]),
    #[cfg(feature = "object-store")]
    (&["release", "show"], &["daicho release show 12 --releases s3://bucket/daicho --release-key public.pem"]),
    #[cfg(feature = "object-store")]
    (&["release", "activate"], &[
        "daicho release activate 12 --label canary --releases s3://bucket/daicho",
        "daicho release activate 12 --quorum 80% --timeout 5m --at 2026-11-24T03:00:00+09:00 --releases s3://bucket/daicho",
    ]),
    #[cfg(feature = "object-store")]
    (&["release", "rollback"], &["daicho release rollback --releases s3://bucket/daicho"]),
    #[cfg(feature = "object-store")]
    (&["release", "prune"], &["daicho release prune --keep 10 --dry-run --releases s3://bucket/daicho"]),
    #[cfg(feature = "object-store")]
    (&["node"], &["daicho node list --releases s3://bucket/daicho"]),
    #[cfg(feature = "object-store")]
    (&["node", "list"], &["daicho node list --releases s3://bucket/daicho --json"]),
    (&["account"], &["daicho account create shop --plan premium", "daicho account list"]),
    (&["account", "create"], &[
        "daicho account create shop --plan premium --batch",
        "daicho account create old-shop --plan standard --api-version 2024-01-01",
    ]),
    (&["account", "list"], &["daicho account list", "daicho account list --json"]),
    (&["account", "show"], &["daicho account show shop"]),
    (&["account", "set"], &[
        "daicho account set shop --rate 10 --monthly 1000000",
        "daicho account set shop --webhook https://shop.example/daicho",
    ]),
    (&["account", "delete"], &["daicho account delete shop", "daicho account delete shop --yes"]),
    (&["plan"], &["daicho plan list"]),
    (&["plan", "list"], &["daicho plan list"]),
    (&["plan", "set"], &["daicho plan set standard --rate 10 --burst 50 --monthly 1000000"]),
    (&["key"], &["daicho key create --account shop --kind secret", "daicho key list"]),
    (&["key", "create"], &[
        "daicho key create --account shop --kind secret --label 'order service'",
        "daicho key create --account shop --kind public --origin https://shop.example",
    ]),
    (&["key", "list"], &["daicho key list --account shop"]),
    (&["key", "revoke"], &["daicho key revoke 3"]),
    (&["webhook"], &["daicho webhook list", "daicho webhook test shop"]),
    (&["webhook", "list"], &["daicho webhook list --account shop --limit 20"]),
    (&["webhook", "show"], &["daicho webhook show msg_2mxc5rv7kqpanwz7tyb3hd4f"]),
    (&["webhook", "redeliver"], &["daicho webhook redeliver msg_2mxc5rv7kqpanwz7tyb3hd4f"]),
    (&["webhook", "test"], &["daicho webhook test shop"]),
    (&["watch"], &[
        "daicho watch add customers.csv --column 法人番号",
        "daicho watch list --register invoice",
    ]),
    (&["watch", "add"], &[
        "daicho watch add customers.csv --column 法人番号 --account shop",
        "daicho watch add suppliers.xlsx --column 登録番号 --register invoice",
    ]),
    (&["watch", "remove"], &["daicho watch remove former-customers.csv --column 1 --register corporate"]),
    (&["watch", "list"], &["daicho watch list --account shop --register invoice"]),
    (&["get"], &[
        "daicho get /v1/postalcode/1000001",
        "daicho get '/v1/houjinbangou?q=name:台帳&limit=3'",
        "daicho get '/v1/bank/0001/branches?q=みほん' --snapshots snapshots",
    ]),
    (&["search"], &["daicho search address 東京都千代田区千代田1-1"]),
    (&["search", "address"], &[
        "daicho search address 東京都千代田区千代田1-1",
        "daicho search address --q 'city:港区 AND town:六本木' --limit 10",
    ]),
    (&["search", "corporate"], &[
        "daicho search corporate 'name:台帳 AND prefecture_name:東京都'",
        "daicho search corporate オープンコレクター --mode exact --json",
    ]),
    (&["export"], &[
        "daicho export postal --output postal.csv --bom",
        "daicho export corporate --output tokyo.jsonl --where 'prefecture_name:東京都'",
        "daicho export invoice --output invoice.parquet",
        "daicho export corporate --changes --output changes.csv",
        "daicho export school --format csv --output - | wc -l",
    ]),
    #[cfg(feature = "mcp")]
    (&["mcp"], &["daicho mcp --snapshots snapshots"]),
    (&["health"], &["daicho health", "daicho health http://127.0.0.1:8080"]),
    (&["doctor"], &["daicho doctor", "daicho doctor --config daicho.toml --offline --json"]),
    (&["backup"], &[
        "daicho backup /backups/daicho.backup",
        "daicho backup /backups/daicho.backup --state postgres://daicho@db.example/daicho --passphrase-file passphrase",
    ]),
    (&["restore"], &[
        "daicho restore /backups/daicho.backup --dry-run",
        "daicho restore /backups/daicho.backup --state daicho.db --overwrite",
    ]),
    (&["config"], &["daicho config show --config daicho.toml", "daicho config check daicho.toml"]),
    (&["config", "show"], &[
        "daicho config show --config daicho.toml",
        "daicho config show --listen 127.0.0.1:9000 --json",
    ]),
    (&["config", "check"], &["daicho config check daicho.toml"]),
];

/// The program with these examples, and with those that stand beside their commands.
pub fn with_examples(mut program: clap::Command, beside_commands: &[&[Examples]]) -> clap::Command {
    for (words, lines) in EXAMPLES.iter().chain(beside_commands.concat().iter()) {
        program = add_examples(program, words, lines);
    }
    program
}

/// Adds the lines to the command below `command` that these words name.
fn add_examples(command: clap::Command, words: &[&'static str], lines: &[&str]) -> clap::Command {
    match words {
        [] => command.after_help(help_text(lines)),
        [first, rest @ ..] => {
            command.mut_subcommand(*first, |inner| add_examples(inner, rest, lines))
        }
    }
}

fn help_text(lines: &[&str]) -> String {
    let mut text = String::from("\x1b[1m\x1b[4mExamples:\x1b[0m");
    for line in lines {
        write!(text, "\n  {line}").expect("writing to a string does not fail");
    }
    text
}
