//! The manifests in `packaging/kubernetes/`: the program accepts every command line and reads every variable, and a
//! validator accepts every resource. `make kubernetes` installs the validator. The tests
//! read only the YAML that these files use: lists and maps with one item on each line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{packaging, text};

const MANIFESTS: [&str; 5] =
    ["builder.yaml", "network.yaml", "secrets.example.yaml", "servers.yaml", "settings.yaml"];

/// The Kubernetes version whose schemas the manifests must match. It should be one that is still maintained.
const KUBERNETES: &str = "1.31";

fn folder() -> PathBuf {
    packaging().join("kubernetes")
}

fn manifest(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("a manifest")
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The items of each list below this key, without quotes and comments.
fn lists(manifest: &str, key: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = manifest.lines().collect();
    let begins = lines.iter().enumerate().filter(|(_, line)| line.trim() == format!("{key}:"));
    let items = |at: usize| {
        let below = lines[at + 1..].iter().take_while(|line| indent(line) > indent(lines[at]));
        let items = below.filter_map(|line| line.trim().strip_prefix("- "));
        items.map(|item| item.trim_matches('"').to_owned()).collect()
    };
    begins.map(|(at, _)| items(at)).collect()
}

/// The value of a key that the manifest has once.
#[track_caller]
fn value<'a>(manifest: &'a str, key: &str) -> &'a str {
    let mut found =
        manifest.lines().filter_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "));
    let first = found.next().unwrap_or_else(|| panic!("no {key}"));
    assert!(found.next().is_none(), "{key} occurs twice");
    first
}

/// The error of the program's command line for these arguments; `None` if it accepts them.
fn refused(arguments: &[String]) -> Option<String> {
    let words = ["daicho".to_owned()].into_iter().chain(arguments.iter().cloned());
    daicho::cli::command().try_get_matches_from(words).err().map(|error| error.to_string())
}

#[test]
fn the_program_accepts_each_command_line() {
    let mut verbs = Vec::new();
    for name in MANIFESTS {
        let manifest = manifest(name);
        let commands = lists(&manifest, "args");
        assert_eq!(commands.len(), manifest.matches("image: daicho").count(), "{name}");
        for arguments in commands {
            assert_eq!(refused(&arguments), None, "{name}: {arguments:?}");
            // Also test the check: it must find an unknown option.
            assert!(refused(&[&arguments[..], &["--drian=1s".to_owned()]].concat()).is_some());
            verbs.push(arguments[0].clone());
        }
    }
    assert_eq!(verbs, ["update", "serve"]);
}

#[test]
fn the_command_reads_each_variable() {
    for (name, verb) in [("servers.yaml", "serve"), ("builder.yaml", "update")] {
        let mut program = daicho::cli::command();
        let command = program.find_subcommand_mut(verb).expect("a command");
        // The help names the variables of options beside them, and other variables in its texts.
        let help = command.render_long_help().to_string();
        let is_name = |letter: char| letter.is_ascii_uppercase() || letter == '_';
        let known: BTreeSet<&str> = help.split(|letter| !is_name(letter)).collect();
        let listed = lists(&manifest(name), "env").concat();
        let names: Vec<&str> =
            listed.iter().filter_map(|item| item.strip_prefix("name: ")).collect();
        let own: Vec<&&str> = names.iter().filter(|name| name.starts_with("DAICHO_")).collect();
        assert!(
            !own.is_empty() && own.iter().all(|name| known.contains(**name)),
            "{name}: {own:?}"
        );
    }
}

#[test]
fn ports_paths_sizes_and_users_agree_between_files() {
    let servers = manifest("servers.yaml");
    let arguments = lists(&servers, "args").concat();
    let option = |name: &str| {
        let found =
            arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("no {name}"))
    };
    for (option_name, port) in [("--listen", 8080), ("--metrics-listen", 9090)] {
        assert_eq!(option(option_name), format!("0.0.0.0:{port}"));
        assert!(servers.contains(&format!("containerPort: {port}")), "{port}");
    }
    assert_eq!(value(&servers, "prometheus.io/port"), "\"9090\"");
    // The cache and the key cache are on the volume, and the volume is larger than the cache.
    for path in ["--cache", "--key-cache"] {
        assert!(option(path).starts_with("/var/cache/daicho/"), "{path}");
    }
    let gib = |text: &str| text.trim_end_matches(['G', 'i']).parse::<u32>().expect("a size in GiB");
    let (_, volume) = servers.split_once("- name: cache\n          emptyDir:").expect("a volume");
    let (_, size) = volume.lines().nth(1).and_then(|line| line.split_once(": ")).expect("a size");
    assert!(gib(option("--cache-size")) < gib(size));
    // The grace period is the one of the systemd unit.
    let unit = fs::read_to_string(packaging().join("systemd/daicho.service")).expect("a unit");
    let seconds = value(&servers, "terminationGracePeriodSeconds");
    assert!(unit.contains(&format!("TimeoutStopSec={seconds}s")), "{seconds}");
    // The user is that of the image.
    let image = fs::read_to_string(packaging().join("docker/Dockerfile")).expect("a file");
    for manifest in [&servers, &manifest("builder.yaml")] {
        let (user, group) = (value(manifest, "runAsUser"), value(manifest, "runAsGroup"));
        assert!(image.contains(&format!("USER {user}:{group}")));
        for hardened in ["runAsNonRoot: true", "readOnlyRootFilesystem: true", "drop: [ALL]"] {
            assert!(manifest.contains(hardened), "{hardened}");
        }
    }
    // If the probe required a dataset that the builder does not build, no pod would become ready.
    let (_, required) = servers.split_once("/readyz?require=").expect("a probe");
    let builder = lists(&manifest("builder.yaml"), "args").concat();
    for dataset in required.lines().next().expect("a line").split(',') {
        assert!(builder.iter().any(|argument| argument == dataset), "{dataset}");
    }
    let listed = lists(&manifest("kustomization.yaml"), "resources").concat();
    let applied = MANIFESTS.into_iter().filter(|name| !name.contains("example"));
    assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), applied.map(str::to_owned).collect());
}

/// Runs the validator that `make kubernetes` installs, or else the one on the PATH.
fn validate(files: &[PathBuf]) -> Output {
    let installed =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("target/kubernetes/bin/kubernetes-validate");
    let programs = [installed, PathBuf::from("kubernetes-validate")];
    let run = |program: &PathBuf| {
        Command::new(program).args(["--strict", "-k", KUBERNETES]).args(files).output().ok()
    };
    programs.iter().find_map(run).expect("one of them is installed")
}

#[needs::kubernetes_validate]
#[test]
fn a_validator_accepts_the_manifests() {
    let files = MANIFESTS.map(|name| folder().join(name));
    let good = validate(&files);
    assert!(good.status.success(), "{}", text(&good));
    assert_eq!(text(&good).matches(" passed ").count(), 12, "{}", text(&good));
    // Also test the check: it must find a misspelled name.
    let wrong = tempfile::tempdir().expect("a folder");
    let file = wrong.path().join("servers.yaml");
    let servers =
        manifest("servers.yaml").replace("readOnlyRootFilesystem", "readonlyRootFilesystem");
    fs::write(&file, servers).expect("written");
    assert!(!validate(&[file]).status.success());
}

#[needs::kubectl]
#[test]
fn kustomize_combines_the_manifests() {
    let built = Command::new("kubectl").arg("kustomize").arg(folder()).output().expect("it runs");
    assert!(built.status.success(), "{}", text(&built));
    let kinds = text(&built).lines().filter(|line| line.starts_with("kind: ")).count();
    assert_eq!(kinds, 9);
    assert!(text(&built).contains("image: daicho:latest"));
}
