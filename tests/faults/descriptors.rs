//! A limit of open files below 128 ends the start with an error; one below the server's need is logged as a warning.

use std::process::Stdio;

use rustix::process::Signal;

use crate::server::{RunningProcess, ServerSetup};
use crate::support::wait_until;

#[test]
fn a_low_limit_of_open_files_is_an_error_or_a_warning() {
    let setup = ServerSetup::new();
    let path = setup.folder.path().join("log");
    let log = || std::fs::File::create(&path).expect("a log");
    let log_text = || std::fs::read_to_string(&path).expect("a log");
    let mut refused = RunningProcess::start(setup.command("ulimit -n 64", &[]).stderr(log()));
    assert_eq!(refused.end().code(), Some(1), "{}", log_text());
    for part in ["the limit of open files is too low: expected at least 128", "found 64; raise it"]
    {
        assert!(log_text().contains(part), "{}", log_text());
    }
    let mut command = setup.command("ulimit -n 256", &[]);
    let mut server =
        RunningProcess::start_server(command.stdout(Stdio::null()).stderr(log()), &setup);
    assert_eq!(setup.get("/v1/postalcode/1000001").status, 200);
    wait_until("a warning about the limit", || {
        log_text().contains("the limit of open files is below what the server needs")
    });
    server.signal(Signal::TERM);
    assert_eq!(server.end().code(), Some(0));
}
