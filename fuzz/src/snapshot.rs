//! Fuzz target of snapshots with changed bytes and repaired checksums: each is refused, or look-ups return valid JSON.
//!
//! Disk errors and bad copies leave wrong checksums, but a faulty program or an attacker can write right ones. Offsets
//! and lengths inside the sections then point anywhere.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::sample_server::{SERVER, try_command};

/// A snapshot of the sample data, and the commands that read it.
struct Subject {
    dataset: &'static str,
    version: &'static str,
    commands: &'static [&'static [&'static str]],
}

const SUBJECTS: [Subject; 5] = [
    Subject {
        dataset: "postal",
        version: "2026-06-30",
        commands: &[
            &["lookup", "postal", "1000001"],
            &["lookup", "postal", "1008924"],
            &["search", "address", "東京都千代田区霞が関1-2-1"],
            &["search", "address", "--q", "千代田 OR 京都"],
        ],
    },
    Subject {
        dataset: "corporate",
        version: "2026-08-03",
        commands: &[
            &["lookup", "corporate", "1010001999906"],
            &["search", "corporate", "株式会社", "--facet-area", "/"],
            &["search", "corporate", "台帳 AND prefecture_name:東京"],
        ],
    },
    Subject {
        dataset: "bank",
        version: "2026-05-25",
        commands: &[&["lookup", "bank", "0001"], &["lookup", "bank", "0001", "001"]],
    },
    Subject {
        dataset: "invoice",
        version: "2026-08-04",
        commands: &[&["lookup", "invoice", "T2010005999901"]],
    },
    Subject {
        dataset: "school",
        version: "2026-08-25",
        commands: &[&["lookup", "school", "E113210009901"]],
    },
];

/// The folder of the changed snapshot; it has no other files.
static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| tempfile::tempdir().expect("a temporary folder").keep());

/// The first byte chooses the snapshot. Each following six bytes are a change: one chooses the section, four the offset
/// in it, and one is written there.
pub fn run(input: &[u8]) {
    let Some((&first, edits)) = input.split_first() else { return };
    let subject = &SUBJECTS[usize::from(first) % SUBJECTS.len()];
    let name = format!("{}/{}.daicho", subject.dataset, subject.version);
    let mut bytes = fs::read(SERVER.snapshots.join(&name)).expect("the sample has it");
    let sums = block_sums(&bytes);
    for edit in edits.chunks_exact(6).take(16) {
        let sections = sections(&bytes);
        let section = &sections[usize::from(edit[0]) % sections.len()];
        let offset = u32::from_le_bytes([edit[1], edit[2], edit[3], edit[4]]) as usize;
        if !section.body.is_empty() {
            bytes[section.body.start + offset % section.body.len()] = edit[5];
        }
    }
    repair(&mut bytes, &sums);
    run_commands(subject, &bytes);
}

/// Runs every command on the unchanged sample. One that fails there, such as one with an unknown option, would test
/// nothing.
pub fn check_commands() {
    let folder = SERVER.snapshots.to_str().expect("temporary folders have plain names");
    for command in SUBJECTS.iter().flat_map(|subject| subject.commands) {
        let arguments = [command, &["--json", "--snapshots", folder][..]].concat();
        try_command(&arguments).unwrap_or_else(|error| panic!("{command:?}: {error}"));
    }
}

/// For each of these letters, replaces all its occurrences in each snapshot with quotes, and runs the commands.
pub fn quote_letters(letters: &[&str]) {
    for subject in &SUBJECTS {
        let name = format!("{}/{}.daicho", subject.dataset, subject.version);
        let intact = fs::read(SERVER.snapshots.join(&name)).expect("the sample has it");
        let sums = block_sums(&intact);
        for letter in letters {
            let mut bytes = intact.clone();
            for offset in 0..bytes.len() - letter.len() {
                if bytes[offset..].starts_with(letter.as_bytes()) {
                    bytes[offset..offset + letter.len()].fill(b'"');
                }
            }
            repair(&mut bytes, &sums);
            run_commands(subject, &bytes);
        }
    }
}

/// Writes a snapshot with these bytes and runs its commands. Only one thread at a time.
fn run_commands(subject: &Subject, bytes: &[u8]) {
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let path = FOLDER.join(format!("{}/{}.daicho", subject.dataset, subject.version));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    // Remove the old file instead of overwriting it: a mapped file must not change.
    drop(fs::remove_file(&path));
    fs::write(&path, bytes).expect("written");
    let folder = FOLDER.to_str().expect("temporary folders have plain names");
    for command in subject.commands {
        let arguments = [command, &["--json", "--snapshots", folder][..]].concat();
        let Ok(answer) = try_command(&arguments) else { continue };
        let parsed = serde_json::from_slice::<serde_json::Value>(&answer);
        assert!(parsed.is_ok(), "{command:?}: {parsed:?}: {}", String::from_utf8_lossy(&answer));
    }
    fs::remove_file(&path).expect("not removed by others");
}

struct Section {
    /// Offset of its entry in the section table.
    entry: usize,
    body: Range<usize>,
}

/// Sizes and offsets from `src/snapshot/layout.rs`.
const HEADER_BYTES: usize = 64;
const ENTRY_BYTES: usize = 32;
const BLOCK_BYTES: usize = 1 << 15;

fn number<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes[offset..offset + N].try_into().expect("N bytes")
}

fn sections(bytes: &[u8]) -> Vec<Section> {
    let count = u32::from_le_bytes(number(bytes, 32)) as usize;
    let entries = (0..count).map(|section| HEADER_BYTES + section * ENTRY_BYTES);
    let section = |entry| {
        let start = u64::from_le_bytes(number(bytes, entry + 8)) as usize;
        let length = u64::from_le_bytes(number(bytes, entry + 16)) as usize;
        Section { entry, body: start..start + length }
    };
    entries.map(section).collect()
}

/// The checksums of the blocks of a body.
fn sums_of(body: &[u8]) -> Vec<u8> {
    body.chunks(BLOCK_BYTES).flat_map(|block| crc32fast::hash(block).to_le_bytes()).collect()
}

/// The bodies with checksums per block, each with the offset of these checksums in another section.
fn block_sums(bytes: &[u8]) -> Vec<(Range<usize>, usize)> {
    let sections = sections(bytes);
    let with_sums =
        sections.iter().filter(|section| !section.body.is_empty()).filter_map(|section| {
            let sums = sums_of(&bytes[section.body.clone()]);
            let elsewhere = sections.iter().filter(|other| other.entry != section.entry);
            let mut found = elsewhere.filter_map(|other| {
                let mut parts = bytes[other.body.clone()].windows(sums.len());
                Some(other.body.start + parts.position(|part| part == sums)?)
            });
            found.next().map(|offset| (section.body.clone(), offset))
        });
    with_sums.collect()
}

/// Recomputes every checksum.
fn repair(bytes: &mut [u8], sums: &[(Range<usize>, usize)]) {
    for (body, offset) in sums {
        let sums = sums_of(&bytes[body.clone()]);
        bytes[*offset..offset + sums.len()].copy_from_slice(&sums);
    }
    let sections = sections(bytes);
    for section in &sections {
        let end = section.body.start + section.body.len().next_multiple_of(16);
        let checksum = crc32fast::hash(&bytes[section.body.start..end]);
        bytes[section.entry + 24..section.entry + 28].copy_from_slice(&checksum.to_le_bytes());
    }
    let table_end = HEADER_BYTES + sections.len() * ENTRY_BYTES;
    let table = crc32fast::hash(&bytes[HEADER_BYTES..table_end]);
    bytes[36..40].copy_from_slice(&table.to_le_bytes());
    let header = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&header.to_le_bytes());
}

/// A change of one byte at many places of every section of every snapshot.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for dataset in 0..SUBJECTS.len() as u8 {
        for section in 0..16 {
            for (offset, byte) in [(5_u32, 0x80_u8), (40, b'"'), (9999, b'\\')] {
                let offset: [u8; 4] = offset.to_le_bytes();
                seeds.push([&[dataset, section], &offset[..], &[byte]].concat());
            }
        }
    }
    seeds
}
