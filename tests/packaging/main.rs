//! The files in `packaging/`: systemd accepts the units and their sandbox, the root folder of the image has the files
//! that the program needs, the scripts are valid, and a release has checksums, a signature, an entry for agents and the
//! notices of third parties.

mod images;
mod kubernetes;
mod make;
mod notices;
mod release_files;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The highest allowed exposure level of `systemd-analyze security`, in tenths: 15 is level 1.5.
const EXPOSURE_MAX: &str = "--threshold=15";

const UNITS: [&str; 4] =
    ["daicho.service", "daicho.socket", "daicho-update.service", "daicho-update.timer"];

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat()).into_owned()
}

/// Copies the units to a folder, with the path of the program under test.
fn units(folder: &Path) -> Vec<PathBuf> {
    let copied = UNITS.map(|unit| {
        let text = fs::read_to_string(packaging().join("systemd").join(unit)).expect("a unit");
        let path = folder.join(unit);
        fs::write(
            &path,
            text.replace("/usr/bin/daicho ", concat!(env!("CARGO_BIN_EXE_daicho"), " ")),
        )
        .expect("written");
        path
    });
    copied.to_vec()
}

#[needs::systemd_analyze]
#[test]
fn systemd_accepts_the_units() {
    let folder = tempfile::tempdir().expect("a folder");
    let units = units(folder.path());
    let verify = |units: &[PathBuf]| {
        let command =
            Command::new("systemd-analyze").args(["verify", "--man=no"]).args(units).output();
        command.expect("runs")
    };
    let good = verify(&units);
    assert!(good.status.success() && good.stderr.is_empty(), "{}", text(&good));
    // Also test the check: it must find a misspelled setting.
    let wrong = fs::read_to_string(&units[0]).expect("a unit");
    fs::write(&units[0], wrong.replace("ProtectSystem=strict", "ProtectSistem=strict"))
        .expect("written");
    assert!(text(&verify(&units[..1])).contains("ProtectSistem"));
}

#[needs::systemd_analyze]
#[test]
fn services_are_sandboxed() {
    let folder = tempfile::tempdir().expect("a folder");
    for unit in
        units(folder.path()).iter().filter(|unit| unit.extension() == Some("service".as_ref()))
    {
        let security = Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--no-pager", EXPOSURE_MAX])
            .arg(unit)
            .output()
            .expect("runs");
        assert!(security.status.success(), "{}", text(&security));
    }
}

/// The program has the commands that the units, the image and the compose file start.
#[test]
fn started_commands_exist() {
    for arguments in [
        &["serve", "--help"][..],
        &["update", "--help"],
        &["build", "included", "--help"],
        &["health", "--help"],
    ] {
        let help =
            Command::new(env!("CARGO_BIN_EXE_daicho")).args(arguments).output().expect("runs");
        assert!(help.status.success(), "{arguments:?}: {}", text(&help));
    }
    let help = Command::new(env!("CARGO_BIN_EXE_daicho")).args(["serve", "--help"]).output();
    assert!(text(&help.expect("runs")).contains("--update"));
}

#[needs::root_certificates]
#[test]
fn root_folder_of_the_image_has_the_program_and_certificates() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    let make = |binary: &Path, notices: &Path, root: &Path| {
        let script = packaging().join("docker/root.sh");
        Command::new("sh").arg(script).args([binary, notices, root]).output().expect("runs")
    };
    let binary = Path::new(env!("CARGO_BIN_EXE_daicho"));
    let notices = folder.path().join("notices");
    fs::write(&notices, "the notices").expect("written");
    let made = make(binary, &notices, &root);
    let refused_owner = text(&made).contains("chown");
    assert!(made.status.success() || refused_owner, "{}", text(&made));
    assert_eq!(
        fs::read(root.join("usr/bin/daicho")).expect("a program"),
        fs::read(binary).expect("it")
    );
    assert!(
        root.join("etc/ssl/certs/ca-certificates.crt").metadata().expect("a file").len() > 1_000
    );
    assert!(root.join("var/lib/daicho").is_dir() && root.join("tmp").is_dir());
    let documents = root.join("usr/share/doc/daicho");
    let copied = fs::read_to_string(documents.join("THIRD-PARTY-NOTICES.txt")).expect("notices");
    assert_eq!(copied, "the notices");
    for file in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "DATA-LICENCES.md"] {
        assert!(documents.join(file).is_file(), "{file}");
    }
    let (nowhere, other) = (Path::new("/nowhere"), folder.path().join("other"));
    for (binary, notices, root, expected) in [
        (binary, notices.as_path(), root.as_path(), "exists; remove it"),
        (nowhere, &notices, &other, "run 'make static' first"),
        (binary, nowhere, &other, "run 'make notices' first"),
    ] {
        let refused = make(binary, notices, root);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused).contains(expected), "{}", text(&refused));
    }
    let script = packaging().join("docker/root.sh");
    let usage = Command::new("sh").arg(script).output().expect("runs");
    assert_eq!(
        (usage.status.code(), text(&usage).contains("expected BINARY NOTICES FOLDER")),
        (Some(2), true)
    );
}

#[test]
fn scripts_are_valid_shell() {
    for script in [
        "docker/root.sh",
        "image.sh",
        "paths.sh",
        "release.sh",
        "sign.sh",
        "mcp/bundle.sh",
        "debian/postinst",
    ] {
        let checked =
            Command::new("sh").arg("-n").arg(packaging().join(script)).output().expect("runs");
        assert!(checked.status.success(), "{script}: {}", text(&checked));
    }
}

#[needs::python]
#[test]
fn scripts_of_the_drill_are_valid_python() {
    let scripts = fs::read_dir(packaging().join("drill")).expect("a folder");
    let scripts = scripts.map(|entry| entry.expect("an entry").path());
    let scripts: Vec<PathBuf> =
        scripts.filter(|it| it.extension() == Some("py".as_ref())).collect();
    assert!(scripts.len() > 5, "{scripts:?}");
    let parse = "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path)";
    let mut command = Command::new("python3");
    command.args(["-c", parse]).args(scripts);
    let parsed = command.output().expect("python3 runs");
    assert!(parsed.status.success(), "{}", text(&parsed));
}
