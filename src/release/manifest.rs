//! The releases in the object store, each an object `{"release":{…},"signature":"…"}`, and the files stored for them.
//!
//! The signature covers the exact bytes of the member `release`, which are kept as received, so no canonical
//! JSON form is needed. Paths are derived from the kind and version of a file, never read from the object, so a
//! release cannot name a file outside the folder.

use std::collections::BTreeMap;
use std::fmt;

use data_encoding::BASE64;
use jiff::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::bucket::Bucket;
use super::error::ReleaseError;
use super::identifiers::{self, Number, ProgramVersion, Sha256};
use super::signature::{PublicKey, SigningKey};
use crate::dataset;
use crate::dataset::postal::PostalData;
use crate::dataset::updates::{HOLIDAYS, SUBJECTS};
use crate::snapshot::companion::DOWNLOAD_EXTENSION;
use crate::snapshot::layout::{EXTENSION, FORMAT as SNAPSHOT_FORMAT};
use crate::snapshot::{Dataset, DatasetKind};
use crate::text::codes::{DataVersion, Register};
use crate::text::printable::printable_start;
use crate::update::Subject;

const FORMAT: u64 = 1;

/// Larger than any file, and so small that the sum over a release fits 64 bits.
const FILE_BYTES_MAX: u64 = 1 << 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub number: Number,
    pub created: Creation,
    /// The first program version that can read it.
    pub program: ProgramVersion,
    /// Sorted by path.
    pub files: Vec<Entry>,
}

/// Who created a release, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Creation {
    pub time: Timestamp,
    pub creator: String,
}

impl Creation {
    /// Longest name of a creator.
    pub const CREATOR_CHARS_MAX: usize = 100;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    /// The data version; for a change list, its day.
    pub version: DataVersion,
    pub bytes: u64,
    pub sha256: Sha256,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// With the format number of the file.
    Snapshot(DatasetKind, u32),
    Download,
    /// The numbers of a register that changed on a day.
    Changes(Register),
    /// The Cabinet Office's list of holidays.
    Holidays,
}

impl fmt::Display for EntryKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryKind::Snapshot(dataset, _) => dataset.fmt(out),
            EntryKind::Download => out.pad("postal download"),
            EntryKind::Changes(register) => out.pad(&format!("{register} changes")),
            EntryKind::Holidays => out.pad("holidays"),
        }
    }
}

impl Entry {
    pub fn path(&self) -> String {
        let version = self.version;
        match self.kind {
            EntryKind::Snapshot(dataset, _) => format!("{dataset}/{version}.{EXTENSION}"),
            EntryKind::Download => format!("postal/{version}.{DOWNLOAD_EXTENSION}"),
            EntryKind::Changes(register) => format!("{register}/changes/{version}.txt"),
            EntryKind::Holidays => format!("holidays/{version}.csv"),
        }
    }

    pub fn subject(&self) -> Subject {
        match self.kind {
            EntryKind::Snapshot(dataset, _) => Subject::dataset(dataset),
            EntryKind::Download => Subject::dataset(PostalData::KIND),
            EntryKind::Changes(register) => Subject::dataset(dataset::kind_of(register)),
            EntryKind::Holidays => HOLIDAYS,
        }
    }

    pub fn json(&self) -> Value {
        let (kind, dataset, format) = match self.kind {
            EntryKind::Snapshot(dataset, format) => ("snapshot", dataset, Some(format)),
            EntryKind::Download => ("download", PostalData::KIND, None),
            EntryKind::Changes(register) => ("changes", dataset::kind_of(register), None),
            EntryKind::Holidays => {
                return json!({
                    "kind": "holidays", "version": self.version.to_string(), "file": self.path(),
                    "bytes": self.bytes, "sha256": self.sha256.to_string(),
                });
            }
        };
        let mut entry = json!({
            "kind": kind, "dataset": dataset.name(), "version": self.version.to_string(),
            "file": self.path(), "bytes": self.bytes, "sha256": self.sha256.to_string(),
        });
        if let Some(format) = format {
            entry["format"] = format.into();
        }
        entry
    }

    fn parse(value: &Value) -> Option<Entry> {
        let dataset = || dataset::named(value["dataset"].as_str()?);
        let kind = match value["kind"].as_str()? {
            "snapshot" => {
                EntryKind::Snapshot(dataset()?, u32::try_from(value["format"].as_u64()?).ok()?)
            }
            "download" if dataset()? == PostalData::KIND => EntryKind::Download,
            "changes" => EntryKind::Changes(Register::parse(value["dataset"].as_str()?)?),
            "holidays" => EntryKind::Holidays,
            _ => return None,
        };
        let entry = Entry {
            kind,
            version: DataVersion::parse(value["version"].as_str()?).ok()?,
            bytes: value["bytes"].as_u64().filter(|bytes| *bytes <= FILE_BYTES_MAX)?,
            sha256: Sha256::parse(value["sha256"].as_str()?)?,
        };
        (value["file"].as_str()? == entry.path()).then_some(entry)
    }
}

impl Release {
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|entry| entry.bytes).fold(0, u64::saturating_add)
    }

    /// The newest version of each dataset and of the list of holidays, used when a request names none.
    pub fn newest(&self) -> Vec<(Subject, DataVersion)> {
        let is_version =
            |entry: &&Entry| matches!(entry.kind, EntryKind::Snapshot(..) | EntryKind::Holidays);
        let newest = |subject: Subject| {
            let versions = self.files.iter().filter(is_version);
            let versions = versions.filter(|entry| entry.subject() == subject);
            Some((subject, versions.map(|entry| entry.version).max()?))
        };
        SUBJECTS.into_iter().filter_map(newest).collect()
    }

    fn text(&self) -> String {
        json!({
            "format": FORMAT,
            "number": self.number.value(),
            "made_at": format!("{:.0}", self.created.time),
            "made_by": self.created.creator,
            "program": self.program.to_string(),
            "files": self.files.iter().map(Entry::json).collect::<Vec<_>>(),
        })
        .to_string()
    }

    fn parse(text: &str) -> Result<Release, &'static str> {
        let value: Value = serde_json::from_str(text).map_err(|_malformed| "no JSON")?;
        if value["format"].as_u64() != Some(FORMAT) {
            return Err("a release of another format");
        }
        let read = || {
            let files = value["files"].as_array()?.iter().map(Entry::parse);
            let files = files.collect::<Option<Vec<Entry>>>()?;
            let is_sorted = files.is_sorted_by(|left, right| left.path() < right.path());
            is_sorted.then_some(Release {
                number: Number::from_json(&value["number"])?,
                created: Creation {
                    time: value["made_at"].as_str()?.parse().ok()?,
                    creator: printable_start(
                        value["made_by"].as_str()?,
                        Creation::CREATOR_CHARS_MAX,
                    ),
                },
                program: ProgramVersion::parse(value["program"].as_str()?)?,
                files,
            })
        };
        read().ok_or("unknown members")
    }
}

#[derive(Debug, Clone)]
pub struct Manifest {
    pub release: Release,
    /// The signed text.
    text: String,
    signature: Option<Vec<u8>>,
}

impl Manifest {
    pub fn new(release: Release, key: Option<&SigningKey>) -> Manifest {
        let text = release.text();
        let signature = key.map(|key| key.sign(text.as_bytes()));
        Manifest { release, text, signature }
    }

    pub fn is_signed(&self) -> bool {
        self.signature.is_some()
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let signature = self.signature.as_deref().map(|bytes| BASE64.encode(bytes));
        let signature = Value::from(signature);
        format!("{{\"release\":{},\"signature\":{signature}}}\n", self.text).into_bytes()
    }

    pub fn read(bucket: &Bucket, number: Number) -> Result<Manifest, ReleaseError> {
        let name = number.object_name();
        let Some((bytes, _)) = bucket.read(&name)? else {
            return Err(ReleaseError::NoSuchRelease { url: bucket.url().to_owned(), number });
        };
        Manifest::parse(&bucket.object_url(&name), number, &bytes)
    }

    /// Parses an object. Errors name it by this URL, or by its path in a cache.
    pub fn parse(url: &str, number: Number, bytes: &[u8]) -> Result<Manifest, ReleaseError> {
        let found = |found: &'static str| ReleaseError::MalformedRelease {
            url: url.to_owned(),
            expected: number,
            found,
        };
        let members: BTreeMap<String, Box<RawValue>> =
            serde_json::from_slice(bytes).map_err(|_malformed| found("no JSON"))?;
        let text = members.get("release").ok_or_else(|| found("no member 'release'"))?.get();
        let release = Release::parse(text).map_err(|fault| {
            // A newer program may write what this one does not know; then the remedy is another one.
            match needed_program(text).filter(|program| *program > ProgramVersion::own()) {
                Some(expected) => {
                    let found = ProgramVersion::own();
                    ReleaseError::ProgramTooOld { number, expected, found }
                }
                None => found(fault),
            }
        })?;
        if release.number != number {
            return Err(found("a release of another number"));
        }
        let signature = members.get("signature").map(|value| value.get());
        let signature = match signature {
            None | Some("null") => None,
            Some(text) => {
                let text: Option<String> = serde_json::from_str(text).ok();
                let bytes = text.and_then(|text| BASE64.decode(text.as_bytes()).ok());
                Some(bytes.ok_or_else(|| found("a signature that is not Base64"))?)
            }
        };
        Ok(Manifest { release, text: text.to_owned(), signature })
    }

    /// Fails if the release needs a newer program.
    pub fn check_program(&self) -> Result<(), ReleaseError> {
        let (number, expected) = (self.release.number, self.release.program);
        let found = ProgramVersion::own();
        match expected > found {
            true => Err(ReleaseError::ProgramTooOld { number, expected, found }),
            false => Ok(()),
        }
    }

    /// Fails if this program does not read the snapshots. A server that changed to them would have no data.
    pub fn check_formats(&self) -> Result<(), ReleaseError> {
        check_formats(self.release.number, &self.release.files)
    }

    pub fn verify(&self, key: &PublicKey) -> Result<(), ReleaseError> {
        let number = self.release.number;
        match &self.signature {
            Some(signature) if key.verifies(self.text.as_bytes(), signature) => Ok(()),
            Some(_) => Err(ReleaseError::Signature {
                number,
                found: "one made with another key, or for other content",
            }),
            None => Err(ReleaseError::Signature { number, found: "none" }),
        }
    }
}

/// Fails if one of these files of a release is a snapshot that this program does not read.
pub fn check_formats<'e>(
    number: Number,
    files: impl IntoIterator<Item = &'e Entry>,
) -> Result<(), ReleaseError> {
    let other = files.into_iter().find_map(|entry| match entry.kind {
        EntryKind::Snapshot(_, found) if found != SNAPSHOT_FORMAT => Some((entry.path(), found)),
        _ => None,
    });
    match other {
        None => Ok(()),
        Some((file, found)) => {
            Err(ReleaseError::OtherFormat { number, file, expected: SNAPSHOT_FORMAT, found })
        }
    }
}

/// The program that a release needs, whatever else its text has.
fn needed_program(text: &str) -> Option<ProgramVersion> {
    let value: Value = serde_json::from_str(text).ok()?;
    ProgramVersion::parse(value["program"].as_str()?)
}

/// The stored files: the size of each by the name of its object.
pub fn file_sizes(bucket: &Bucket) -> Result<BTreeMap<String, u64>, ReleaseError> {
    let files = bucket.list(identifiers::FOLDER)?.into_iter();
    Ok(files.map(|object| (object.name, object.bytes)).collect())
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
