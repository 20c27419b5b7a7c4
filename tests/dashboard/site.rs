//! A server with the dashboard on, and functions that sign in to it in a browser or over a socket.

use std::net::SocketAddr;

use super::browser::Browser;
use crate::support::{Answer, Client, ServerProcess, sample};

/// The operator's password.
pub const OPERATOR: &str = "operator's 正しい馬";

/// The password of the account `demo`.
pub const DEMO: &str = "demo's 正しい馬";

/// A running server.
pub struct Site {
    /// The server, with the accounts that the tests of the API use.
    pub served: ServerProcess,
    /// Contains the file with the operator's password, which the server reads again if it restarts.
    folder: tempfile::TempDir,
}

impl Site {
    /// Serves the sample, with the dashboard on.
    pub fn start() -> Site {
        Site::with(&[])
    }

    /// Serves the sample with further arguments.
    pub fn with(arguments: &[&str]) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("password");
        std::fs::write(&file, OPERATOR).expect("written");
        let file = file.display().to_string();
        let mut all = vec!["--admin-password-file", file.as_str()];
        all.extend(arguments);
        Site { served: ServerProcess::with_snapshots(Some(sample()), &all), folder }
    }

    /// Sets the password of the account `demo`, and signs in to it over a socket.
    pub fn demo_session(&self) -> Session {
        let operator = self.session("", OPERATOR);
        let token = operator.token.as_str();
        let fields = [("token", token), ("action", "password"), ("password", DEMO)];
        let set = self.post("/dashboard/account/1/settings", &operator.cookie, &fields);
        assert_eq!(set.status, 200, "{}", set.text());
        self.session("demo", DEMO)
    }

    /// Changes the password that the server is given when it starts.
    pub fn give_password(&self, password: &str) {
        std::fs::write(self.folder.path().join("password"), password).expect("written");
    }

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.served.address)
    }

    /// Signs in with the browser; an empty name signs the operator in.
    #[track_caller]
    pub fn sign_in(&self, browser: &Browser, name: &str, password: &str) {
        browser.go(&self.url("/dashboard/login"));
        browser.fill("input[name=name]", name);
        browser.fill("input[name=password]", password);
        browser.follow("main button");
    }

    /// Signs in over a socket; returns the cookie and the token of the forms.
    #[track_caller]
    pub fn session(&self, name: &str, password: &str) -> Session {
        let answer = self.post("/dashboard/login", "", &[("name", name), ("password", password)]);
        assert_eq!(answer.status, 303, "{}", answer.text());
        let cookie = answer.header("set-cookie").expect("a cookie");
        let cookie = cookie.split(';').next().expect("name and value").to_owned();
        let page = get(self.served.address, "/dashboard/playground", &cookie);
        let token = page.text();
        let token = token.split("name=\"token\" value=\"").nth(1).expect("a form");
        let token = token.split('"').next().expect("its end").to_owned();
        Session { cookie, token }
    }

    /// Reads a page with this cookie.
    #[track_caller]
    pub fn get(&self, path: &str, cookie: &str) -> Answer {
        get(self.served.address, path, cookie)
    }

    /// Sends a form with this cookie.
    #[track_caller]
    pub fn post(&self, path: &str, cookie: &str, fields: &[(&str, &str)]) -> Answer {
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| {
                let value: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
                format!("{name}={value}")
            })
            .collect();
        send(self.served.address, path, cookie, "", pairs.join("&").as_bytes())
    }
}

/// A session that was begun over a socket.
pub struct Session {
    /// Name and value of the cookie.
    pub cookie: String,
    /// The token that forms must contain.
    pub token: String,
}

/// Reads a page with this cookie.
#[track_caller]
pub fn get(address: SocketAddr, path: &str, cookie: &str) -> Answer {
    crate::support::ask(address, &format!("GET {path}\nCookie: {cookie}"))
}

/// Posts a form's bytes with further header lines.
#[track_caller]
pub fn send(address: SocketAddr, path: &str, cookie: &str, headers: &str, body: &[u8]) -> Answer {
    let mut client = Client::connect(address);
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\nHost: {address}\nConnection: close\nCookie: {cookie}\n\
         Content-Type: application/x-www-form-urlencoded\nContent-Length: {length}\n{headers}"
    );
    client.send(head.trim_end());
    client.send_bytes(body);
    client.receive()
}
