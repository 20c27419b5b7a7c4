//! The server below a path of a proxy: nginx and HAProxy, which strip the path or leave it, in a browser and over sockets.

use std::collections::BTreeSet;
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::browser::Browser;
use super::site::{OPERATOR, Site, get, send};
use crate::support::{ask, wait_until};

const BASE: &str = "/daicho";

/// What a proxy does with the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathHandling {
    Stripped,
    Left,
}

/// A proxy and the server behind it.
struct Proxied {
    site: Site,
    address: SocketAddr,
    proxy: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Proxied {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

/// A port that was free a moment ago.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound")
}

fn found(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places: Vec<PathBuf> =
        std::env::split_paths(&path).map(|folder| folder.join(name)).collect();
    places.push(Path::new("/usr/sbin").join(name));
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| panic!("no {name}"))
}

fn nginx(folder: &Path, address: SocketAddr, server: SocketAddr, path: PathHandling) -> Command {
    let target = match path {
        PathHandling::Stripped => format!("http://{server}/"),
        PathHandling::Left => format!("http://{server}"),
    };
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()))
        .concat();
    let config = format!(
        "daemon off; master_process off; pid {0}/pid; error_log {0}/error.log;\n\
         events {{}}\nhttp {{ access_log off;\n{temporary}\
         server {{ listen {address};\n location {BASE}/ {{ proxy_pass {target};\n\
         proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }} }} }}\n",
        folder.display()
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, config).expect("written");
    let mut command = Command::new(found("nginx"));
    command.arg("-p").arg(folder).arg("-e").arg(folder.join("error.log")).arg("-c").arg(file);
    command
}

fn haproxy(
    folder: &Path,
    address: SocketAddr,
    server: SocketAddr,
    path: PathHandling,
    more: &str,
) -> Command {
    let strip = match path {
        PathHandling::Stripped => format!("http-request replace-path {BASE}/(.*) /\\1"),
        PathHandling::Left => String::new(),
    };
    let config = format!(
        "defaults\n mode http\n timeout connect 5s\n timeout client 75s\n timeout server 70s\n\
         frontend front\n bind {address}\n option forwardfor\n {strip}\n default_backend back\n\
         backend back\n server one {server} {more}\n"
    );
    let file = folder.join("haproxy.cfg");
    fs::write(&file, config).expect("written");
    let mut command = Command::new(found("haproxy"));
    command.arg("-f").arg(file);
    command
}

impl Proxied {
    fn start(
        arguments: &[&str],
        command: impl FnOnce(&Path, SocketAddr, SocketAddr) -> Command,
    ) -> Proxied {
        let (folder, address) = (tempfile::tempdir().expect("a folder"), free_address());
        let url = format!("http://{address}{BASE}");
        let own = ["--public-url", &url, "--trusted-proxy", "127.0.0.1"];
        let site = Site::with(&[&own[..], arguments].concat());
        let log = fs::File::create(folder.path().join("log")).expect("a log");
        let proxy = command(folder.path(), address, site.served.address)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the proxy runs");
        wait_until("the proxy", || TcpStream::connect(address).is_ok());
        Proxied { site, address, proxy, _folder: folder }
    }

    fn url(&self) -> String {
        format!("http://{}{BASE}", self.address)
    }

    fn text(&self, path: &str) -> String {
        let answer = ask(self.address, &format!("GET {path}"));
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.text()
    }

    /// Follows the links of the pages from the first one.
    fn check_links(&self) {
        let mut waiting =
            vec![format!("{BASE}/"), format!("{BASE}/demo?key={}", self.site.served.unbound)];
        let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
        while let Some(path) = waiting.pop() {
            let answer = ask(self.address, &format!("GET {path}"));
            assert!([200, 303].contains(&answer.status), "{path}: {answer:?}");
            if let Some(location) = answer.header("location") {
                assert!(location.starts_with(&format!("{BASE}/dashboard")), "{path}: {location}");
                waiting.extend(Some(location.to_owned()).filter(|it| seen.insert(it.clone())));
            }
            if !answer.header("content-type").is_some_and(|it| it.starts_with("text/html")) {
                continue;
            }
            for link in links(&answer.text()) {
                assert!(link.starts_with(&format!("{BASE}/")), "{path} links to {link}");
                let target = link.split('#').next().unwrap_or_default().to_owned();
                if seen.insert(target.clone()) {
                    waiting.push(target);
                }
            }
        }
        for known in [
            "/docs/",
            "/docs/ja/reference",
            "/docs/style.css",
            "/openapi.json",
            "/demo/ja",
            "/dashboard/login",
        ] {
            assert!(
                seen.iter().any(|it| it.starts_with(&format!("{BASE}{known}"))),
                "{known}: {seen:?}"
            );
        }
    }

    /// Signs in over sockets and reads cookies and redirects.
    fn check_session(&self) {
        let login = format!("{BASE}/dashboard/login");
        let password: String = OPERATOR.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let body = format!("name=&password={password}");
        let answer = send(self.address, &login, "", "", body.as_bytes());
        assert_eq!(answer.status, 303, "{}", answer.text());
        let location = answer.header("location").expect("a redirect");
        assert!(location.starts_with(&format!("{BASE}/dashboard")), "{location}");
        let cookies: Vec<&String> = answer
            .headers
            .iter()
            .filter(|(name, _)| name == "set-cookie")
            .map(|(_, it)| it)
            .collect();
        assert_eq!(cookies.len(), 2, "{cookies:?}");
        assert!(cookies.iter().all(|it| it.contains(&format!("; Path={BASE};"))), "{cookies:?}");
        let cookie = cookies[0].split(';').next().expect("a value");
        let page = get(self.address, &format!("{BASE}/dashboard/playground?text=1000001"), cookie);
        assert_eq!(page.status, 200);
        for link in links(&page.text()) {
            assert!(link.starts_with(&format!("{BASE}/")), "{link}");
        }
        assert!(page.text().contains(&format!("{}/v1/postalcode/1000001", self.url())));
    }

    fn check_documents(&self) {
        let document: serde_json::Value =
            serde_json::from_str(&self.text(&format!("{BASE}/openapi.json"))).expect("JSON");
        assert_eq!(document["servers"][0]["url"], self.url());
        let demo = self.text(&format!("{BASE}/demo"));
        assert!(demo.contains(&format!("src=&quot;{}/js/daicho-", self.url())), "the tag");
        assert!(demo.contains(&format!("--origin http://{}<", self.address)), "the key's origin");
        let llms = self.text(&format!("{BASE}/llms.txt"));
        assert!(llms.contains("](/daicho/openapi.json)") && llms.contains(&self.url()), "{llms}");
        let key = format!("Authorization: Token {}", self.site.served.secret);
        let whoami = ask(
            self.address,
            &format!("GET {BASE}/v1/whoami\n{key}\nX-Forwarded-For: 198.51.100.1"),
        );
        // The proxy appends 127.0.0.1, which is trusted too.
        assert!(whoami.text().contains("\"198.51.100.1\""), "{}", whoami.text());
    }

    /// The playground and a form that fills itself, as a user sees them.
    fn check_in_browser(&self, browser: &Browser) {
        browser.go(&format!("{}/dashboard", self.url()));
        browser.fill("input[name=password]", OPERATOR);
        browser.follow("main button");
        assert!(browser.address().starts_with(&format!("{}/dashboard", self.url())));
        browser.go(&format!("{}/dashboard/playground", self.url()));
        browser.fill("input[name=text]", "1000001");
        browser.wait_for_text("main", "千代田");
        browser.go(&format!("{}/docs/", self.url()));
        browser.follow("a[lang=ja]");
        assert_eq!(browser.address(), format!("{}/docs/ja/", self.url()));
        browser.go(&format!("{}/demo?key={}", self.url(), self.site.served.unbound));
        browser.fill("#one .p-postal-code", "1000001");
        browser.wait_for_text("#one .told", "daicho:fill 東京都千代田区千代田");
        assert_eq!(browser.complaints(), Vec::<String>::new());
    }
}

/// The links of a page to paths of its server.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for attribute in [" href=\"/", " src=\"/", " action=\"/", " data-refresh=\"/"] {
        for rest in page.split(attribute).skip(1) {
            let rest = rest.split('"').next().unwrap_or_default();
            found.push(format!("/{}", rest.replace("&amp;", "&")));
        }
    }
    found
}

fn check_all(proxied: &Proxied, browser: Option<&Browser>) {
    proxied.check_links();
    proxied.check_session();
    proxied.check_documents();
    if let Some(browser) = browser {
        proxied.check_in_browser(browser);
    }
}

#[needs::nginx]
#[needs::chromium]
#[test]
fn everything_lives_below_the_path_of_nginx() {
    let browser = Browser::start();
    for path in [PathHandling::Stripped, PathHandling::Left] {
        let proxied =
            Proxied::start(&[], |folder, address, server| nginx(folder, address, server, path));
        check_all(&proxied, Some(&browser));
    }
}

#[needs::haproxy]
#[test]
fn everything_lives_below_the_path_of_haproxy() {
    for path in [PathHandling::Stripped, PathHandling::Left] {
        let proxied = Proxied::start(&[], |folder, address, server| {
            haproxy(folder, address, server, path, "")
        });
        check_all(&proxied, None);
    }
}

#[needs::haproxy]
#[test]
fn haproxy_names_its_client_by_the_proxy_protocol() {
    for version in ["send-proxy", "send-proxy-v2"] {
        let proxied = Proxied::start(&["--proxy-protocol"], |folder, address, server| {
            haproxy(folder, address, server, PathHandling::Left, version)
        });
        let key = format!("Authorization: Token {}", proxied.site.served.secret);
        let whoami = ask(proxied.address, &format!("GET {BASE}/v1/whoami\n{key}"));
        assert!(whoami.text().contains("\"127.0.0.1\""), "{version}: {}", whoami.text());
        let direct = ask(proxied.site.served.address, "GET /v1/whoami");
        assert_eq!(direct.status, 400, "without the header");
    }
}

#[test]
fn a_server_below_a_path_is_still_at_its_root_too() {
    let site = Site::with(&["--public-url", "https://host.example/daicho"]);
    let address = site.served.address;
    for path in ["/healthz", "/daicho/healthz", "/docs/", "/daicho/docs/", "/daicho", "/"] {
        assert_eq!(ask(address, &format!("GET {path}")).status, 200, "{path}");
    }
    assert_eq!(ask(address, "GET /daichou/healthz").status, 404);
    let redirect = ask(address, "GET /dashboard");
    assert_eq!(redirect.header("location"), Some("/daicho/dashboard/login"));
    let home = ask(address, "GET /\nAccept: application/json").json();
    assert_eq!(home["openapi"], "/daicho/openapi.json");
}

#[test]
fn cookies_are_secure_behind_a_trusted_proxy_of_an_https_site() {
    let password: String = OPERATOR.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let body = format!("name=&password={password}");
    let cookie = |arguments: &[&str], path: &str| {
        let site = Site::with(arguments);
        let answer = send(site.served.address, path, "", "", body.as_bytes());
        assert_eq!(answer.status, 303, "{}", answer.text());
        answer.header("set-cookie").expect("a cookie").to_owned()
    };
    let below = ["--public-url", "https://host.example/daicho", "--trusted-proxy", "127.0.0.1"];
    let set = cookie(&below, "/daicho/dashboard/login");
    assert!(set.starts_with("__Secure-daicho=") && set.ends_with("; Secure"), "{set}");
    assert!(set.contains("; Path=/daicho;"), "{set}");
    let root = ["--public-url", "https://host.example", "--trusted-proxy", "127.0.0.1"];
    let set = cookie(&root, "/dashboard/login");
    assert!(set.starts_with("__Host-daicho=") && set.contains("; Path=/;"), "{set}");
    // A browser that reaches the server directly could not send secure cookies back.
    let set = cookie(&root[..2], "/dashboard/login");
    assert!(set.starts_with("daicho="), "{set}");
}
