//! The protocols of other services over a socket: what is served, keys, pages of other origins, caching.

use crate::support::{Answer, SHOP, ServerProcess, ask, encoded, sample};

const PUBLIC: &str = "public, max-age=86400";

fn open_server() -> ServerProcess {
    ServerProcess::with_snapshots(Some(sample()), &["--compat", "all", "--compat-account", "demo"])
}

fn get(served: &ServerProcess, target: &str) -> Answer {
    ask(served.address, &format!("GET {target}"))
}

const PATHS: [&str; 15] = [
    "/api/search?zipcode=1000001",
    "/data/100.js",
    "/json/100.json",
    "/p/100.json",
    "/g/1.json",
    "/meta.json",
    "/api/v1/1000001.json",
    "/api/v1/100/0001.json",
    "/api/ja.json",
    "/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD.json",
    "/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD/%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA.json?v=1",
    "/v1-ja/api/ja.json",
    "/v1-ja/api/ja/%E6%9D%B1%E4%BA%AC%E9%83%BD/%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA.json",
    "/api/v1/date.json",
    "/api/json?method=searchByPostal&postal=1000001",
];

#[test]
fn only_named_protocols_are_served() {
    let none = ServerProcess::start();
    for path in PATHS {
        get(&none, path).expect_error(404, "no_such_endpoint", None);
    }
    let two = ServerProcess::with_snapshots(Some(sample()), &["--compat", "zipcloud,holidays-jp"]);
    let statuses = PATHS.map(|path| two.get(path).status);
    for (path, status) in PATHS.iter().zip(statuses) {
        let is_named = path.starts_with("/api/search") || path.ends_with("/date.json");
        assert_eq!(status, if is_named { 200 } else { 404 }, "{path}");
    }
}

#[test]
fn a_request_without_a_key_needs_an_account_for_it() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--compat", "all"]);
    for path in PATHS {
        get(&served, path).expect_error(401, "missing_key", None);
    }
    let open = open_server();
    for path in PATHS {
        let answer = get(&open, path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("cache-control"), Some(PUBLIC));
        assert!(answer.header("etag").is_some(), "{path}");
    }
    // A wrong key is not taken for none.
    get(&open, "/data/100.js?key=dk_pub_x").expect_error(401, "invalid_key", None);
    get(&open, "/v1/postalcode/1000001").expect_error(401, "missing_key", None);
}

#[test]
fn a_public_key_may_be_the_first_segment_of_the_path() {
    let served = ServerProcess::with_snapshots(Some(sample()), &["--compat", "all"]);
    let (public, unbound, secret) = (&served.public, &served.unbound, &served.secret);
    for path in PATHS {
        assert_eq!(get(&served, &format!("/{public}{path}")).status, 200, "{path}");
        assert_eq!(get(&served, &format!("/{unbound}{path}")).status, 200, "{path}");
        let leaked = get(&served, &format!("/{secret}{path}"));
        assert_eq!(leaked.status, 401);
        assert!(leaked.text().contains("secret_key_in_url"), "{}", leaked.text());
        let mistyped = get(&served, &format!("/{}{path}", &public[..20]));
        assert!(mistyped.text().contains("invalid_key"), "{}", mistyped.text());
    }
    get(&served, &format!("/{public}/v1/postalcode/1000001")).expect_error(
        404,
        "no_such_endpoint",
        None,
    );
    assert!(!served.logged().contains(public.as_str()), "the log has no whole key");
}

#[test]
fn the_origin_of_a_key_is_checked_where_a_browser_sends_one() {
    let served = open_server();
    let target = format!("/{}/data/100.js", served.public);
    for (headers, expected) in [
        (format!("Origin: {SHOP}"), 200),
        (format!("Referer: {SHOP}/cart"), 200),
        ("Origin: https://other.example".to_owned(), 403),
        ("Referer: https://other.example/".to_owned(), 403),
    ] {
        let answer = ask(served.address, &format!("GET {target}\n{headers}"));
        assert_eq!(answer.status, expected, "{headers}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        // Without a key any page may ask.
        let open = ask(served.address, &format!("GET /data/100.js\n{headers}"));
        assert_eq!(open.status, 200, "{headers}");
    }
}

#[test]
fn pages_may_ask_first_and_heads_and_tags_work() {
    let served = open_server();
    for path in PATHS {
        let preflight = format!(
            "OPTIONS {path}\nOrigin: https://any.example\nAccess-Control-Request-Method: GET"
        );
        let answer = ask(served.address, &preflight);
        assert_eq!((answer.status, answer.header("allow")), (204, Some("GET, HEAD, OPTIONS")));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert!(answer.header("access-control-allow-methods").is_some());
        let whole = get(&served, path);
        let head = ask(served.address, &format!("HEAD {path}"));
        assert_eq!((head.status, head.header("etag")), (200, whole.header("etag")));
        assert!(head.text().is_empty());
        let tag = whole.header("etag").expect("a tag");
        let held = ask(served.address, &format!("GET {path}\nIf-None-Match: {tag}"));
        assert_eq!(held.status, 304, "{path}");
        assert_eq!(held.header("cache-control"), Some(PUBLIC));
        ask(served.address, &format!("POST {path}")).expect_error(405, "method_not_allowed", None);
    }
    assert_eq!(
        get(&served, "/data/100.js").header("daicho-data-version"),
        served.get("/v1/postalcode/1000001").json()["version"].as_str()
    );
}

#[test]
fn heartrails_answers_by_location_code_and_name() {
    let served = open_server();
    let answer = get(&served, "/api/json?method=searchByGeoLocation&x=139.7671&y=35.682");
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    let body = answer.json();
    let towns = body["response"]["location"].as_array().expect("a list");
    let first = "{\"city\":\"千代田区\",\"city_kana\":\"ちよだく\",\"town\":\"丸の内一丁目\",\
        \"town_kana\":\"まるのうち1ちょうめ\",\"x\":\"139.767\",\"y\":\"35.682\",\"distance\":9.052,\
        \"prefecture\":\"東京都\",\"postal\":\"1000005\"}";
    assert!(
        answer.text().starts_with(&format!("{{\"response\":{{\"location\":[{first},")),
        "{}",
        answer.text()
    );
    assert!(towns.len() > 3 && towns.len() <= 10, "{}", towns.len());
    let of_code = "{\"response\":{\"location\":[{\"city\":\"千代田区\",\"city_kana\":\"ちよだく\",\"town\":\"千代田\",\
        \"town_kana\":\"ちよだ\",\"x\":\"139.75\",\"y\":\"35.68\",\"prefecture\":\"東京都\",\"postal\":\"1000001\"}]}}";
    assert_eq!(get(&served, "/api/json?method=searchByPostal&postal=1000001").text(), of_code);
    let call = get(&served, "/api/json?method=searchByPostal&postal=100-0001&jsonp=a.b");
    assert_eq!(call.text(), format!("/**/a.b({of_code});"));
    let suggested = get(
        &served,
        &format!("/api/json?method=suggest&matching=like&keyword={}", encoded("六本木")),
    );
    let towns = suggested.json();
    let towns = towns["response"]["location"].as_array().expect("a list");
    assert!(
        !towns.is_empty() && towns.iter().all(|it| it["city"] == "港区"),
        "{}",
        suggested.text()
    );
    for (query, expected) in [
        ("", "expected method="),
        ("method=getAreas", "expected method="),
        ("method=searchByGeoLocation&x=35.68&y=139.76", "exchange latitude and longitude"),
        ("method=searchByGeoLocation&x=139.76", "a latitude in decimal degrees"),
        ("method=searchByGeoLocation&x=2.35&y=48.85", "not in Japan"),
        ("method=searchByGeoLocation&x=150&y=30", "within 10 km"),
        ("method=searchByPostal&postal=12", "has 7 digits"),
        ("method=searchByPostal&postal=9999999", "no town has this postal code"),
        ("method=suggest&keyword=", "expected keyword"),
        ("method=suggest&keyword=%E3%81%82%E3%81%84%E3%81%86%E3%81%88", "no town has this text"),
    ] {
        let answer = get(&served, &format!("/api/json?{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        let error = answer.json()["response"]["error"].as_str().expect("an error").to_owned();
        assert!(error.contains(expected), "{query}: {error}");
    }
    get(&served, "/api/json?jsonp=f(").expect_error(400, "invalid_parameter", Some("jsonp"));
}

#[test]
fn zipcloud_answers_in_its_own_words() {
    let served = open_server();
    let answer = get(&served, "/api/search?zipcode=100-0001");
    assert_eq!(answer.header("content-type"), Some("text/plain;charset=utf-8"));
    assert_eq!(
        answer.text(),
        "{\"message\":null,\"results\":[{\"address1\":\"東京都\",\"address2\":\"千代田区\",\"address3\":\"千代田\",\
         \"kana1\":\"ﾄｳｷｮｳﾄ\",\"kana2\":\"ﾁﾖﾀﾞｸ\",\"kana3\":\"ﾁﾖﾀﾞ\",\"prefcode\":\"13\",\
         \"zipcode\":\"1000001\"}],\"status\":200}"
    );
    let none = "{\"message\":null,\"results\":null,\"status\":200}";
    assert_eq!(get(&served, "/api/search?zipcode=0000000").text(), none);
    let script = get(&served, "/api/search?zipcode=0000000&callback=jQuery1.f");
    assert_eq!(script.text(), format!("/**/jQuery1.f({none});"));
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    let wrong = get(&served, "/api/search?zipcode=10").json();
    assert_eq!((&wrong["status"], &wrong["results"]), (&400.into(), &serde_json::Value::Null));
    assert_eq!(wrong["message"], "パラメータ「郵便番号」の桁数が不正です。");
    get(&served, "/api/search?zipcode=1000001&callback=alert(1)").expect_error(
        400,
        "invalid_parameter",
        Some("callback"),
    );
}

#[test]
fn files_of_a_prefix_are_scripts() {
    let served = open_server();
    let data = get(&served, "/data/100.js");
    assert_eq!(data.header("content-type"), Some("text/javascript; charset=utf-8"));
    let text = data.text();
    assert!(text.starts_with("$yubin({\"100") && text.ends_with("]});"), "{text}");
    assert!(text.contains("\"1000001\":[13,\"千代田区\",\"千代田\"]"), "{text}");
    assert_eq!(get(&served, "/data/000.js").text(), "$yubin({});");
    let json = get(&served, "/json/100.json?referer=x&callback=y&_=1");
    assert_eq!(json.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(json.header("daicho-notice"), None, "parameters of the client are no mistakes");
    let text = json.text();
    assert!(text.starts_with("jQuery_jpostal_callback(\n[[\"_100"), "{text}");
    assert!(text.contains(
        "[\"_1000001\",\"東京都\",\"千代田区\",\"千代田\",\"\",\"\",\"ﾄｳｷｮｳﾄ\",\"ﾁﾖﾀﾞｸ\",\"ﾁﾖﾀﾞ\"]"
    ));
    assert_eq!(get(&served, "/json/000.json").text(), "jQuery_jpostal_callback(\n[]\n);");
    for path in ["/data/1.js", "/data/1000.js", "/data/abc.js", "/json/10x.json"] {
        get(&served, path).expect_error(404, "no_such_endpoint", None);
    }
    let script = get(&served, "/yubinbango.js").text();
    assert_eq!(script, get(&served, "/js/daicho.js").text());
}

#[test]
fn requests_count_for_the_account_and_its_limits_hold() {
    let served = open_server();
    let answer = get(&served, "/data/100.js");
    assert_eq!(answer.status, 200);
    assert!(served.run("account set demo --rate 1 --burst 1").status.success());
    crate::support::wait_until("the limit", || get(&served, "/data/100.js").status == 429);
    let metrics = get(&served, "/metrics").text();
    assert!(metrics.contains("/data/{prefix}.js"), "{metrics}");
    served.wait_for_log("\"account\":\"demo\"");
}

#[test]
fn holidays_are_files_by_year() {
    let served = open_server();
    let days = get(&served, "/api/v1/2026/date.json").json();
    assert_eq!(days.as_object().map(serde_json::Map::len), Some(18));
    assert_eq!(days["2026-05-06"], "憲法記念日 振替休日");
    let csv = get(&served, "/api/v1/2026/datetime.csv");
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(csv.text().starts_with("1767193200,元日\n"), "{}", csv.text());
    get(&served, "/api/v1/1900/date.json").expect_error(404, "no_such_endpoint", None);
}

#[test]
fn jpzip_has_an_entry_for_each_code_of_an_area() {
    let served = open_server();
    let file = get(&served, "/p/100.json");
    assert_eq!(file.header("content-type"), Some("application/json; charset=utf-8"));
    let entry = "\"1000001\":{\"prefecture\":\"東京都\",\"prefecture_kana\":\"トウキョウト\",\
                 \"prefecture_roma\":\"Tokyo To\",\"prefecture_code\":\"13\",\"city\":\"千代田区\",\
                 \"city_kana\":\"チヨダク\",\"city_roma\":\"Chiyoda Ku\",\"city_code\":\"13101\",\
                 \"towns\":[{\"town\":\"千代田\",\"kana\":\"チヨダ\",\"roma\":\"Chiyoda\"}]}";
    assert!(file.text().contains(entry), "{}", file.text());
    let (prefix, group) = (file.json(), get(&served, "/g/1.json").json());
    let whole_city = get(&served, "/p/060.json").json();
    assert_eq!(
        whole_city["0600000"]["towns"],
        serde_json::json!([{"town": "", "kana": "", "roma": "", "note": "以下に掲載がない場合"}])
    );
    let codes = prefix.as_object().expect("codes");
    assert!(codes.iter().all(|(code, entry)| group[code] == *entry), "{group}");
    assert_eq!(prefix.get("1008111"), None, "no office");
    for (path, code) in [
        ("/p/000.json", "no_such_postal_code"),
        ("/p/10.json", "no_such_endpoint"),
        ("/p/1000.json", "no_such_endpoint"),
        ("/p/abc.json", "no_such_endpoint"),
        ("/g/10.json", "no_such_endpoint"),
        ("/g/x.json", "no_such_endpoint"),
        ("/g/.json", "no_such_endpoint"),
    ] {
        get(&served, path).expect_error(404, code, None);
    }
    let meta = get(&served, "/meta.json").json();
    assert_eq!(meta["spec_version"], "1.0");
    assert!(meta["total_zipcodes"].as_u64() >= Some(codes.len() as u64), "{meta}");
}

#[test]
fn ttskch_and_madefor_have_a_file_for_each_code() {
    let served = open_server();
    let file = get(&served, "/api/v1/1000001.json");
    assert_eq!(file.header("content-type"), Some("application/json; charset=utf-8"));
    let japanese = "\"ja\":{\"prefecture\":\"東京都\",\"address1\":\"千代田区\",\"address2\":\"千代田\",\
                    \"address3\":\"\",\"address4\":\"\"}";
    let roman = "\"en\":{\"prefecture\":\"Tokyo\",\"address1\":\"Chiyoda-ku\",\"address2\":\"Chiyoda\",\
                 \"address3\":\"\",\"address4\":\"\"}";
    let kana = "\"kana\":{\"prefecture\":\"トウキョウト\",\"address1\":\"チヨダク\",\"address2\":\"チヨダ\",\
                \"address3\":\"\",\"address4\":\"\"}";
    assert_eq!(
        file.text(),
        format!(
            "{{\"postalCode\":\"1000001\",\"addresses\":[{{\"prefectureCode\":\"13\",{japanese},{kana},{roman}}}]}}"
        )
    );
    assert_eq!(
        get(&served, "/api/v1/100/0001.json").text(),
        format!("{{\"code\":\"1000001\",\"data\":[{{\"prefcode\":\"13\",{japanese},{roman}}}]}}")
    );
    let office = get(&served, "/api/v1/1008111.json").json();
    let office = &office["addresses"][0];
    assert_eq!(office["ja"]["address3"], "１－１");
    assert_ne!(office["ja"]["address4"], "");
    assert_ne!(office["kana"]["address4"], "");
    assert_eq!(
        (&office["kana"]["address1"], &office["en"]["prefecture"]),
        (&"".into(), &"".into())
    );
    let whole_city = get(&served, "/api/v1/0600000.json").json();
    let whole_city = &whole_city["addresses"][0];
    assert_eq!(
        (&whole_city["ja"]["address2"], &whole_city["prefectureCode"]),
        (&"".into(), &"01".into())
    );
    assert_eq!(whole_city["en"]["address1"], "Chuo-ku, Sapporo-shi");
    for (path, code) in [
        ("/api/v1/0000000.json", "no_such_postal_code"),
        ("/api/v1/000/0000.json", "no_such_postal_code"),
        ("/api/v1/100.json", "no_such_endpoint"),
        ("/api/v1/100-0001.json", "no_such_endpoint"),
        ("/api/v1/100/001.json", "no_such_endpoint"),
        ("/api/v1/1000/001.json", "no_such_endpoint"),
        ("/api/v1/abc/defg.json", "no_such_endpoint"),
    ] {
        get(&served, path).expect_error(404, code, None);
    }
}

#[test]
fn files_of_codes_and_of_years_stand_side_by_side() {
    let holidays = ServerProcess::with_snapshots(Some(sample()), &["--compat", "holidays-jp"]);
    let codes = ServerProcess::with_snapshots(Some(sample()), &["--compat", "ttskch"]);
    for (path, of_holidays, of_codes) in [
        ("/api/v1/date.json", 200, 404),
        ("/api/v1/2026/date.json", 200, 404),
        ("/api/v1/1000001.json", 404, 200),
        ("/api/v1/100/0001.json", 404, 200),
    ] {
        assert_eq!(holidays.get(path).status, of_holidays, "{path}");
        assert_eq!(codes.get(path).status, of_codes, "{path}");
    }
}

const TOKYO: &str = "%E6%9D%B1%E4%BA%AC%E9%83%BD";
const CHIYODA: &str = "%E5%8D%83%E4%BB%A3%E7%94%B0%E5%8C%BA";

#[test]
fn geolonia_lists_municipalities_and_their_towns() {
    let served = open_server();
    let country = get(&served, "/api/ja.json");
    assert_eq!(country.header("content-type"), Some("application/json; charset=utf-8"));
    let updated = country.json()["meta"]["updated"].as_i64().expect("a second");
    assert!(updated > 1_700_000_000, "{updated}");
    let named = |list: &serde_json::Value, member: &str, name: &str| {
        let found = list.as_array().expect("a list").iter().find(|it| it[member] == name).cloned();
        found.unwrap_or_else(|| panic!("no {name} in {list}"))
    };
    let country = country.json();
    let tokyo = named(&country["data"], "pref", "東京都");
    assert_eq!((&tokyo["code"], &tokyo["pref_r"]), (&130_001.into(), &"Tokyo".into()));
    let chiyoda = named(&tokyo["cities"], "city", "千代田区");
    assert_eq!((&chiyoda["code"], &chiyoda["city_r"]), (&131_016.into(), &"Chiyoda-ku".into()));
    assert_eq!((chiyoda.get("county"), chiyoda.get("ward")), (None, None));
    assert!(chiyoda["point"][0].as_f64() > Some(139.0), "longitude first: {chiyoda}");
    let sapporo = named(&named(&country["data"], "pref", "北海道")["cities"], "ward", "中央区");
    assert_eq!((&sapporo["city"], &sapporo["ward_k"]), (&"札幌市".into(), &"チュウオウク".into()));
    assert_eq!(get(&served, &format!("/api/ja/{TOKYO}.json")).json()["data"], tokyo["cities"]);

    let towns = get(&served, &format!("/api/ja/{TOKYO}/{CHIYODA}.json?v={updated}")).json();
    assert_eq!(towns["meta"]["updated"], updated);
    let town = named(&towns["data"], "oaza_cho", "千代田");
    assert_eq!((&town["machiaza_id"], &town["oaza_cho_r"]), (&"".into(), &"Chiyoda".into()));
    assert_eq!((town.get("chome"), town.get("csv_ranges")), (None, None));

    let old = get(&served, "/v1-ja/api/ja.json").json();
    assert!(old["東京都"].as_array().expect("names").contains(&"千代田区".into()), "{old}");
    let old = get(&served, &format!("/v1-ja/api/ja/{TOKYO}/{CHIYODA}.json")).json();
    let town = named(&old, "town", "千代田");
    assert_eq!((&town["koaza"], town["lat"].as_f64() > Some(35.0)), (&"".into(), true));
    for path in ["%E5%8D%83%E4%BB%A3%E7%94%B0.json", "a/%E4%BD%8F%E5%B1%85%E8%A1%A8%E7%A4%BA.json"]
    {
        let none = get(&served, &format!("/v1-ja/api/ja/{TOKYO}/{CHIYODA}/{path}"));
        assert_eq!((none.status, none.text().as_str()), (200, "[]"));
    }
}

#[test]
fn geolonia_knows_no_other_names() {
    let served = open_server();
    for (path, code, parameter) in [
        ("/api/ja/%E6.json".to_owned(), "no_such_prefecture", Some("prefecture")),
        ("/api/ja/Tokyo.json".to_owned(), "no_such_prefecture", Some("prefecture")),
        (format!("/api/ja/x/{CHIYODA}.json"), "no_such_prefecture", Some("prefecture")),
        (format!("/api/ja/{TOKYO}/x.json"), "no_such_endpoint", Some("city")),
        (format!("/api/ja/{TOKYO}/%zz.json"), "no_such_endpoint", Some("city")),
        (format!("/api/ja/{TOKYO}/{CHIYODA}-%E5%9C%B0%E7%95%AA.txt"), "no_such_endpoint", None),
        (format!("/v1-ja/api/ja/{TOKYO}/x.json"), "no_such_endpoint", Some("city")),
        (format!("/v1-ja/api/ja/{TOKYO}/x/y.json"), "no_such_endpoint", Some("city")),
    ] {
        get(&served, &path).expect_error(404, code, parameter);
    }
}

#[test]
fn the_script_of_yubinbango_looks_codes_up_without_a_key() {
    let path = "/yubinbango/v1/postalcode/1000001?api_version=2026-08-01";
    let closed = ServerProcess::with_snapshots(Some(sample()), &["--compat", "yubinbango"]);
    get(&closed, path).expect_error(401, "missing_key", None);
    let with_key = get(&closed, &format!("/{}{path}", closed.unbound));
    let open = open_server();
    let answer = get(&open, path);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!((answer.status, with_key.status), (200, 200));
    assert_eq!(answer.json(), open.get("/v1/postalcode/1000001?api_version=2026-08-01").json());
    get(&open, "/yubinbango/v1/postalcode/0000000").expect_error(
        404,
        "no_such_postal_code",
        Some("postal_code"),
    );
    get(&open, "/yubinbango/v1/postalcode/10").expect_error(
        400,
        "invalid_postal_code",
        Some("postal_code"),
    );
    get(&open, "/yubinbango/v1/whoami").expect_error(404, "no_such_endpoint", None);
}

#[test]
fn the_request_of_an_odoo_add_on_is_answered() {
    // What l10n_jp_partner_zip_address sends by the library requests: it reads the JSON and takes the first result.
    let served = open_server();
    let request = "GET /api/search?zipcode=100-0001\nUser-Agent: python-requests/2.32.5\n\
                   Accept-Encoding: identity\nAccept: */*\nConnection: keep-alive";
    let answer = ask(served.address, request);
    assert_eq!(answer.status, 200);
    let first = &answer.json()["results"][0];
    assert_eq!((&first["address1"], &first["address3"]), (&"東京都".into(), &"千代田".into()));
    assert_eq!(first["prefcode"], "13");
}
