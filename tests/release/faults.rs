//! Publishing to an object store that is busy, refuses, returns broken bodies or is unreachable.

use crate::activate::three_releases;
use crate::s3::Fault;
use crate::{Depot, object};

#[test]
fn requests_to_a_busy_store_are_retried() {
    let depot = Depot::make();
    depot
        .s3
        .rule(|number, _, _| number.is_multiple_of(3).then_some(Fault::Refused(503, "SlowDown")));
    depot.json(&["push", "--activate"]);
    depot.s3.heal();
    depot.assert_whole();
}

#[test]
fn each_refusal_says_what_to_do() {
    let depot = Depot::make();
    #[track_caller]
    fn check(depot: &Depot, fault: Fault, expected: [&str; 2]) {
        depot.s3.rule(move |_, method, _| (method == "PUT").then_some(fault));
        let message = depot.fails(&["push"], 1);
        for part in expected {
            assert!(message.contains(part), "{part} is not in {message}");
        }
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!message.contains("secret"), "{message}");
    }
    let rights = "docs/operating/releases.md";
    check(
        &depot,
        Fault::Refused(403, "AccessDenied"),
        ["status 403 Forbidden (AccessDenied)", rights],
    );
    check(&depot, Fault::Refused(401, "InvalidAccessKeyId"), ["InvalidAccessKeyId", rights]);
    check(&depot, Fault::Refused(400, "InvalidRequest"), ["InvalidRequest", "check the address"]);
    assert!(depot.s3.names().is_empty());
    let message = String::from_utf8_lossy(
        &depot
            .command(&["list"])
            .env("DAICHO_RELEASES", "s3://nowhere/x")
            .output()
            .expect("runs")
            .stderr,
    )
    .into_owned();
    let mut command = depot.command(&["list"]);
    let without_tls = command.env_remove("AWS_ALLOW_HTTP").output().expect("runs");
    let without_tls = String::from_utf8_lossy(&without_tls.stderr);
    assert!(without_tls.contains("set AWS_ALLOW_HTTP=true"), "{without_tls}");
    assert!(
        message.contains("NoSuchBucket") && message.contains("create the bucket first"),
        "{message}"
    );
}

/// A store that removes no claim.
fn keep_claims(depot: &Depot) {
    depot.s3.rule(|_, method, target| {
        let removes_claim = method == "DELETE" && target.contains("/claims/");
        removes_claim.then_some(Fault::Refused(403, "AccessDenied"))
    });
}

#[test]
fn a_claim_that_cannot_be_removed_does_not_hide_the_result() {
    let depot = three_releases();
    let left = "everything else is done";
    keep_claims(&depot);
    let message = depot.fails(&["activate", "1"], 1);
    assert!(message.contains(left) && message.contains("/claims/write-"), "{message}");
    assert_eq!(depot.object("current")["all"]["release"], 1, "it is active");
    let message = depot.fails(&["push", "--activate"], 1);
    assert!(message.contains(left), "{message}");
    assert_eq!(depot.object("current")["all"]["release"], 3);
    for (arguments, expected) in [
        (&["activate", "4"][..], "expected release 4, found none"),
        (&["rollback", "--label", "canary"], "expected an earlier active release"),
    ] {
        let message = depot.fails(arguments, 1);
        assert!(message.contains(expected) && !message.contains(left), "{message}");
    }
    let message = depot.fails(&["prune", "--keep", "3", "--yes"], 1);
    assert!(message.contains(left), "{message}");
    let message = depot.fails(&["activate", "2"], 1);
    assert!(message.contains("expected no running prune") && !message.contains(left), "{message}");
}

#[test]
fn a_claim_whose_name_exists_is_reported_and_removed() {
    let depot = three_releases();
    // As if the store had carried out a request whose response was lost.
    depot.s3.rule(|_, method, target| {
        let creates_claim = method == "PUT" && target.contains("/claims/");
        creates_claim.then_some(Fault::Refused(412, "PreconditionFailed"))
    });
    let message = depot.fails(&["activate", "1"], 1);
    assert!(message.contains("create a new object, found one that exists already"), "{message}");
    assert!(message.contains("try again") && !message.contains("conditional"), "{message}");
    assert!(
        depot
            .s3
            .requests()
            .iter()
            .any(|request| request.contains("DELETE /depot/japan/prod/claims/"))
    );
    assert!(depot.object("releases/000001.json").is_object());
}

#[test]
fn a_damaged_release_is_reported_and_a_broken_download_is_resumed() {
    let depot = Depot::make();
    depot.json(&["push", "--activate"]);
    depot.s3.rule(|_, _, target| target.contains("releases/").then_some(Fault::WrongBytes));
    let message = depot.fails(&["show", "1"], 3);
    assert!(message.contains("expected release 1, found no JSON"), "{message}");
    // The first two responses break off; the client requests the rest.
    depot.s3.rule(|number, _, target| {
        (number < 2 && target.contains("current")).then_some(Fault::BrokenOff)
    });
    depot.json(&["list"]);
    depot.s3.heal();
    depot.s3.put(&object("releases/000002.json"), b"");
    let message = depot.fails(&["show", "2"], 3);
    assert!(
        message.contains("releases/000002.json: expected release 2, found no JSON"),
        "{message}"
    );
}

#[test]
fn an_unreachable_store_is_reported() {
    let depot = Depot::make();
    let mut command = depot.command(&["list"]);
    // No process listens on the discard port of this machine.
    let output = command.env("AWS_ENDPOINT_URL", "http://127.0.0.1:9").output().expect("runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("Connection refused") && message.contains("check the address"),
        "{message}"
    );
}
