//! The files of a release: checksums and their signature, the bundle for agents, and the entry for the registry of MCP
//! servers. The tests use small files in place of a release's, and a key of their own.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::{packaging, text};

/// Runs a script of `packaging/` without a signing key of the caller's.
fn script(name: &str, arguments: &[&Path], key: Option<&Path>) -> Output {
    let mut command = Command::new("sh");
    command.arg(packaging().join(name)).args(arguments).env_remove("DAICHO_SIGNING_KEY");
    command.envs(key.map(|key| ("DAICHO_SIGNING_KEY", key)));
    command.output().expect("sh runs")
}

fn make_key(path: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"])
        .arg(path)
        .output()
        .expect("ssh-keygen runs");
    assert!(made.status.success(), "{}", text(&made));
}

/// The commands of packaging/README.md that check a release.
fn verify(folder: &Path, signers: &Path) -> bool {
    let signature = Command::new("ssh-keygen")
        .args(["-Y", "verify", "-I", "daicho", "-n", "file", "-s", "SHA256SUMS.sig", "-f"])
        .arg(signers)
        .current_dir(folder)
        .stdin(fs::File::open(folder.join("SHA256SUMS")).expect("checksums"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let sums = Command::new("sha256sum")
        .args(["--check", "--quiet", "SHA256SUMS"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    signature.expect("runs").success() && sums.expect("runs").success()
}

#[needs::ssh_keygen]
#[test]
fn a_changed_file_or_checksum_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let (release, key) = (folder.path().join("files"), folder.path().join("key"));
    fs::create_dir(&release).expect("created");
    make_key(&key);
    let public = fs::read_to_string(key.with_extension("pub")).expect("a public key");
    let signers = folder.path().join("signers");
    fs::write(&signers, format!("daicho {public}")).expect("written");
    fs::write(release.join("a.tar.xz"), "a").expect("written");
    fs::write(release.join("b.json"), "b").expect("written");

    // A second run replaces the checksums and the signature of the first.
    for _ in 0..2 {
        let signed = script("sign.sh", &[&release], Some(&key));
        assert!(signed.status.success(), "{}", text(&signed));
        assert!(verify(&release, &signers));
    }
    let sums = fs::read_to_string(release.join("SHA256SUMS")).expect("checksums");
    let names: Vec<&str> = sums.lines().filter_map(|line| line.split("  ").nth(1)).collect();
    assert_eq!(names, ["a.tar.xz", "b.json"]);

    fs::write(release.join("b.json"), "c").expect("written");
    assert!(!verify(&release, &signers), "a changed file");
    let changed = sums.replacen(|digit: char| digit.is_ascii_digit(), "f", 1);
    fs::write(release.join("b.json"), "b").expect("written");
    fs::write(release.join("SHA256SUMS"), changed).expect("written");
    assert!(!verify(&release, &signers), "a changed checksum");
    let other = folder.path().join("other");
    make_key(&other);
    assert!(script("sign.sh", &[&release], Some(&other)).status.success());
    assert!(!verify(&release, &signers), "the key of somebody else");
}

#[needs::ssh_keygen]
#[test]
fn signing_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("created");
    let files = folder.path().join("files");
    fs::create_dir(&files).expect("created");
    fs::write(files.join("a"), "a").expect("written");
    let no_key = files.join("a");
    for (arguments, key, code, expected) in [
        (&[][..], None, 2, "expected one folder of files"),
        (&[no_key.as_path()], None, 2, "expected one folder of files"),
        (&[empty.as_path()], None, 1, "found an empty folder"),
        (&[files.as_path()], None, 0, "skipped the signature: set DAICHO_SIGNING_KEY"),
        (
            &[files.as_path()],
            Some(no_key.as_path()),
            1,
            "expected the file of a private OpenSSH key",
        ),
    ] {
        let output = script("sign.sh", arguments, key);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(expected), "{}", text(&output));
        assert!(!files.join("SHA256SUMS.sig").exists(), "{arguments:?}");
    }
}

fn entry(path: &Path) -> Value {
    let json = fs::read_to_string(path).expect("an entry");
    serde_json::from_str(&json).expect("JSON")
}

#[test]
fn the_entry_and_the_manifest_of_the_bundle_are_of_this_version() {
    let (server, manifest) = ("mcp/server.json", "mcp/manifest.json");
    let [server, manifest] = [server, manifest].map(|name| entry(&packaging().join(name)));
    let version = env!("CARGO_PKG_VERSION");
    let package = &server["packages"][0];
    assert_eq!([&server["version"], &package["version"], &manifest["version"]], [version; 3]);
    let url = package["identifier"].as_str().expect("a URL");
    assert!(
        url.starts_with(concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/download/v")),
        "{url}"
    );
    assert!(url.contains(&format!("/v{version}/daicho-{version}-")), "{url}");
    // The registry accepts at most a hundred characters.
    assert!(server["description"].as_str().expect("a text").chars().count() <= 100);
    let dockerfile = fs::read_to_string(packaging().join("docker/Dockerfile")).expect("it");
    let label = format!("io.modelcontextprotocol.server.name={}", server["name"]);
    assert!(dockerfile.contains(&label), "{label}");

    // The program accepts the arguments that the manifest gives it.
    let arguments = manifest["server"]["mcp_config"]["args"].as_array().expect("a list");
    let arguments = arguments.iter().map(|argument| argument.as_str().expect("a text"));
    let folder = tempfile::tempdir().expect("a folder");
    let snapshots = folder.path().to_str().expect("UTF-8");
    let arguments = arguments.map(|text| text.replace("${user_config.snapshots}", snapshots));
    let run = Command::new(env!("CARGO_BIN_EXE_daicho")).args(arguments).output().expect("runs");
    assert!(text(&run).contains("expected snapshots"), "{}", text(&run));
}

#[needs::python]
#[test]
fn the_bundle_holds_the_program_and_the_entry_its_checksum() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("daicho");
    fs::write(&program, "a program").expect("written");
    let notices = folder.path().join("notices");
    fs::write(&notices, "the notices").expect("written");
    let name = Path::new("daicho-0.3.0-aarch64-linux");
    let make = |arguments: &[&Path]| script("mcp/bundle.sh", arguments, None);
    let made = make(&[&program, &notices, name, folder.path()]);
    assert!(made.status.success(), "{}", text(&made));
    let bundle = folder.path().join("daicho-0.3.0-aarch64-linux.mcpb");
    let bytes = fs::read(&bundle).expect("a bundle");

    let list = "import sys, zipfile\n\
                for member in zipfile.ZipFile(sys.argv[1]).infolist(): print(member.filename, oct(member.external_attr >> 16))";
    let listed = Command::new("python3").args(["-c", list]).arg(&bundle).output().expect("runs");
    let expected =
        "manifest.json 0o100644\nTHIRD-PARTY-NOTICES.txt 0o100644\nserver/daicho 0o100755\n";
    assert_eq!(text(&listed), expected);

    let server = entry(&folder.path().join("server.json"));
    let package = &server["packages"][0];
    let url = package["identifier"].as_str().expect("a URL");
    assert!(url.ends_with("/v0.3.0/daicho-0.3.0-aarch64-linux.mcpb"), "{url}");
    let sum = Command::new("sha256sum").arg(&bundle).output().expect("runs");
    assert_eq!(text(&sum).split(' ').next(), package["fileSha256"].as_str());

    // The same program gives the same bytes.
    assert!(make(&[&program, &notices, name, folder.path()]).status.success());
    assert_eq!(fs::read(&bundle).expect("a bundle"), bytes);

    for arguments in [
        &[][..],
        &[name, &notices, name, folder.path()],
        &[&program, name, name, folder.path()],
        &[&program, &notices, name, name],
    ] {
        let refused = make(arguments);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(
            text(&refused).contains("expected PROGRAM NOTICES NAME FOLDER"),
            "{}",
            text(&refused)
        );
    }
}
