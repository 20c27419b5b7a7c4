//! Every text of the dashboard, in English and in Japanese: a text that lacks a language does not compile.
//!
//! `{}` is a placeholder, which the page fills; `|` separates singular and plural. What other rooms say of invalid values
//! stands after a text of this table, translated by the table of `crate::language`.

use std::fmt::Display;

use crate::language::{self, Language, japanese};

/// Fills the placeholders of a text in order.
pub fn fill(text: &str, values: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut parts = text.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (part, value) in parts.zip(values) {
        out.push_str(value.as_ref());
        out.push_str(part);
    }
    out
}

/// The singular or the plural of a text, with the count filled in.
pub fn count(text: &str, count: u64) -> String {
    let (one, many) = text.split_once('|').unwrap_or((text, text));
    fill(if count == 1 { one } else { many }, [super::elements::grouped(count)])
}

impl Words {
    fn language(&self) -> Language {
        if self.code == JAPANESE.code { Language::Japanese } else { Language::English }
    }

    /// A text that is not in the table, in this language.
    pub fn text(&self, text: language::Words) -> &'static str {
        self.language().text(text)
    }

    /// An error of another room, in this language. One that has no translation stays as it is.
    pub fn reason(&self, error: impl Display) -> String {
        let english = error.to_string();
        match self.language() {
            Language::English => english,
            Language::Japanese => japanese(&english).unwrap_or(english),
        }
    }
}

/// The table: name, English, Japanese.
macro_rules! words {
    ($($name:ident $english:literal $japanese:literal;)*) => {
        /// The texts of one language.
        #[derive(Debug, PartialEq, Eq)]
        pub struct Words {
            $(pub $name: &'static str,)*
        }

        pub static ENGLISH: Words = Words { $($name: $english,)* };
        pub static JAPANESE: Words = Words { $($name: $japanese,)* };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $english, $japanese)),*];
    };
}

/// The texts of the language with this code, as HTML and HTTP write it.
pub fn for_language(code: &str) -> Option<&'static Words> {
    [&ENGLISH, &JAPANESE].into_iter().find(|words| words.code == code)
}

words! {
    // Languages.
    code "en" "ja";
    other_language "ja" "en";
    other_language_name "日本語" "English";

    // Frame.
    skip "Skip to content" "本文へ移動";
    navigation "Main" "メイン";
    account_pages "Account" "アカウント";
    menu "Menu" "メニュー";
    copied "Copied" "コピーしました";
    copy "Copy" "コピー";
    error_codes "API error codes" "API のエラーコード";
    documentation "Documentation" "ドキュメント";
    docs_path "/docs/" "/docs/ja/";
    to_dashboard "Go to the dashboard" "ダッシュボードへ";
    save "Save" "保存";
    saved "Saved." "保存しました。";
    yes "yes" "あり";
    no "no" "なし";
    id "ID" "ID";
    search "Search" "検索";

    // Errors.
    no_page "Page not found" "ページが見つかりません";
    no_page_detail "This page does not exist, or you do not have access to it." "ページが存在しないか、閲覧する権限がありません。";
    wrong_method "Method not allowed" "許可されていないメソッドです";
    wrong_method_detail "This page accepts {}." "このページで使えるメソッドは {} です。";
    refused "Request rejected" "リクエストを受け付けられません";
    cross_site_form "The form was not sent from a page of this site. If this server is behind a proxy, configure the proxy to pass on the Host header." "このサイトのページから送信されたフォームではありません。プロキシーを使っている場合は、Host ヘッダーをそのまま渡すよう設定してください。";
    ended_session "This form belongs to a session that has ended. Reload the page and try again." "このフォームのセッションは終了しています。ページを再読み込みして、もう一度お試しください。";
    too_large "The request is too large. The limit is {} bytes." "リクエストが大きすぎます。上限は {} バイトです。";
    incomplete_form "The form was not received completely. Send it again." "フォームの受信が途中で切れました。もう一度送信してください。";
    busy "Server busy" "サーバーが混み合っています";
    busy_detail "The dashboard is already handling as many requests as it can. Try again in a few seconds; the API is not affected." "ダッシュボードで処理中のリクエストが上限に達しています。数秒後にもう一度お試しください。API には影響ありません。";
    no_store "Store unavailable" "データストアを利用できません";
    no_store_detail "Nothing was changed. The API keeps serving look-ups; see the server log for the cause." "変更は行われていません。API の検索は引き続き利用できます。原因はサーバーのログを確認してください。";
    system_failed "The server failed" "サーバーでエラーが発生しました";
    system_failed_detail "Try again. If the error persists, see the server log for the cause." "もう一度お試しください。解消しない場合は、サーバーのログで原因を確認してください。";
    no_action "Unknown action. Reload the page and try again." "不明な操作です。ページを再読み込みして、もう一度お試しください。";

    // Signing in.
    sign_in "Sign in" "ログイン";
    sign_in_first "Sign in first." "先にログインしてください。";
    sign_out "Sign out" "ログアウト";
    operator "Operator" "運用者";
    operator_hint "Leave empty to sign in as the operator of this server." "このサーバーの運用者としてログインする場合は空欄にしてください。";
    account_name "Account name" "アカウント名";
    password "Password" "パスワード";
    wrong_password "Wrong account name or password." "アカウント名またはパスワードが違います。";
    too_many_attempts "Too many attempts. Try again in {} second.|Too many attempts. Try again in {} seconds." "試行回数が多すぎます。{} 秒後にもう一度お試しください。";

    // Live metrics.
    metrics "Live metrics" "稼働状況";
    requests "Requests" "リクエスト数";
    requests_per_second "Requests per second" "毎秒リクエスト数";
    latency "Latency (ms)" "応答時間 (ms)";
    median "Median" "中央値";
    p99 "99th percentile" "99 パーセンタイル";
    mean "Mean" "平均";
    client_errors "4xx" "4xx";
    server_errors "5xx" "5xx";
    errors_per_second "Errors per second" "毎秒エラー数";
    error_rate "Error rate" "エラー率";
    connections_open "Open connections" "接続数";
    store "Store" "データストア";
    healthy "healthy" "正常";
    failing "failing" "異常";
    ten_minutes_ago "10 minutes ago" "10 分前";
    now "now" "現在";
    since_start "Since server start" "起動後の累計";
    endpoint "Endpoint" "エンドポイント";
    no_requests "No requests yet." "リクエストはまだありません。";
    no_endpoint "no such endpoint" "該当なし";

    // Accounts.
    accounts "Accounts" "アカウント";
    no_accounts "There are no accounts yet." "アカウントはまだありません。";
    create_account "Create an account" "アカウントを作成";
    account_created "The account {} was created." "アカウント「{}」を作成しました。";
    account_exists "An account with this name already exists. Choose another name." "同じ名前のアカウントがすでにあります。別の名前にしてください。";
    bad_name "Invalid account name:" "このアカウント名は使えません:";
    plan "Plan" "プラン";
    plans "Plans" "プラン";
    choose_plan "Choose a plan." "プランを選択してください。";
    plan_standard "Standard" "スタンダード";
    plan_premium "Premium" "プレミアム";
    plan_enterprise "Enterprise" "エンタープライズ";
    batch "Batch" "一括検索";
    batch_option "Batch option" "一括検索オプション";
    password_optional "10 to 200 characters. Without a password the account's keys work, but nobody can sign in to the account." "10〜200 文字。空欄の場合、APIキーは使えますがログインはできません。";

    // Settings.
    settings "Settings" "設定";
    api_version "API version" "APIバージョン";
    api_version_used "Version for requests that do not specify one" "リクエストで指定がない場合のバージョン";
    api_version_hint "A request can specify another version in the KenAll-API-Version or API-Version header." "リクエストごとに KenAll-API-Version または API-Version ヘッダーで指定できます。";
    always_latest "always the latest" "常に最新";
    choose_version "Choose a version from the list." "一覧からバージョンを選択してください。";
    old_password "Current password" "現在のパスワード";
    new_password "New password" "新しいパスワード";
    bad_password "Invalid password:" "このパスワードは設定できません:";
    wrong_old_password "The current password is wrong." "現在のパスワードが違います。";
    password_set "The password was set. Other sessions of this account have ended." "パスワードを設定しました。このアカウントの他のセッションは終了しました。";
    password_removed "The password was removed. Nobody can sign in to this account." "パスワードを削除しました。このアカウントではログインできません。";
    password_hint "10 to 200 characters. Changing it ends the account's other sessions." "10〜200 文字。変更すると他のセッションは終了します。";
    password_operator_hint "10 to 200 characters. Setting or removing it ends the account's sessions." "10〜200 文字。設定または削除すると、このアカウントのセッションは終了します。";
    remove_password "Remove password" "パスワードを削除";
    remove_password_sure "Remove the password? Nobody can sign in to this account then." "パスワードを削除しますか？このアカウントではログインできなくなります。";

    // When keys expire.
    expires "Expires" "有効期限";
    expires_hint "The last day in Japan on which the key works. Empty: the key does not expire." "キーが使える最後の日（日本時間）。空欄の場合、期限はありません。";
    expired "Expired" "期限切れ";
    bad_expiry "The last day of the key is invalid:" "キーの有効期限が正しくありません：";

    // Sessions.
    open_sessions "Sessions" "サインインの状況";
    sessions_hint "Where somebody is signed in to this dashboard." "このダッシュボードにサインインしている端末です。";
    signed_in_at "Signed in" "サインイン日時";
    ends_at "Ends" "終了予定";
    from_address "Address" "接続元アドレス";
    browser "Browser" "ブラウザー";
    this_session "this session" "この端末";
    end_session "End" "終了する";
    end_others "End my other sessions" "ほかの端末からサインアウトする";
    session_ended "The session was ended." "サインインを終了しました。";
    sessions_ended "{} session was ended.|{} sessions were ended." "{} 件のサインインを終了しました。";
    no_session "That session has ended already." "そのサインインはすでに終了しています。";
    operator_password "The operator's password" "運用者のパスワード";
    operator_password_hint "Other sessions of the operator end. A restart of the server keeps this password, unless it is given another one than before." "運用者のほかのサインインは終了します。サーバーを再起動しても、以前と異なるパスワードを指定しない限り、このパスワードが使われます。";

    // What operators did.
    operations "Operations log" "操作履歴";
    operations_hint "What operators changed at the dashboard and at the command line, the newest first. Entries are kept for a year." "運用者がダッシュボードとコマンドラインで行った変更です。新しい順に表示し、1年間保存します。";
    no_operations "Nothing has been recorded yet." "記録はまだありません。";
    operation_time "Time" "日時";
    operation_actor "By" "実行者";
    operation_place "Place" "場所";
    operation_action "Action" "操作";
    operation_subject "Subject" "対象";
    at_dashboard "dashboard" "ダッシュボード";
    at_command_line "command line" "コマンドライン";

    // Usage of all accounts.
    usage_of_all "Usage of all accounts" "全アカウントの利用状況";
    quota_used "Of the month's quota" "月間上限に対する割合";

    // Deleting an account.
    delete_account "Delete the account" "アカウントを削除";
    delete_detail "The account and all its data are deleted, and its keys stop working within one second. This cannot be undone." "アカウントと、それに属するすべてのデータを削除します。APIキーは 1 秒以内に使えなくなります。この操作は取り消せません。";
    delete_confirm "Type the account name to confirm: {}" "確認のため、アカウント名「{}」を入力してください";
    delete_name_mismatch "Nothing was deleted: the name that you typed does not match." "入力された名前が一致しないため、削除しませんでした。";
    account_deleted "The account {} was deleted." "アカウント「{}」を削除しました。";
    sessions "Sessions" "セッション";
    deliveries_all "Deliveries" "配信";
    days_of_usage "Days of usage" "利用記録 (日数)";
    cancel "Cancel" "キャンセル";

    // Keys.
    keys "API keys" "APIキー";
    key "Key" "キー";
    new_key "New key" "新しいキー";
    no_keys "There are no active keys." "有効なキーはありません。";
    active_keys "Active keys" "有効なキー";
    revoked_keys "Disabled and revoked keys" "無効化したキー";
    create_key "Create a key" "キーを作成";
    key_kind "Type" "種類";
    choose_kind "Choose a key type." "キーの種類を選択してください。";
    secret_key "Secret key" "シークレットキー";
    public_key "Public key" "公開キー";
    secret_hint "for servers; works from anywhere" "サーバー用。どこからでも使えます";
    public_hint "for web pages; works only from its allowed origins" "Web ページ用。許可したオリジンからのみ使えます";
    origins "Allowed origins, one per line" "許可するオリジン (1 行に 1 つ)";
    origins_hint "Origins of the pages that use a public key, such as https://www.example.com. With none, the key works only from localhost." "公開キーを使うページのオリジン (例: https://www.example.com)。空欄の場合は localhost からのみ使えます。";
    loopback_only "localhost only" "localhost のみ";
    bad_origin "Invalid origin:" "このオリジンは使えません:";
    secret_has_no_origins "A secret key cannot have origins. Clear the field, or create a public key." "シークレットキーにオリジンは設定できません。空欄にするか、公開キーを作成してください。";
    key_created "The key was created. It works within a second." "キーを作成しました。1 秒以内に使えるようになります。";
    key_shown_once "Copy the key now. It is shown only once." "今すぐキーをコピーしてください。一度しか表示されません。";
    key_label "Label" "ラベル";
    key_label_example "e.g. order service" "例: 受注サービス";
    bad_label "Invalid label:" "このラベルは使えません:";
    last_use "Last used" "最終利用";
    never "never" "なし";
    disable "Disable" "無効化";
    key_disabled "The key was disabled. Programs that use it stop working within a second." "キーを無効化しました。このキーを使ったリクエストは 1 秒以内に拒否されるようになります。";
    undo "Undo" "元に戻す";
    undo_hint "was disabled. For a minute this can be undone." "を無効化しました。1 分以内なら元に戻せます。";
    key_enabled "The key works again within a second." "キーを元に戻しました。1 秒以内に使えるようになります。";
    keys_full "An account has at most {} keys. Disable some, or ask the operator (--account-keys-max)." "1つのアカウントのキーは{}個までです。使わないキーを無効にするか、運用者に相談してください（--account-keys-max）。";
    undo_too_late "This key cannot be enabled any more. Create a new one." "このキーはもう元に戻せません。新しいキーを作成してください。";
    no_key "This account has no active key with this ID." "該当する有効なキーがありません。";
    created "Created" "作成日時";
    revoked "Disabled" "無効化日時";

    // Usage.
    usage "Usage" "利用状況";
    usage_days "Requests per day, last 90 days" "日別リクエスト数 (直近 90 日)";
    usage_today "Today" "今日";
    usage_month "This month" "今月";
    usage_month_errors "Errors this month" "今月のエラー数";
    usage_month_refused "Rejected by quota this month" "今月の上限超過数";
    usage_hint "Days are in Japan time. The last few seconds may be missing." "日付は日本時間です。直近数秒分は含まれないことがあります。";
    usage_endpoints "Responses by endpoint and status, last 30 days" "エンドポイント・ステータス別 (直近 30 日)";
    status "Status" "ステータス";
    usage_table "Show as a table" "表で見る";
    errors "Errors" "エラー数";
    refused_by_quota "Rejected by quota" "上限超過数";
    day "Day" "日付";
    no_usage "No requests in this period." "この期間のリクエストはありません。";

    // Quotas.
    quota "Quota" "利用上限";
    quota_rate "Requests per second" "毎秒リクエスト数";
    quota_burst "Burst limit" "バースト上限";
    quota_monthly "Requests per month" "月間リクエスト数";
    quota_plan_hint "Leave a field empty for no limit. If no burst limit is set, the burst limit equals the requests per second. Months are in Japan time." "空欄は無制限です。バースト上限を省略すると毎秒リクエスト数と同じになります。月は日本時間です。";
    quota_account_hint "Leave a field empty for the plan's limit; 0 means no limit." "空欄はプランの上限、0 は無制限です。";
    quota_in_force "In effect" "適用中";
    no_limit "no limit" "無制限";
    bad_number "Enter a whole number; found:" "整数を入力してください。入力値:";
    bad_quota "Invalid quota:" "この上限は設定できません:";
    burst_needs_rate "A burst limit needs requests per second." "バースト上限には毎秒リクエスト数の指定が必要です。";

    // Webhook.
    webhook "Webhook" "Webhook";
    needs_premium "The watch list and its webhook require the Premium plan or above." "監視リストと Webhook はプレミアム以上のプランで利用できます。";
    webhook_hint "When a watched corporation changes, the server sends the address of the changes to this URL, signed as the Standard Webhooks specification requires. Deliveries without a 2xx response are retried." "監視中の法人に変更があると、変更内容の取得先をこの URL に通知します。通知には Standard Webhooks の署名が付きます。2xx の応答がなければ再送します。";
    webhook_secret "Signing secret" "署名シークレット";
    webhook_secret_shown_once "Copy the signing secret now. It is shown only once." "今すぐ署名シークレットをコピーしてください。一度しか表示されません。";
    webhook_removed "The webhook was removed." "Webhook を削除しました。";
    no_webhook "There is no webhook. Save a URL first." "Webhook がありません。先に URL を保存してください。";
    no_webhook_key "This server cannot encrypt the secret; see the server log for the cause." "シークレットを暗号化できません。原因はサーバーのログを確認してください。";
    bad_url "Invalid webhook URL:" "この URL は使えません:";
    rotate "Rotate secret" "シークレットを再発行";
    rotate_sure "Rotate the signing secret? Deliveries are also signed with the current one for another day." "署名シークレットを再発行しますか？現在のシークレットによる署名も 1 日間付与されます。";
    secret_rotated "Deliveries are signed with the new secret from now on, and also with the previous one for a day." "今後は新しいシークレットで署名します。以前のシークレットによる署名も 1 日間付与されます。";
    previous_until "Deliveries are also signed with the previous secret until {}." "以前のシークレットによる署名も {} まで付与されます。";
    send_test "Send a test" "テスト配信";
    test "test" "テスト";
    test_queued "A test delivery was queued. Its result appears below." "テスト配信を受け付けました。結果は下に表示されます。";
    remove_webhook "Remove" "削除";
    remove_webhook_sure "Remove the webhook? Waiting deliveries fail." "Webhook を削除しますか？配信待ちの通知は失敗になります。";
    deliveries "Recent deliveries" "最近の配信";
    no_deliveries "There are no deliveries yet." "配信はまだありません。";
    no_delivery "This account has no such delivery." "該当する配信がありません。";
    redeliver "Send again" "再送";
    redelivery_queued "The delivery is being sent again." "再送を受け付けました。";
    date "Date" "対象日";
    state "Status" "状態";
    attempts "Attempts" "試行回数";
    attempts_of "Attempts of" "試行の履歴:";
    attempt "Attempt" "試行";
    last_attempt "Last attempt" "最後の試行";
    next_attempt "next attempt" "次回";
    time "Time" "日時";
    result "Result" "結果";
    waiting "waiting" "配信待ち";
    delivered "delivered" "配信済み";
    failed "failed" "失敗";

    // Watch list.
    watch "Watch list" "監視リスト";
    watch_count "{} of at most {} numbers" "{} 件 (上限 {} 件)";
    watch_numbers "Corporate numbers" "法人番号";
    watch_issuer_numbers "Registration numbers" "登録番号";
    watch_hint "13 digits each, with or without T, separated by line breaks or commas; or a CSV with a header. Invalid entries are left out and listed." "13 桁の番号 (先頭の T は任意) を改行またはコンマで区切って入力します。見出し行のある CSV も使えます。誤りのあるものは除外し、その内容を表示します。";
    watch_file "Or load them from a file" "ファイルから読み込む";
    watch_add "Add" "追加";
    watch_remove "Remove" "削除";
    watch_needs_webhook "The watch list needs a webhook. Save a URL first:" "監視リストには Webhook が必要です。先に URL を保存してください:";
    watch_full "A watch list holds at most {} numbers; with these it would be {}. Nothing was changed." "監視リストの上限は {} 件です。追加すると {} 件になるため、変更は行われませんでした。";
    watch_search "Number starts with" "番号の先頭";
    watched "Watched corporations" "監視中の法人";
    watched_issuers "Watched invoice issuers" "監視中の適格請求書発行事業者";
    corporations "Corporations" "法人";
    invoice_issuers "Invoice issuers" "適格請求書発行事業者";
    no_matching_numbers "No matching numbers." "該当する番号はありません。";
    no_numbers "Enter at least one number." "番号を入力してください。";
    no_valid_numbers "Nothing was changed: no entry is a valid number." "変更は行われませんでした。正しい番号がありません。";
    left_out "{} entry was left out:|{} entries were left out:" "{} 件を除外しました:";
    line "line {}" "{} 行目";
    reason_no_number "no number of 13 digits" "13 桁の番号ではありません";
    reason_check_digit "wrong check digit" "チェックデジットの誤り";
    reason_duplicate "in an earlier line too" "重複";
    unchecked_numbers "{} number is no corporate number; it is watched, but check whether it is mistyped:|{} numbers are no corporate numbers; they are watched, but check whether they are mistyped:" "法人番号ではない番号が {} 件あります。監視しますが、入力誤りでないか確認してください:";
    numbers_added "{} number from this form is now watched.|{} numbers from this form are now watched." "入力された {} 件を監視しています。";
    numbers_removed "{} number is no longer watched.|{} numbers are no longer watched." "{} 件の監視をやめました。";
    corporate_number "Corporate number" "法人番号";
    registration_number "Registration number" "登録番号";
    name "Name" "名称";
    export "Export CSV" "CSV に書き出す";
    next_page "Next page" "次のページ";

    // Data.
    data "Data versions" "データバージョン";
    version "Version" "バージョン";
    latest "latest" "最新";
    days_old "{} day old|{} days old" "{} 日前のデータ";
    from_today "from today" "今日のデータ";
    update_with "Fetch newer data with" "更新するには:";
    sample_data "The newest version is made up, for trials of the program." "最新のバージョンは動作確認用の架空のデータです。";
    size "Size" "サイズ";
    file_modified "File modified" "ファイル更新日時";
    no_versions "No data version loaded. Fetch the official data with:" "読み込まれているデータバージョンはありません。次のコマンドで公式データを取得します:";
    damaged "damaged" "破損";
    corrections_refused "The corrections as they are now are not in use; the previous ones are:" "現在の補正ファイルは使われていません。前回の内容を使っています：";
    corrections_laid "{} correction is laid over the newest version.|{} corrections are laid over the newest version." "最新バージョンに補正が{}行あります。";
    corrections_in_effect "{} is in effect today.|{} are in effect today." "今日有効な行：{}";
    corrections_caught_up "The official data have caught up with these corrections, which can be removed:" "公表データが追いついたため、削除できる補正：";
    corrections_wrong "These corrections contradict the data and have no effect:" "データと矛盾し、効果のない補正：";
    refused_files "Files that could not be loaded" "読み込めなかったファイル";
    count_all "Count the records of older versions too" "過去のバージョンのレコード数も表示";
    reload "Reload the snapshot folder" "スナップショットフォルダーを再読み込み";
    reload_hint "Changes are detected automatically; use this to check now. Requests are not affected." "変更は自動で検出されます。すぐに確認する場合に使います。処理中のリクエストには影響しません。";
    reload_started "The snapshot folder is being reloaded. New versions appear here in a moment." "スナップショットフォルダーを読み込んでいます。新しいバージョンはまもなく表示されます。";

    // Playground.
    playground "Playground" "プレイグラウンド";
    playground_text "Address, code or company name" "住所・コード・会社名";
    playground_example "e.g. 東京都千代田区千代田1-1" "例: 東京都千代田区千代田1-1";
    playground_kind "Search for" "検索対象";
    playground_plan "Requests run with the rights of your plan." "このアカウントのプランの範囲で検索します。";
    playground_hint "Requests from this page do not count towards a quota." "ここでの検索は利用上限に数えません。";
    examples "Try:" "例:";
    copy_url "Copy URL" "URL をコピー";
    pages "Pages" "ページ";
    previous_page "Previous page" "前のページ";
    javascript_page "JavaScript (in a page, public key)" "JavaScript (Web ページ、公開キー)";
    javascript_server "JavaScript (Node.js)" "JavaScript (Node.js)";
    unknown_town "{} has no town {}." "「{}」に町域「{}」はありません。";
    unknown_town_detail "The records below are those of the whole municipality." "以下は市区町村全体のレコードです。";
    did_you_mean "Did you mean" "もしかして:";
    kind_guess "detect automatically" "自動判定";
    kind_address "address" "住所";
    kind_postal "postal code" "郵便番号";
    kind_query "postal query (q)" "郵便番号の検索式 (q)";
    kind_bank "bank code" "金融機関コード";
    kind_bank_name "bank name" "金融機関名";
    kind_corporation "corporate number" "法人番号";
    kind_company "company name" "会社名";
    kind_target "API request" "API リクエスト";
    found_count "{} result|{} results" "{} 件";
    explain "How the address was read" "住所の解析結果";
    explain_part "Part" "項目";
    explain_read "In the text" "入力";
    explain_became "Became" "結果";
    explain_why "Why" "理由";
    explain_candidates "Candidates, most likely first" "該当しうる場所（可能性の高い順）";
    match_full "matched to the lot number" "番地まで特定";
    match_town "matched to the town" "町域まで特定";
    match_city "matched to the municipality" "市区町村まで特定";
    match_prefecture "matched to the prefecture" "都道府県まで特定";
    match_none "no address found" "住所を特定できません";
    why_as_is "as written" "入力のまま";
    why_variant "spelling variant" "表記の違い";
    why_completed "filled in" "補完";
    why_old_name "old name" "旧名称";
    why_since "since {}" "（{} 年に変更）";
    why_other_register "name from another register" "他の台帳の名称";
    why_letters "wrong character" "誤字";
    why_unknown_town "unknown town" "該当する町域なし";
    why_repeated "written twice" "重複";
    why_reading "in kana or Roman letters" "かな・ローマ字表記";
    why_contradicted "contradicts the rest" "ほかの部分と矛盾";
    point "{}, {} ({})" "座標 {}, {}（{}）";
    point_koaza "point of the koaza" "小字の代表点";
    point_chome "point of the chome" "丁目の代表点";
    point_town "point of the town" "町域の代表点";
    point_city "point of the municipality" "市区町村の代表点";
    request "Request" "リクエスト";
    response "Response" "応答";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_has_both_languages_and_the_same_placeholders() {
        for (name, english, japanese) in ALL {
            assert!(!english.is_empty() && !japanese.is_empty(), "{name}");
            assert!(!japanese.contains('|'), "{name}: Japanese has no plural");
            let placeholders = |text: &str| text.matches("{}").count();
            for form in english.split('|') {
                assert_eq!(placeholders(form), placeholders(japanese), "{name}");
            }
        }
        assert_eq!(for_language("ja"), Some(&JAPANESE));
        assert_eq!(for_language("JA"), None);
    }

    #[test]
    fn counts_choose_singular_or_plural() {
        let text = "{} day|{} days";
        assert_eq!(count(text, 1), "1 day");
        assert_eq!(count(text, 0), "0 days");
        assert_eq!(count("{} 件", 1), "1 件");
        assert_eq!(count(text, 12_345), "12,345 days");
        assert_eq!(fill("{} of {}", ["a{}", "b"]), "a{} of b");
    }
}
