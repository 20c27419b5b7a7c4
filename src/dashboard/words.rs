//! Every text of the dashboard, in English and in Japanese.
//!
//! One table: a text that lacks a language does not compile. `{}` stands for what the page puts in.
//! What the core says of a wrong value (an origin, a name) is shown as it is, in English, behind a
//! sentence of this table.

/// A language of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, the default.
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// The language of this code.
    pub fn parse(code: &str) -> Option<Language> {
        [Language::English, Language::Japanese].into_iter().find(|known| known.code() == code)
    }

    /// The code, as HTML and HTTP have it.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    /// Its name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Japanese => "日本語",
        }
    }

    /// The texts.
    pub fn words(self) -> &'static Words {
        match self {
            Language::English => &ENGLISH,
            Language::Japanese => &JAPANESE,
        }
    }
}

/// The table: name, English, Japanese.
macro_rules! words {
    ($($name:ident $english:literal $japanese:literal;)*) => {
        /// The texts of one language.
        #[derive(Debug)]
        pub struct Words {
            $(#[doc = $english] pub $name: &'static str,)*
        }

        static ENGLISH: Words = Words { $($name: $english,)* };
        static JAPANESE: Words = Words { $($name: $japanese,)* };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $japanese)),*];
    };
}

words! {
    // Frame.
    skip "Skip to content" "本文へ移動";
    navigation "Main" "メイン";
    account_pages "Account" "アカウント";
    copied "Copied" "コピーしました";
    copy "Copy" "コピー";
    error_codes "Error codes of the API" "API のエラーコード";
    go_on "Go to the dashboard" "ダッシュボードへ";
    save "Save" "保存";
    saved "Saved." "保存しました。";
    yes "yes" "あり";
    no "no" "なし";
    number "number" "番号";
    search "Search" "検索";

    // Faults.
    no_page "No such page" "ページがありません";
    no_page_more "There is no such page, or it is not yours to see." "ページがないか、表示する権限がありません。";
    refused "Not accepted" "受け付けられません";
    forged "A form from a page of this site was expected; found one from elsewhere. If a proxy stands before this server, have it pass on the Host header." "このサイトのページからの送信ではありません。プロキシを使っている場合は、Host ヘッダーをそのまま渡すよう設定してください。";
    stale "The form is from a session that ended. Load the page again and repeat." "このフォームは終了したセッションのものです。ページを再読み込みしてやり直してください。";
    too_large "At most {} bytes were expected; found more." "送信できるのは {} バイトまでです。";
    broken "The form did not arrive whole. Send it again." "送信が途中で切れました。もう一度送信してください。";
    busy "Busy" "混み合っています";
    busy_more "The dashboard has as many requests under way as it takes. Try again in a few seconds; the API is not affected." "処理中の要求が上限に達しています。数秒後にもう一度お試しください。API には影響ありません。";
    no_store "The store does not answer" "データストアが応答しません";
    no_store_more "Nothing was changed. Look-ups go on; the server's log says what is wrong." "変更は行われていません。API の検索は継続しています。原因はサーバーのログを確認してください。";
    no_action "This form does nothing that is known. Load the page again." "不明な操作です。ページを再読み込みしてください。";

    // Signing in.
    sign_in "Sign in" "ログイン";
    sign_in_first "Sign in first." "先にログインしてください。";
    sign_out "Sign out" "ログアウト";
    operator "Operator" "運営者";
    operator_hint "Leave it empty if you run this server." "サーバーの運営者は空欄のままにしてください。";
    account_name "Account name" "アカウント名";
    password "Password" "パスワード";
    wrong_password "The name or the password is wrong." "アカウント名またはパスワードが違います。";
    wait "Too many attempts. Try again in {} seconds." "試行回数が多すぎます。{} 秒後にもう一度お試しください。";

    // Figures.
    figures "Live figures" "稼働状況";
    requests "Requests" "リクエスト";
    requests_a_second "Requests a second" "毎秒リクエスト数";
    latency "Latency in ms" "応答時間 (ms)";
    median "Median" "中央値";
    p99 "99th percentile" "99 パーセンタイル";
    mean "Mean" "平均";
    client_errors "4xx" "4xx";
    server_errors "5xx" "5xx";
    errors_a_second "Errors a second" "毎秒エラー数";
    error_share "Errors" "エラー率";
    connections_open "Connections" "接続数";
    store "Store" "データストア";
    healthy "answers" "正常";
    failing "fails" "異常";
    ten_minutes_ago "10 minutes ago" "10 分前";
    now "now" "現在";
    since_start "Since the start" "起動以来";
    route "Route" "経路";
    nothing_yet "Nothing yet." "まだありません。";

    // Accounts.
    accounts "Accounts" "アカウント";
    no_accounts "There are no accounts yet." "アカウントはまだありません。";
    make_account "Create an account" "アカウントを作成";
    account_made "The account {} was created." "アカウント「{}」を作成しました。";
    account_exists "An account of this name exists. Choose another name." "同じ名前のアカウントがあります。別の名前にしてください。";
    bad_name "Not a name for an account:" "アカウント名として使えません:";
    plan "Plan" "プラン";
    plans "Plans" "プラン";
    choose_plan "Choose a plan." "プランを選んでください。";
    plan_standard "Standard" "スタンダード";
    plan_premium "Premium" "プレミアム";
    plan_enterprise "Enterprise" "エンタープライズ";
    batch "Batch" "一括検索";
    batch_option "Batch option" "一括検索オプション";
    may_sign_in "Password" "パスワード";
    password_optional "10 to 200 characters. Without one, the account's keys work but nobody can sign in for it." "10〜200 文字。空欄の場合、API キーは使えますがログインはできません。";

    // Settings.
    settings "Settings" "設定";
    api_version "API version" "API バージョン";
    api_version_used "Used where a request names none" "リクエストで指定がないときのバージョン";
    api_version_hint "A request chooses another with the header KenAll-API-Version or API-Version." "リクエストごとに KenAll-API-Version または API-Version ヘッダーで変更できます。";
    always_newest "always the newest" "常に最新";
    choose_version "Choose a version of the list." "一覧からバージョンを選んでください。";
    old_password "Current password" "現在のパスワード";
    new_password "New password" "新しいパスワード";
    bad_password "Not a password that can be set:" "このパスワードは設定できません:";
    wrong_old_password "The current password is wrong." "現在のパスワードが違います。";
    password_set "The password was set. Other sessions of the account have ended." "パスワードを設定しました。このアカウントの他のセッションは終了しました。";
    password_removed "The password was removed; nobody can sign in for this account." "パスワードを削除しました。このアカウントではログインできません。";
    password_hint "10 to 200 characters. Setting it ends the account's other sessions." "10〜200 文字。設定すると他のセッションは終了します。";
    password_operator_hint "10 to 200 characters. Setting or removing it ends the account's sessions." "10〜200 文字。設定または削除するとこのアカウントのセッションは終了します。";
    remove_password "Remove the password" "パスワードを削除";

    // Keys.
    keys "API keys" "API キー";
    key "Key" "キー";
    new_key "New key" "新しいキー";
    no_keys "There are no keys yet." "キーはまだありません。";
    live_keys "Live keys" "有効なキー";
    revoked_keys "Revoked keys" "無効化したキー";
    make_key "Create a key" "キーを作成";
    key_kind "Kind" "種類";
    choose_kind "Choose the kind of key." "キーの種類を選んでください。";
    secret_key "Secret key" "シークレットキー";
    public_key "Public key" "パブリックキー";
    secret_hint "for servers; works from anywhere" "サーバー用。どこからでも使えます";
    public_hint "for web pages; works from its origins only" "ウェブページ用。登録したオリジンからのみ使えます";
    origins "Origins, one a line" "オリジン (1 行に 1 つ)";
    origins_hint "Where a public key works, such as https://www.example.com. Without any it works from this machine's own pages only." "パブリックキーを使うページのオリジン (例: https://www.example.com)。空欄の場合は localhost からのみ使えます。";
    loopback_only "localhost only" "localhost のみ";
    bad_origin "Not an origin:" "オリジンとして使えません:";
    secret_has_no_origins "A secret key has no origins. Leave them empty, or make a public key." "シークレットキーにオリジンは設定できません。空欄にするか、パブリックキーを作成してください。";
    key_made "The key was created. It works within a second." "キーを作成しました。1 秒以内に使えるようになります。";
    shown_once "Copy the key now: it is shown this once." "今すぐコピーしてください。このキーは一度しか表示されません。";
    revoke "Revoke" "無効化";
    revoke_sure "Revoke this key? Programs that use it stop working within a second." "このキーを無効化しますか？使用中のプログラムは 1 秒以内に使えなくなります。";
    key_revoked "The key was revoked. It stops working within a second." "キーを無効化しました。1 秒以内に使えなくなります。";
    no_key "The account has no such live key." "該当する有効なキーがありません。";
    made_at "created" "作成";
    revoked_at "revoked" "無効化";

    // Usage.
    usage "Usage" "利用状況";
    usage_days "Requests a day, the last 90 days" "日別リクエスト数 (直近 90 日)";
    usage_today "Today" "今日";
    usage_month "This month" "今月";
    usage_month_errors "Errors this month" "今月のエラー";
    usage_month_refused "Refused by quota this month" "今月の制限超過";
    usage_late "Counted by days of Japan; the last seconds may be missing." "日本時間の日付で集計しています。直近数秒分は含まれないことがあります。";
    usage_table "As a table" "表で見る";
    errors "Errors" "エラー";
    refused_by_quota "Refused by quota" "制限超過";
    day "Day" "日付";
    no_usage "Nothing was asked in these days." "この期間の利用はありません。";

    // Quotas.
    quota "Quota" "利用制限";
    quota_rate "Requests a second" "毎秒リクエスト数";
    quota_burst "Requests at once" "瞬間リクエスト数";
    quota_monthly "Requests a month" "月間リクエスト数";
    quota_plan_hint "An empty field is no limit. Requests at once are as many as a second's where none is given. Months are Japan's." "空欄は無制限です。瞬間リクエスト数を省略すると毎秒リクエスト数と同じになります。月は日本時間です。";
    quota_account_hint "An empty field is the plan's limit; 0 is no limit." "空欄はプランの制限、0 は無制限です。";
    quota_in_force "In force" "適用中";
    no_limit "no limit" "無制限";
    bad_number "A whole number was expected; found:" "整数を入力してください:";
    bad_quota "Not a quota:" "この制限は設定できません:";
    burst_needs_rate "Requests at once need requests a second." "瞬間リクエスト数には毎秒リクエスト数の指定が必要です。";

    // Webhook.
    webhook "Webhook" "Webhook";
    needs_premium "The watch list and its webhook are part of the plan Premium and above." "監視リストと Webhook はプレミアム以上のプランで利用できます。";
    webhook_hint "When watched corporations change, this URL is sent the address to fetch the changes from, signed as the Standard Webhooks specification says." "監視中の法人に変更があると、変更を取得する URL を Standard Webhooks の署名付きで送信します。";
    webhook_secret "Signing secret" "署名シークレット";
    webhook_secret_once "Copy the signing secret now: it is shown this once." "署名シークレットを今すぐコピーしてください。一度しか表示されません。";
    webhook_removed "The webhook was removed." "Webhook を削除しました。";
    no_webhook "There is no webhook. Save a URL first." "Webhook がありません。先に URL を保存してください。";
    bad_url "Not a URL that can be called:" "この URL は使えません:";
    rotate "New secret" "シークレットを再発行";
    rotate_sure "Make a new signing secret? The current one goes on signing beside it for a day." "署名シークレットを再発行しますか？現在のものは 1 日間併用されます。";
    secret_rotated "A new secret signs from now on; the previous one signs beside it for a day." "新しいシークレットで署名します。以前のものは 1 日間併用されます。";
    previous_until "The previous secret signs as well until {}." "以前のシークレットでも {} まで署名します。";
    send_test "Send a test" "テスト送信";
    test "test" "テスト";
    test_made "A test delivery is on its way; its result shows below." "テスト送信を受け付けました。結果は下に表示されます。";
    remove_webhook "Remove" "削除";
    remove_webhook_sure "Remove the webhook? What is waiting to be delivered fails." "Webhook を削除しますか？送信待ちのものは失敗になります。";
    deliveries "Last deliveries" "最近の送信";
    no_deliveries "Nothing has been sent yet." "まだ送信はありません。";
    no_delivery "The account has no such delivery." "該当する送信がありません。";
    redeliver "Send again" "再送";
    redelivered "It is sent again now." "再送します。";
    date_told "Date" "対象日";
    state "State" "状態";
    attempts "Attempts" "試行";
    last_attempt "Last attempt" "最後の試行";
    next_attempt "next" "次回";
    when "When" "日時";
    result "Result" "結果";
    waiting "waiting" "送信待ち";
    delivered "delivered" "送信済み";
    failed "failed" "失敗";

    // Watch list.
    watch "Watch list" "監視リスト";
    watch_count "{} of at most {} numbers" "{} 件 (上限 {} 件)";
    watch_numbers "Corporate numbers" "法人番号";
    watch_hint "13 digits each, in lines or with commas. One wrong number and nothing is changed." "13 桁の番号を改行またはカンマで区切って入力します。誤りが 1 つでもあると変更は行われません。";
    watch_file "Or take them from a file" "ファイルから読み込む";
    watch_add "Watch" "追加";
    watch_remove "Stop watching" "監視をやめる";
    watch_needs_webhook "A watch list needs a webhook. Save a URL first:" "監視リストには Webhook が必要です。先に URL を保存してください:";
    watch_full "At most {} numbers can be watched; with these it would be {}. Nothing was changed." "監視できるのは {} 件までです。追加すると {} 件になるため、変更は行われませんでした。";
    watch_search "Number begins with" "番号の先頭";
    watched "Watched" "監視中";
    watched_none "No watched number begins so." "該当する番号はありません。";
    no_numbers "Corporate numbers were expected; found none." "法人番号が入力されていません。";
    bad_numbers "Nothing was changed. {} entries are no corporate numbers, or have a wrong check digit:" "変更は行われませんでした。法人番号でないか検査数字が誤っているものが {} 件あります:";
    numbers_added "{} numbers of this form are watched now." "{} 件を監視しています。";
    numbers_removed "{} numbers are watched no longer." "{} 件の監視をやめました。";
    corporate_number "Corporate number" "法人番号";
    name "Name" "名称";
    export "Export (CSV)" "CSV 出力";
    next_page "Next page" "次のページ";

    // Data.
    data "Data versions" "データ";
    postal_codes "Postal codes" "郵便番号";
    banks "Banks" "銀行";
    corporations "Corporations" "法人番号";
    records "Records" "レコード数";
    branches "Branches" "支店数";
    version "Version" "バージョン";
    newest "newest" "最新";
    size "Size" "サイズ";
    file_written "File written" "ファイル更新";
    no_versions "No version is served. Build one:" "提供中のバージョンはありません。作成するには:";
    damaged "damaged" "破損";
    refused_files "Files that were refused" "読み込めなかったファイル";
    count_all "Count the older versions too" "過去のバージョンも数える";
    reload "Read the folder again" "フォルダーを再読み込み";
    reload_hint "Changes are noticed anyway; this looks at once. Requests go on meanwhile." "変更は自動で検知されます。今すぐ確認する場合に使います。処理中のリクエストには影響しません。";
    reload_asked "The folder is being read; new versions show here in a moment." "フォルダーを読み込んでいます。新しいバージョンはまもなく表示されます。";

    // Playground.
    playground "Playground" "お試し";
    playground_text "An address, a code or a company's name" "住所・コード・会社名";
    playground_example "e.g. 東京都千代田区千代田1-1" "例: 東京都千代田区千代田1-1";
    playground_kind "Search for" "検索対象";
    playground_hint "Asked with your plan, and not counted." "ご契約のプランの範囲で検索します。利用回数には数えられません。";
    kind_guess "whatever it looks like" "自動判定";
    kind_address "address" "住所";
    kind_postal "postal code" "郵便番号";
    kind_query "postal query (q)" "郵便番号の検索式 (q)";
    kind_bank "bank code" "銀行コード";
    kind_bank_name "bank's name" "銀行名";
    kind_corporation "corporate number" "法人番号";
    kind_company "company's name" "会社名";
    found_count "{} found" "{} 件";
    request "Request" "リクエスト";
    answer "Answer" "レスポンス";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_both_languages_and_the_same_places() {
        for (name, english, japanese) in ALL {
            assert!(!english.is_empty() && !japanese.is_empty(), "{name}");
            let places = |text: &str| text.matches("{}").count();
            assert_eq!(places(english), places(japanese), "{name}");
        }
        for language in [Language::English, Language::Japanese] {
            assert_eq!(Language::parse(language.code()), Some(language));
        }
        assert_eq!(Language::parse("JA"), None);
    }
}
