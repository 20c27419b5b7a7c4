//! The errors of the API: one table of codes, one shape of body.
//!
//! The body has the members of RFC 9457 plus `code`, `detail` and `parameter`. A code never changes its meaning, so
//! clients may match on it. Internal error text is logged and never sent. A key in a repeated value is masked.

use std::borrow::Cow;

use hyper::StatusCode;

use super::words::{Words, words};
use crate::json::{push_string, put};
use crate::language::{Language, japanese};
use crate::text::key_mask::mask_keys;

/// An error repeats at most this many characters of an invalid value.
const EXCERPT_CHARS_MAX: usize = 40;

/// The codes: variant, text, status, title and what the reader of `/docs/errors` should do, in English and Japanese.
macro_rules! codes {
    ($($variant:ident $code:literal $status:literal $title:literal, $title_ja:literal, $remedy:literal, $remedy_ja:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $code,)* }
            }

            pub fn status(self) -> StatusCode {
                let status = match self { $(Code::$variant => const { $status as u16 },)* };
                StatusCode::from_u16(status).expect("the table holds statuses of 400 to 599")
            }

            pub const fn title(self) -> Words {
                match self { $(Code::$variant => words($title, $title_ja),)* }
            }

            pub const fn remedy(self) -> Words {
                match self { $(Code::$variant => words($remedy, $remedy_ja),)* }
            }
        }
    };
}

codes! {
    MalformedRequest "malformed_request" 400 "Malformed request", "リクエストが不正",
        "The request is not HTTP, or its target cannot be decoded. Check what the client sends.",
        "HTTPとして読めないか、URLをデコードできません。クライアントが送った内容を確認してください。";
    InvalidParameter "invalid_parameter" 400 "Invalid parameter", "パラメーターが不正",
        "The named parameter cannot be decoded, is given twice or has a value that is not allowed; the \
         detail says which. Percent-encode UTF-8; give the parameter once.",
        "パラメーターをデコードできないか、2回指定されているか、使えない値です。詳細はdetailにあります。値はUTF-8をパーセントエンコードし、1回だけ指定してください。";
    InvalidPostalCode "invalid_postal_code" 400 "Invalid postal code", "郵便番号が不正",
        "Send 7 half-width digits without a hyphen. For 100-0001 the detail names the path that works.",
        "7桁の半角数字をハイフンなしで指定してください。100-0001のような書き方では、正しいパスがdetailにあります。";
    InvalidBankCode "invalid_bank_code" 400 "Invalid institution code", "金融機関コードが不正",
        "Send exactly 4 half-width digits.",
        "4桁の半角数字を指定してください。";
    InvalidBranchCode "invalid_branch_code" 400 "Invalid branch code", "支店コードが不正",
        "Send exactly 3 half-width digits.",
        "3桁の半角数字を指定してください。";
    InvalidAccount "invalid_account" 400 "Invalid account", "口座が不正",
        "The detail says what is wrong: the form of the symbol, the number or the account number, or the check digit. Compare them with the passbook.",
        "誤りはdetailにあります。記号、番号、口座番号の形式か、検査数字が合いません。通帳を確認してください。";
    InvalidCorporateNumber "invalid_corporate_number" 400 "Invalid corporate number", "法人番号が不正",
        "Send exactly 13 digits. In the radar the check digit must be right too.",
        "13桁の数字を指定してください。法人番号レーダーではチェックデジットも正しくなければなりません。";
    InvalidInvoiceNumber "invalid_invoice_number" 400 "Invalid registration number", "登録番号が不正",
        "Send T and exactly 13 digits.",
        "Tと13桁の数字を指定してください。";
    InvalidSchoolCode "invalid_school_code" 400 "Invalid school code", "学校コードが不正",
        "Send a letter and exactly 12 digits.",
        "英字1字と12桁の数字を指定してください。";
    InvalidPrefectureCode "invalid_prefecture_code" 400 "Invalid prefecture code", "都道府県コードが不正",
        "Send exactly 2 digits, 01 to 47.",
        "01から47までの2桁の数字を指定してください。";
    InvalidVersion "invalid_version" 400 "Invalid data version", "データバージョンが不正",
        "Send the date of a data version, YYYY-MM-DD. /v1/postalcode/versions/, /v1/bank/versions, /v1/invoice/versions and /v1/school/versions list them.",
        "データバージョンの日付をYYYY-MM-DDで指定してください。一覧は/v1/postalcode/versions/、/v1/bank/versions、/v1/invoice/versions、/v1/school/versionsで取得できます。";
    InvalidCoordinates "invalid_coordinates" 400 "Invalid coordinates", "座標が不正",
        "Send latitude and longitude in decimal degrees, north and east positive, such as lat=35.681236 and \
         lon=139.767125 (near: 35.681236,139.767125). The detail says if they are exchanged.",
        "緯度と経度を十進法の度（北緯と東経が正）で指定してください。例: lat=35.681236、lon=139.767125（nearでは35.681236,139.767125）。緯度と経度が逆のときはdetailで分かります。";
    MissingQuery "missing_query" 400 "Missing query", "検索条件がない",
        "Send q (a query). The address search takes t (an address), q or both; suggestions take q (the typed text). An empty value counts as missing.",
        "q（検索式）を指定してください。住所検索ではt（住所）、q、またはその両方、入力補完ではq（入力された文字）です。空の値は指定なしとみなします。";
    InvalidQuery "invalid_query" 400 "Invalid query", "検索式が不正",
        "The query has a syntax error or a character that is not allowed. The detail says where, and what was expected there.",
        "検索式の文法に誤りがあるか、使えない文字があります。位置と、そこに書けるものはdetailにあります。";
    InvalidLimit "invalid_limit" 400 "Invalid limit", "limitが不正",
        "Send a whole number from 1 to 100 (suggestions: 1 to 20) in ASCII digits, or leave limit out.",
        "1から100まで（入力補完では20まで）の整数をASCIIの数字で指定するか、limitを省略してください。";
    InvalidOffset "invalid_offset" 400 "Invalid offset", "offsetが不正",
        "Send a whole number from 0 in ASCII digits, or leave offset out.",
        "0以上の整数をASCIIの数字で指定するか、offsetを省略してください。";
    QueryTooExpensive "query_too_expensive" 400 "Query too expensive", "検索の負荷が大きすぎる",
        "The search would read more rows than the limit for one search. The detail names the most expensive part: make \
         that term longer or complete, send fewer terms, or use a smaller offset.",
        "1回の検索で読める行数の上限を超えます。最も負荷の大きい部分はdetailにあります。その語を長くするか省略せずに書く、語を減らす、offsetを小さくする、のいずれかをしてください。";
    InvalidFacet "invalid_facet" 400 "Invalid facet path", "ファセットのパスが不正",
        "Send / or a path below it, such as /東京都 or /東京都/千代田区. For kinds, processes and causes of \
         closing, send one of the words that the detail lists.",
        "/または/東京都、/東京都/千代田区のような下位のパスを指定してください。法人種別、処理区分、閉鎖事由では、detailにある語のいずれかです。";
    InvalidBody "invalid_body" 400 "Invalid request body", "リクエストボディが不正",
        "The body is not JSON, or a member is missing or has the wrong type. The parameter or the detail says where.",
        "ボディがJSONでないか、必要なフィールドがないか、型が違います。場所はparameterまたはdetailにあります。";
    InvalidDate "invalid_date" 400 "Invalid date", "日付が不正",
        "Send an existing date, YYYY-MM-DD.",
        "実在する日付をYYYY-MM-DDで指定してください。";
    TooManyNumbers "too_many_numbers" 400 "Too many numbers", "番号が多すぎる",
        "Send at most 100 numbers in one request; split them over several requests.",
        "1回のリクエストで送れる番号は100件までです。複数回に分けてください。";
    WatchListFull "watch_list_full" 400 "Watch list full", "監視リストが満杯",
        "The watch list of the account is at its limit, or the new numbers would exceed it. Remove some numbers; the operator sets the limit (--watch-limit).",
        "監視リストが上限に達しているか、追加すると上限を超えます。一部の番号を削除してください。上限は運用者が設定します（--watch-limit）。";
    TooManyQueries "too_many_queries" 400 "Too many queries", "問い合わせが多すぎる",
        "Split the batch into several requests.",
        "問い合わせを複数のリクエストに分けてください。";
    UnknownApiVersion "unknown_api_version" 400 "Unknown API version", "不明なAPIバージョン",
        "Send one of the versions that the detail lists, or leave the version out.",
        "detailにあるバージョンのいずれかを指定するか、省略してください。";
    MissingKey "missing_key" 401 "Missing API key", "APIキーがない",
        "Send the header Authorization: Token KEY. A web page may send a public key as the parameter key instead.",
        "ヘッダーAuthorization: Token KEYを付けてください。Webページからは公開キーをパラメーターkeyで送れます。";
    UnsupportedScheme "unsupported_scheme" 401 "Unsupported authorization scheme", "認証方式が未対応",
        "The scheme is Token, as in Authorization: Token KEY. Bearer and other schemes are rejected.",
        "認証方式はAuthorization: Token KEYのTokenです。Bearerなどは使えません。";
    InvalidKey "invalid_key" 401 "Invalid API key", "APIキーが不正",
        "The key is mistyped, revoked or belongs to another server.",
        "キーが間違っているか、失効しているか、別のサーバーのものです。";
    SecretKeyRequired "secret_key_required" 401 "Secret key required", "シークレットキーが必要",
        "This endpoint accepts only secret keys; do not call it from a browser.",
        "このエンドポイントはシークレットキー専用です。ブラウザーからは呼び出さないでください。";
    SecretKeyInUrl "secret_key_in_url" 401 "Secret key in the URL", "URLにシークレットキー",
        "A secret key in a URL has leaked: proxies, logs and browser histories store it. Revoke it and create a new one. Send secret keys from a server in the header Authorization: Token KEY; a web page may send a public key as key=.",
        "URLに入れたシークレットキーはプロキシー、ログ、ブラウザーの履歴に残るため、漏えいしたことになります。そのキーを失効させ、作り直してください。シークレットキーはサーバーからヘッダーAuthorization: Token KEYで送ります。Webページでは公開キーをkey=で送れます。";
    InvalidToken "invalid_token" 401 "Invalid token", "トークンが不正",
        "The operator protects this path with a token. Send the header Authorization: Bearer TOKEN.",
        "運用者がこのパスをトークンで保護しています。ヘッダーAuthorization: Bearer TOKENを付けてください。";
    OriginNotAllowed "origin_not_allowed" 403 "Origin not allowed", "許可されていないオリジン",
        "A public key works only from the origins registered for it. The detail names the origin of the request: register it for a key.",
        "公開キーは、そのキーに登録されたオリジンでだけ使えます。リクエストのオリジンはdetailにあるので、それをキーに登録してください。";
    PlanTooLow "plan_too_low" 403 "Not in the plan", "プランの対象外",
        "The account's plan does not include this API.",
        "アカウントのプランにこのAPIは含まれません。";
    BatchOptionMissing "batch_option_missing" 403 "Batch option missing", "一括検索オプションがない",
        "The account has no batch option.",
        "アカウントに一括検索オプションがありません。";
    WebhookMissing "webhook_missing" 403 "Webhook missing", "Webhookがない",
        "The radar needs a webhook, which receives the changes. Register its URL in the dashboard, or ask the operator (daicho account set NAME --webhook URL).",
        "法人番号レーダーには変更を受け取るWebhookが必要です。ダッシュボードでURLを登録するか、運用者に依頼してください（daicho account set NAME --webhook URL）。";
    NoSuchEndpoint "no_such_endpoint" 404 "No such endpoint", "エンドポイントがない",
        "No endpoint has this path in the API version of the request. Check the spelling; some endpoints need a newer API version.",
        "リクエストのAPIバージョンに、このパスのエンドポイントはありません。綴りを確認してください。新しいAPIバージョンが必要なエンドポイントもあります。";
    NoSuchVersion "no_such_version" 404 "No such data version", "データバージョンがない",
        "The server has no data version with this date. /v1/postalcode/versions/, /v1/bank/versions, /v1/invoice/versions and /v1/school/versions list the loaded versions.",
        "その日付のデータはサーバーにありません。一覧は/v1/postalcode/versions/、/v1/bank/versions、/v1/invoice/versions、/v1/school/versionsで取得できます。";
    NoCoordinates "no_coordinates" 404 "No coordinates", "座標がない",
        "The data version has no coordinates that can be searched. The operator builds it again with a file of coordinates (daicho build postal --towns FILE).",
        "そのデータバージョンには検索できる座標がありません。運用者が座標のファイルを指定して作成し直す必要があります（daicho build postal --towns FILE）。";
    NoSuchPostalCode "no_such_postal_code" 404 "No such postal code", "郵便番号がない",
        "The data version has no record with this code.",
        "そのデータバージョンに、この郵便番号のレコードはありません。";
    NoSuchBank "no_such_bank" 404 "No such institution", "金融機関がない",
        "The data version has no institution with this code; abolished institutions are not included.",
        "そのデータバージョンに、このコードの金融機関はありません。廃止された金融機関は含みません。";
    NoSuchBranch "no_such_branch" 404 "No such branch", "支店がない",
        "In this data version the institution has no branch with this code.",
        "そのデータバージョンで、この金融機関にこのコードの支店はありません。";
    NoSuchCorporation "no_such_corporation" 404 "No such corporation", "法人がない",
        "The data version has no corporation with this number, or the check digit is wrong.",
        "そのデータバージョンにこの法人番号がないか、チェックデジットが合いません。";
    NoSuchInvoiceIssuer "no_such_invoice_issuer" 404 "No such invoice issuer", "適格請求書発行事業者がない",
        "The data version has no qualified invoice issuer with this number, or the check digit is wrong. Individuals are included only if the operator built them (daicho build invoice --individuals).",
        "そのデータバージョンにこの登録番号がないか、チェックデジットが合いません。個人は、運用者が取り込んだ場合（daicho build invoice --individuals）にだけ含まれます。";
    NoSuchSchool "no_such_school" 404 "No such school", "学校がない",
        "The data version has no school with this code, or the check digit is wrong.",
        "そのデータバージョンにこの学校コードがないか、チェックデジットが合いません。";
    NoSuchPrefecture "no_such_prefecture" 404 "No such prefecture", "都道府県がない",
        "The data version has no municipality with this prefecture code.",
        "そのデータバージョンに、この都道府県コードの市区町村はありません。";
    NoSuchDate "no_such_date" 404 "No changes of this date", "その日の変更がない",
        "The date is before the oldest or after the newest corporate data version on this server. The detail names both.",
        "サーバーにある法人データの最も古いバージョンより前か、最新のバージョンより後の日付です。両方の日付はdetailにあります。";
    NoSuchDownload "no_such_download" 404 "No such download", "ダウンロードファイルがない",
        "The newest data version was built without a download file (daicho build postal --no-download).",
        "最新のデータバージョンは、ダウンロードファイルなしで作られています（daicho build postal --no-download）。";
    MethodNotAllowed "method_not_allowed" 405 "Method not allowed", "許可されていないメソッド",
        "The Allow header lists the methods allowed for this path.",
        "このパスで使えるメソッドはAllowヘッダーにあります。";
    BodyTooSlow "request_timeout" 408 "Request body too slow", "リクエストボディの受信が遅い",
        "The body did not arrive in time. Send it at once.",
        "ボディが時間内に届きませんでした。一度に送ってください。";
    BodyTooLarge "body_too_large" 413 "Request body too large", "リクエストボディが大きすぎる",
        "Send a smaller body.",
        "ボディを小さくしてください。";
    TargetTooLong "target_too_long" 414 "Request target too long", "URLが長すぎる",
        "Shorten the path and query.",
        "パスとクエリ文字列を短くしてください。";
    RangeNotSatisfiable "range_not_satisfiable" 416 "Range not satisfiable", "範囲が不正",
        "The range is outside the file. Content-Range gives the length of the file.",
        "その範囲はファイルの外です。ファイルの長さはContent-Rangeにあります。";
    TooManyRequests "too_many_requests" 429 "Too many requests", "リクエストが多すぎる",
        "The account sends requests faster than its rate limit allows. Retry-After says when to retry, RateLimit how many requests are left.",
        "アカウントに許された頻度を超えています。次に送れるまでの秒数はRetry-After、残りのリクエスト数はRateLimitにあります。";
    QuotaExhausted "quota_exhausted" 429 "Quota exhausted", "月間リクエスト数の超過",
        "The account has used all its requests of this calendar month (Japan time). Retry-After gives the seconds until the next month.",
        "今月（日本時間）のリクエスト数を使い切りました。次の月が始まるまでの秒数はRetry-Afterにあります。";
    HeadersTooLarge "headers_too_large" 431 "Request headers too large", "リクエストヘッダーが大きすぎる",
        "Send fewer or shorter headers.",
        "ヘッダーを減らすか、短くしてください。";
    Internal "internal_error" 500 "Internal error", "サーバー内部のエラー",
        "The server failed. Its log has the cause under the request id in the X-Request-Id header.",
        "原因はサーバーにあります。サーバーのログに、X-Request-Idヘッダーと同じリクエストIDの記録があります。";
    DamagedData "damaged_data" 500 "Damaged data", "データの破損",
        "This data version is damaged on the disk of the server; other versions may work. The operator must rebuild it.",
        "このデータバージョンはサーバーのディスク上で壊れています。ほかのバージョンは使える場合があります。運用者が作り直す必要があります。";
    NoData "no_data" 503 "No data loaded", "データが読み込まれていない",
        "The server has no data yet. Try again when /readyz returns 200.",
        "サーバーにデータがまだ読み込まれていません。/readyzが200を返すようになってから再送してください。";
    StateUnavailable "state_unavailable" 503 "State unavailable", "アカウント情報が利用できない",
        "The account store is currently unavailable. Either the whole request took effect or none of it. It is safe to send it again later.",
        "アカウント情報を現在読み書きできません。リクエストは全体が反映されたか、まったく反映されていません。後で同じ内容を再送しても問題ありません。";
    BatchTimeout "batch_timeout" 503 "Batch timed out", "一括検索のタイムアウト",
        "The batch took longer than one minute. Send fewer queries per batch.",
        "一括検索が1分以内に終わりませんでした。1回に送る問い合わせの数を減らしてください。";
    TooManyBatches "too_many_batches" 503 "Too many batches", "一括検索が多すぎる",
        "The server or the account has reached its limit of running batches or of request bodies being received. Wait for a response, or try again later.",
        "サーバーまたはアカウントで、処理中の一括検索または受信中のリクエストボディの数が上限に達しています。応答を待つか、後で再送してください。";
    TooManySearches "too_many_searches" 503 "Too many searches", "検索が多すぎる",
        "The queue of long searches is full. Wait for responses before you send more, or try again later.",
        "時間のかかる検索の待ち行列が上限に達しています。応答を待ってから送るか、後で再送してください。";
    SearchTimeout "search_timeout" 503 "Search timed out", "検索のタイムアウト",
        "The search did not finish within ten seconds, including the time in the queue. Simplify it, for example with fewer or \
         longer terms, or try again later.",
        "待ち時間を含めて10秒以内に検索が終わりませんでした。語を減らす、語を長くするなどして負荷を下げるか、後で再送してください。";
    TooManyConnections "too_many_connections" 503 "Too many connections", "接続が多すぎる",
        "The server, or the address of the client, has reached its limit of open connections. Keep connections open and reuse them, or try again later.",
        "サーバー全体、または接続元のアドレスで、同時に開ける接続の上限に達しています。接続を使い回すか、後で再送してください。";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    pub code: Code,
    /// "expected …; found …", without a full stop.
    pub detail: Cow<'static, str>,
    /// The invalid parameter, if any; in a body the path of the member.
    pub parameter: Option<Cow<'static, str>>,
    /// The methods of the path, for the `Allow` header of a 405.
    pub allow: Option<&'static str>,
}

impl ApiError {
    pub fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> ApiError {
        ApiError { code, detail: detail.into(), parameter: None, allow: None }
    }

    pub fn in_parameter(
        parameter: impl Into<Cow<'static, str>>,
        code: Code,
        detail: impl Into<Cow<'static, str>>,
    ) -> ApiError {
        ApiError { parameter: Some(parameter.into()), ..ApiError::new(code, detail) }
    }

    pub fn write(&self, language: Language, out: &mut Vec<u8>) {
        let code = self.code.as_str();
        put(out, &["{\"type\":\"/docs/errors#", code, "\",\"title\":"]);
        push_string(out, language.text(self.code.title()));
        let status = self.code.status();
        put(out, &[",\"status\":", status.as_str(), ",\"code\":\"", code, "\",\"detail\":"]);
        push_string(out, &mask_keys(&self.detail_in(language)));
        if let Some(parameter) = &self.parameter {
            put(out, &[",\"parameter\":"]);
            push_string(out, &mask_keys(parameter));
        }
        put(out, &["}"]);
    }

    /// The detail; in English where the table of texts does not have it.
    fn detail_in(&self, language: Language) -> Cow<'_, str> {
        let translated = match language {
            Language::English => None,
            Language::Japanese => japanese(&self.detail),
        };
        translated.map_or(Cow::Borrowed(&*self.detail), Cow::Owned)
    }
}

/// An invalid value, truncated for an error.
pub fn excerpt(text: &str) -> &str {
    text.char_indices().nth(EXCERPT_CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(error: &ApiError) -> String {
        let mut out = Vec::new();
        error.write(Language::English, &mut out);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn body_has_the_members_of_rfc_9457_in_order() {
        let detail = "a postal code has 7 digits; found 8";
        let error = ApiError::in_parameter("postal_code", Code::InvalidPostalCode, detail);
        assert_eq!(
            body(&error),
            "{\"type\":\"/docs/errors#invalid_postal_code\",\"title\":\"Invalid postal code\",\
             \"status\":400,\"code\":\"invalid_postal_code\",\
             \"detail\":\"a postal code has 7 digits; found 8\",\"parameter\":\"postal_code\"}"
        );
    }

    #[test]
    fn only_the_texts_for_people_are_in_japanese() {
        let detail = "expected one of GET, HEAD; found POST";
        let error = ApiError::in_parameter("method", Code::MethodNotAllowed, detail);
        let mut out = Vec::new();
        error.write(Language::Japanese, &mut out);
        assert_eq!(
            String::from_utf8(out).expect("JSON is UTF-8"),
            "{\"type\":\"/docs/errors#method_not_allowed\",\"title\":\"許可されていないメソッド\",\
             \"status\":405,\"code\":\"method_not_allowed\",\
             \"detail\":\"GET, HEADのいずれかが必要ですが、POSTでした\",\"parameter\":\"method\"}"
        );
    }

    #[test]
    fn hostile_text_in_a_detail_stays_inside_its_string() {
        let error = ApiError::new(Code::NoSuchEndpoint, "found \"\\\u{0}\n</script>");
        let value: serde_json::Value = serde_json::from_str(&body(&error)).expect("valid JSON");
        assert_eq!(value["detail"], "found \"\\\u{0}\n</script>");
        assert_eq!(value.get("parameter"), None);
    }

    #[test]
    fn every_code_is_once_in_the_table() {
        for code in Code::ALL {
            let same = Code::ALL.iter().filter(|other| other.as_str() == code.as_str());
            assert_eq!(same.count(), 1, "{code:?}");
            assert!((400..600).contains(&code.status().as_u16()), "{code:?}");
            for Words { en, ja } in [code.title(), code.remedy()] {
                assert!(!en.is_empty() && !ja.is_empty(), "{code:?}");
            }
        }
    }
}
