//! The language of what commands print: each command with the real program, once in each language. Accounts, files and folders
//! have names that the table has rows for (`holidays`, `no release`, `standard output`): they must stay as they are.

use std::fs;
use std::path::Path;

use daicho::language::{japanese_lines, own};

use crate::language::{JAPANESE, english_line, program, stderr, stdout};
use crate::sample::sample;

/// The arguments, the exit code, and parts of the output in English and in Japanese.
type Step = (&'static [&'static str], i32, &'static [&'static str], &'static [&'static str]);

const ACCOUNTS: &[Step] = &[
    (
        &["account", "create", "holidays", "--plan", "enterprise"],
        0,
        &["NAME ", "Requests that do not name an API version get ", "For a client written for\n"],
        &["NAME ", "バージョンを指定しないリクエストに使うAPIバージョンは", "別のバージョン用の"],
    ),
    (
        &["key", "create", "--account", "holidays", "--kind", "secret", "--expires", "90d"],
        0,
        &["\nKey 1: a secret key of the account holidays.\n", "\nIt works until "],
        &["\nAPIキー1: アカウントholidaysのシークレットキー。\n", "\n有効期限は"],
    ),
    (
        &["key", "create", "--account", "holidays", "--kind", "public", "--label", "none"],
        0,
        &["No --origin was given, so the key works only from pages on localhost.\n"],
        &["--originの指定がないため、このキーはlocalhostのページからだけ使えます。\n"],
    ),
    (
        &["account", "set", "holidays", "--webhook", "https://shop.example/hook"],
        0,
        &["\nIts webhook is https://shop.example/hook. The secret is:\n", "valid for one day.\n"],
        &["\nWebhookはhttps://shop.example/hookです。シークレット:\n", "1日間有効です。\n"],
    ),
    (
        &["watch", "add", "numbers.csv"],
        0,
        &[
            "1 number read, 1 added; holidays now watches 1 corporation.\n",
            "left out: 2\n",
            "  line 3: \"7000012050002\", it is in an earlier line too\n",
            "  line 4: \"no release\", no number of 13 digits\n",
        ],
        &[
            "番号を1件読み、1件を追加しました。holidaysが監視しているのは1法人です。\n",
            "除外: 2件\n",
            "  3行目: \"7000012050002\"（前の行にもあります）\n",
            "  4行目: \"no release\"（13桁の番号ではありません）\n",
        ],
    ),
    (
        &["account", "show", "holidays"],
        0,
        &["it watches 1 corporation and 0 invoice issuers.\n", "none", "localhost only"],
        &["1法人と適格請求書発行事業者0件を監視しています。\n", "none", "localhost only"],
    ),
    (
        &["watch", "remove", "numbers.csv"],
        0,
        &["1 number read, 1 removed; holidays now watches 0 corporations.\n"],
        &["番号を1件読み、1件を外しました。holidaysが監視しているのは0法人です。\n"],
    ),
    (
        &["key", "revoke", "1", "9"],
        1,
        &["REVOKED", "daicho: key 2 of 2: "],
        &["REVOKED", "daicho: 2個中2個目のAPIキー: "],
    ),
    (
        &["backup", "holidays"],
        0,
        &[
            "holidays: 1 account, 2 keys, ",
            "  without the key of webhook secrets (./daicho.db.webhook-key): keep ",
        ],
        &[
            "holidays: アカウント1件、APIキー2個、全",
            "  Webhookの鍵（./daicho.db.webhook-key）は含みません。鍵の控えを",
        ],
    ),
    (
        &["restore", "holidays", "--dry-run", "--overwrite"],
        0,
        &["would restore the backup of ", "the state file ./daicho.db: 1 account, 2 keys, "],
        &["復元対象: ", "  状態ファイル./daicho.db: アカウント1件、APIキー2個、全"],
    ),
    (
        &["account", "delete", "holidays"],
        2,
        &["cannot ask for confirmation to delete the account holidays with 2 keys, "],
        &["確認（アカウントholidaysと、そのAPIキー2個、"],
    ),
    (
        &["account", "delete", "holidays", "--yes"],
        0,
        &["Deleted the account holidays with 2 keys, ", " and 0 days of usage.\n"],
        &["アカウントholidaysと、そのAPIキー2個、", "、利用状況0日分を削除しました。\n"],
    ),
    (&["plan", "list"], 0, &["PLAN ", "none"], &["PLAN ", "none"]),
];

const SNAPSHOTS: &[Step] = &[
    (
        &["snapshot", "list", "--snapshots", "empty"],
        0,
        &["no snapshots in empty\n"],
        &["emptyにスナップショットがありません\n"],
    ),
    (&["snapshot", "verify"], 0, &["sound    "], &["正常     "]),
    (
        &["snapshot", "install", "bank.daicho", "--snapshots", "no release"],
        0,
        &["installed no release/bank/2026-05-25.daicho\n"],
        &["インストールしました: no release/bank/2026-05-25.daicho\n"],
    ),
    (
        &["snapshot", "prune", "--keep", "1", "--snapshots", "no release"],
        0,
        &["nothing to remove\n"],
        &["削除するものはありません\n"],
    ),
    (&["snapshot", "prune", "--keep", "1", "--dry-run"], 0, &["would remove "], &["削除対象: "]),
    (
        &["config", "check", "daicho.toml"],
        0,
        &["daicho.toml: 1 setting, all usable\n"],
        &["daicho.toml: 設定1件、すべて使えます\n"],
    ),
    (
        &["corrections", "check", "--corrections", "standard output"],
        0,
        &[
            "bank.csv, line 2: change institution 0001 from 2026-06-01 on: needed\n",
            "standard output: 1 needed, 0 caught up, 0 faults\n",
        ],
        &[
            "bank.csvの2行目: change 金融機関 0001（2026-06-01から）: 必要\n",
            "standard output: 必要1件、反映済み0件、誤り0件\n",
        ],
    ),
    (
        &["corrections", "check", "--snapshots", "empty", "--corrections", "standard output"],
        0,
        &["bank.csv: 1 row not compared, since no bank data are in empty\n"],
        &["bank.csv: emptyにbankデータがないため、1行を照合していません\n"],
    ),
    (
        &["export", "bank", "--corrections", "standard output", "--output", "out.csv"],
        0,
        &["with 1 correction of yours: bank.csv, line 2\n"],
        &["独自の補正1件を適用: bank.csvの2行目\n"],
    ),
    (
        &["corrections", "check", "--snapshots", "empty", "--corrections", "empty"],
        0,
        &["empty: no corrections\n"],
        &["empty: 補正はありません\n"],
    ),
];

const LOOK_UPS: &[Step] = &[
    (
        &["lookup", "postal", "1000001"],
        0,
        &["1000001  (data version 2026-06-30)\n", "the postal data are made up"],
        &["1000001  （データバージョン2026-06-30）\n", "postalデータは試用のための架空のもの"],
    ),
    (&["lookup", "bank", "0001"], 0, &["branch"], &["支店\n"]),
    (
        &["lookup", "corporate", "5010001999902"],
        0,
        &["  kind 301, process ", ", updated 2026-08-03\n"],
        &["  種別301、処理区分", "、更新2026-08-03\n"],
    ),
    (
        &["lookup", "corporate", "2010001999905"],
        0,
        &["  closed 2024-04-01 (cause 11)\n"],
        &["  閉鎖2024-04-01（事由11）\n"],
    ),
    (
        &["lookup", "corporate", "5010001999902", "--history"],
        0,
        &["  (data versions to 2026-08-03)\n", "台帳物産株式会社  (version 2026-08-03)\n"],
        &["  （データバージョン2026-08-03まで）\n", "台帳物産株式会社  （バージョン2026-08-03）\n"],
    ),
    (
        &["lookup", "invoice", "T5010002999901", "--date", "2024-06-01"],
        0,
        &[
            "  process ",
            ", registered ",
            "  earlier: 2023-10-01 until 2024-03-31\n",
            "  not registered on 2024-06-01\n",
        ],
        &[
            "  処理区分",
            "、登録",
            "  以前の登録: 2023-10-01から2024-03-31まで\n",
            "  2024-06-01には登録されていません\n",
        ],
    ),
    (
        &["lookup", "invoice", "T5430001999901", "--date", "2030-01-01"],
        0,
        &[", lapsed 2027-03-31", "  unknown on 2030-01-01: the data are of 2026-08-04\n"],
        &[
            "、効力を失った日2027-03-31",
            "  2030-01-01の登録は不明です（データは2026-08-04のものです）\n",
        ],
    ),
    (
        &["lookup", "school", "C113210009905"],
        0,
        &["中学校, 公立, 廃校", "  abolished 2025-04-01\n", "  now C213210009913\n"],
        &["中学校, 公立, 廃校", "  廃止2025-04-01\n", "  現在の学校コード: C213210009913\n"],
    ),
    (
        &["search", "address", "東京都千代田区千代田"],
        0,
        &["2 records in data version 2026-06-30\n", "prefecture     東京都\n"],
        &["2件（データバージョン2026-06-30）\n", "prefecture     東京都\n"],
    ),
    (
        &["search", "corporate", "台帳", "--limit", "1"],
        0,
        &[" corporations in data version 2026-08-03; 1 shown, --limit shows more\n"],
        &["法人（データバージョン2026-08-03）。1件を表示（--limitで増やせます）\n"],
    ),
    (
        &["search", "corporate", "どこにもない"],
        1,
        &["nothing found in version 2026-08-03"],
        &["バージョン2026-08-03では見つかりません"],
    ),
    (
        &["get", "/v1/bank?nope=1"],
        0,
        &[
            "daicho: unknown parameter nope has no effect; 'daicho get --help' lists the parameters\n",
        ],
        &[
            "daicho: パラメーターnopeはないため、無効です。パラメーターの一覧は'daicho get --help'で",
        ],
    ),
];

const FILES: &[Step] = &[
    (
        &["normalize", "addresses.csv", "--column", "住所", "--output", "out.csv"],
        0,
        &[
            "2 rows in ",
            " rows/s), data version 2026-06-30\n",
            "  without postal code              1",
        ],
        &["2行、", "行）、データバージョン2026-06-30\n", "  郵便番号なし                     1"],
    ),
    (
        &["match", "addresses.csv", "--name-column", "会社名", "--output", "out.csv"],
        0,
        &["2 rows, ", "/s in ", " s, data version 2026-08-03\n", "  none "],
        &["2行、毎秒", "行、", "秒、データバージョン2026-08-03\n", "  none "],
    ),
    (
        &["export", "bank", "--format", "csv", "--output", "holidays.out"],
        0,
        &[" rows of bank 2026-05-25 in ", " s: holidays.out\n", "show with the data: "],
        &[
            "bank 2026-05-25の",
            "秒で書き出しました: holidays.out\n",
            "データとともに表示する出典: ",
        ],
    ),
    (
        &["export", "bank", "--format", "csv", "--output", "-"],
        0,
        &[" s: standard output\n"],
        &["秒で書き出しました: 標準出力\n"],
    ),
    (
        &["export", "holidays", "--layout", "holiday_jp", "--output", "package"],
        0,
        &[" entries of holidays (by ", " in the layout of holiday_jp: package\n"],
        &["祝日（", "項目をholiday_jpの形式で書き出しました: package\n"],
    ),
    (
        &["update", "holidays", "--from", "from", "--dry-run", "--snapshots", "empty"],
        0,
        &[" is new; none is installed\n", "           would fetch "],
        &["が公開されています。まだインストールしていません\n", "           ダウンロード予定: "],
    ),
    (
        &["update", "holidays", "--from", "from", "--snapshots", "empty"],
        0,
        &[" holidays of 1955 to 2027; empty/holidays/"],
        &[": 1955年から2027年までの祝日", "件。empty/holidays/"],
    ),
    (
        &["update", "holidays", "--from", "from", "--snapshots", "empty"],
        0,
        &[", nothing new\n"],
        &["、新しいデータはありません\n"],
    ),
];

#[cfg(feature = "object-store")]
const RELEASES: &[Step] = &[
    (
        &["release", "list", "--releases", "file://{dir}/releases"],
        0,
        &["no releases in file://{dir}/releases\n"],
        &["file://{dir}/releasesにリリースはありません\n"],
    ),
    (
        &["node", "list", "--releases", "file://{dir}/releases"],
        0,
        &["no servers follow file://{dir}/releases\n"],
        &["file://{dir}/releasesを使うサーバーはありません\n"],
    ),
    (
        &["release", "push", "--activate", "--releases", "file://{dir}/releases"],
        0,
        &[
            "pushed: release ",
            " bytes; sent ",
            "\nactive: release ",
            " after none (generation 1)\n",
        ],
        &["発行しました: リリース", "バイト。送信", "\n有効: リリース", "（初めて、世代1）\n"],
    ),
    (
        &["release", "push", "--releases", "file://{dir}/releases"],
        0,
        &["unchanged: release ", "; sent 0 files of 0 bytes\n"],
        &["変更なし: リリース", "。送信0ファイル、0バイト\n"],
    ),
    (
        &["release", "prune", "--keep", "1", "--releases", "file://{dir}/releases"],
        2,
        &["confirmation to remove all but the newest 1 release of file://{dir}/releases: expected"],
        &["確認（file://{dir}/releasesの、最新のリリース1個以外を削除します）"],
    ),
    (
        &["release", "prune", "--keep", "1", "--yes", "--releases", "file://{dir}/releases"],
        0,
        &["removed 0 releases, 0 files of 0 bytes and 0 nodes\n"],
        &["削除しました: リリース0個、0ファイル（0バイト）、サーバー0台\n"],
    ),
];

const DOCTOR: Step = (
    &["doctor", "--offline", "--snapshots", "empty", "--listen", "127.0.0.1:1"],
    1,
    &[
        "ok       settings     no settings file, only options, variables and defaults; a server can start with",
        "error    snapshots    empty has no snapshots; run 'daicho build included' or 'daicho update'\n",
        "ok       server       none answers at 127.0.0.1:1\n",
    ],
    &[
        "ok       settings     設定ファイルなし（オプション、変数、デフォルトだけ）。この設定でサーバーを",
        "error    snapshots    emptyにスナップショットがありません。'daicho build included'または",
        "ok       server       127.0.0.1:1で応答するサーバーはありません\n",
    ],
);

/// A folder with what the steps read.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let write = |name: &str, text: &str| fs::write(at.join(name), text).expect("written");
    for name in ["empty", "from", "releases", "standard output"] {
        fs::create_dir(at.join(name)).expect("a folder");
    }
    write("numbers.csv", "法人番号\n7000012050002\n7000012050002\nno release\n");
    write("addresses.csv", "会社名,住所\n台帳商事,東京都千代田区千代田1-1\nどこにもない,どこか\n");
    write("daicho.toml", "age-days = 45\n");
    let columns = "action,code,name,katakana,valid_from,valid_to,reason,author";
    let row = "change,0001,空色,ソライロ,2026-06-01,,renamed,ops";
    write("standard output/bank.csv", &format!("{columns}\n{row}\n"));
    let holidays = (1955..=2027).flat_map(daicho::calendar::holidays);
    let lines =
        holidays.map(|day| format!("{},{}\r\n", day.date.strftime("%Y/%-m/%-d"), day.title));
    let list: String = lines.collect();
    write("from/syukujitsu.csv", &format!("国民の祝日・休日月日,国民の祝日・休日名称\r\n{list}"));
    let bank = sample().join("bank/2026-05-25.daicho");
    fs::copy(bank, at.join("bank.daicho")).expect("copied");
    folder
}

fn check(folder: &Path, steps: &[Step], is_japanese: bool) {
    let variables = if is_japanese { JAPANESE } else { &[] };
    for (arguments, code, english, japanese) in steps {
        let here = |text: &str| text.replace("{dir}", &folder.display().to_string());
        let output = program(variables)
            .args(arguments.iter().map(|argument| here(argument)))
            .env("DAICHO_SNAPSHOTS", sample())
            .current_dir(folder)
            .output()
            .expect("runs");
        let shown = stdout(&output) + &stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {shown}");
        for part in if is_japanese { *japanese } else { *english } {
            assert!(shown.contains(&here(part)), "{arguments:?}: {part}\nis not in:\n{shown}");
        }
        assert!(!shown.contains(['\u{fdd0}', '\u{fdd1}']), "{arguments:?}: {shown}");
        if is_japanese {
            assert_eq!(english_line(&shown), None, "{arguments:?}: {shown}");
        }
    }
}

/// Runs the steps in both languages, each in a folder of its own.
fn check_both(steps: &[Step]) {
    for is_japanese in [false, true] {
        check(workplace().path(), steps, is_japanese);
    }
}

#[test]
fn results_about_accounts_are_in_the_language() {
    check_both(ACCOUNTS);
}

#[test]
fn results_about_snapshots_are_in_the_language() {
    check_both(SNAPSHOTS);
}

#[test]
fn look_ups_are_in_the_language_and_data_stay() {
    check_both(LOOK_UPS);
}

#[test]
fn results_about_files_are_in_the_language() {
    check_both(FILES);
}

#[cfg(feature = "object-store")]
#[test]
fn results_about_releases_are_in_the_language() {
    check_both(RELEASES);
}

#[test]
fn the_checks_of_an_installation_are_in_the_language() {
    check_both(&[DOCTOR]);
}

/// What is shown on a terminal only, and what needs a site or a failure.
#[test]
fn questions_and_steps_have_a_japanese_text() {
    let name = own("holidays");
    for (text, expected) in [
        (
            format!("Really delete the account {name} with 1 key? It cannot be undone. [y/N]"),
            "アカウントholidaysと、そのAPIキー1個を削除します。元に戻せません。よろしいですか [y/N]",
        ),
        ("reading the base".to_owned(), "基準を読み込み中"),
        ("reading area".to_owned(), "areaを読み込み中"),
        ("sending postal/2026-06-30.daicho".to_owned(), "送信中: postal/2026-06-30.daicho"),
        ("1,234 rows, 56/s".to_owned(), "1,234行、毎秒56行"),
        (
            "warning: postal: 3 rows rejected in total".to_owned(),
            "警告: postal: 取り込めない行は合計3行",
        ),
        (
            format!("active for {name} from 2026-12-01T00:00:00Z on"),
            "holidaysで2026-12-01T00:00:00Zから有効",
        ),
        (
            format!("{}: release 3 after 2 (generation 4, 2 nodes)", own("holidaysで有効")),
            "holidaysで有効: リリース3（前は2、世代4、サーバー2台）",
        ),
        (
            "2 characters missing in Shift_JIS were written as 〓: 𠮷 (U+20BB7), 𩸽 (U+29E3D); \
             use --output-encoding utf-8 to keep them"
                .to_owned(),
            "Shift_JISにない2文字を〓で書き出しました: 𠮷 (U+20BB7), 𩸽 (U+29E3D)。\
             残すには--output-encoding utf-8を指定してください",
        ),
        (format!("{name}: {name}"), "holidays: holidays"),
    ] {
        assert_eq!(japanese_lines(&text), expected, "{text}");
    }
}
