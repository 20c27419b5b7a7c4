//! The archive: what it has, how it is written, and how it is read with every check.
//!
//! A reader passes entries in order. It fails at the first that is not as it was written, and at the end if the archive
//! was cut off or has another content than the writer's checksum says. So a first reading without effect proves a second
//! one of the same bytes.

use std::io::{self, BufReader, ErrorKind, Read, Write};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::BackupError;
use super::sealed::SealedKey;
use crate::text::named_enum::named_enum;

/// The format that this version writes. Raised by every change that an earlier version would misread.
const FORMAT: u64 = 1;

const HEADER: &str = "daicho-backup.json";
const SEALED_KEY: &str = "webhook-key.json";
const COMPLETE: &str = "complete.json";
const STATE: &str = "state";

/// The first bytes of every zstd stream.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether a file that begins with these bytes may be an archive.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(&ZSTD_MAGIC)
}

/// Much longer than any entry: a batch of rows has some megabytes.
const ENTRY_BYTES_MAX: u64 = 256 << 20;

/// Level 3 of zstd: random hashes, the most of a state, do not become smaller with a higher one.
const ZSTD_LEVEL: i32 = 3;

named_enum! {
    fn name;
    /// What a file of the operator is, by its folder in the archive.
    pub enum FileKind {
        Corrections = "corrections",
        Holidays = "holidays",
        Settings = "settings",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    format: u64,
    /// The version of the program that wrote it.
    pub program: String,
    /// When it was written, in UTC.
    pub created: String,
    pub tables: Vec<HeaderTable>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderTable {
    pub name: String,
    pub columns: Vec<String>,
    /// The largest number that the table has given to a row.
    pub last_number: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Complete {
    entries: u64,
    sha256: String,
}

/// An entry of an archive after its header.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    /// Rows of the table with this name.
    Rows {
        table: String,
        lines: Vec<u8>,
    },
    File {
        kind: FileKind,
        name: String,
        content: Vec<u8>,
    },
    SealedKey(SealedKey),
}

impl Header {
    pub fn new(created: Timestamp, tables: Vec<HeaderTable>) -> Header {
        let (program, created) = (env!("CARGO_PKG_VERSION").to_owned(), created.to_string());
        Header { format: FORMAT, program, created, tables }
    }

    /// The format is read first: nothing is known about the rest of a later one.
    fn parse(bytes: &[u8]) -> Result<Header, BackupError> {
        let value: Value = serde_json::from_slice(bytes).map_err(BackupError::damaged)?;
        let found = value["format"].as_u64().ok_or_else(|| BackupError::damaged("no format"))?;
        if found > FORMAT {
            let program = value["program"].as_str().unwrap_or("of a later version").to_owned();
            return Err(BackupError::LaterFormat { expected: FORMAT, found, program });
        }
        serde_json::from_value(value).map_err(BackupError::damaged)
    }
}

/// The checksum of all entries: of each name and content, with their lengths.
#[derive(Default)]
struct Checksum {
    hash: Sha256,
    entries: u64,
}

impl Checksum {
    fn add(&mut self, name: &str, content: &[u8]) {
        for part in [name.as_bytes(), content] {
            self.hash.update((part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
        self.entries += 1;
    }

    fn complete(self) -> Complete {
        let sha256 = data_encoding::HEXLOWER.encode(&self.hash.finalize());
        Complete { entries: self.entries, sha256 }
    }
}

pub struct ArchiveWriter<W: Write> {
    tar: tar::Builder<zstd::Encoder<'static, W>>,
    checksum: Checksum,
    /// In seconds since 1970, for the entries.
    created: u64,
    /// Batches of rows written so far: they have the number in their name.
    batches: u64,
}

impl<W: Write> ArchiveWriter<W> {
    pub fn new(
        out: W,
        header: &Header,
        created: Timestamp,
    ) -> Result<ArchiveWriter<W>, BackupError> {
        let encoder = zstd::Encoder::new(out, ZSTD_LEVEL).and_then(|mut encoder| {
            encoder.include_checksum(true)?;
            Ok(encoder)
        });
        let tar = tar::Builder::new(encoder.map_err(BackupError::Write)?);
        let checksum = Checksum::default();
        let created = u64::try_from(created.as_second()).unwrap_or_default();
        let mut writer = ArchiveWriter { tar, checksum, created, batches: 0 };
        writer.add(HEADER, &json(header))?;
        Ok(writer)
    }

    pub fn add_rows(&mut self, table: &str, lines: &[u8]) -> Result<(), BackupError> {
        self.batches += 1;
        self.add(&format!("{STATE}/{table}/{:06}.jsonl", self.batches), lines)
    }

    /// Adds a file; its name must not have a folder.
    pub fn add_file(
        &mut self,
        kind: FileKind,
        name: &str,
        content: &[u8],
    ) -> Result<(), BackupError> {
        self.add(&format!("{}/{name}", kind.name()), content)
    }

    pub fn add_sealed_key(&mut self, key: &SealedKey) -> Result<(), BackupError> {
        self.add(SEALED_KEY, &json(key))
    }

    /// Ends the archive and returns what it was written to.
    pub fn finish(mut self) -> Result<W, BackupError> {
        let complete = std::mem::take(&mut self.checksum).complete();
        self.append(COMPLETE, &json(&complete)).map_err(BackupError::Write)?;
        let finished = self.tar.into_inner().and_then(zstd::Encoder::finish);
        finished.map_err(BackupError::Write)
    }

    fn add(&mut self, name: &str, content: &[u8]) -> Result<(), BackupError> {
        self.checksum.add(name, content);
        self.append(name, content).map_err(BackupError::Write)
    }

    fn append(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut head = tar::Header::new_gnu();
        head.set_size(content.len() as u64);
        head.set_mode(0o600);
        head.set_mtime(self.created);
        self.tar.append_data(&mut head, name, content)
    }
}

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("maps with texts as keys")
}

pub struct ArchiveReader<R: Read> {
    archive: R,
}

impl<R: Read> ArchiveReader<R> {
    pub fn new(archive: R) -> ArchiveReader<R> {
        ArchiveReader { archive }
    }

    /// Passes the header, then each other entry with it, and checks that the archive is whole.
    pub fn read(
        self,
        mut each: impl FnMut(&Header, Entry) -> Result<(), BackupError>,
    ) -> Result<Header, BackupError> {
        let mut archive = BufReader::with_capacity(1 << 16, self.archive);
        let mut magic = [0; ZSTD_MAGIC.len()];
        let begun = archive.read_exact(&mut magic);
        let magic = magic.as_slice();
        match begun {
            Ok(()) if magic == ZSTD_MAGIC => {}
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => {
                return Err(BackupError::Read(error));
            }
            _ => return Err(BackupError::NotABackup),
        }
        let stream = zstd::Decoder::new(magic.chain(archive)).map_err(fault)?;
        let mut tar = tar::Archive::new(stream);
        let mut checksum = Checksum::default();
        let mut header = None;
        let mut complete: Option<Complete> = None;
        for entry in tar.entries().map_err(fault)? {
            let mut entry = entry.map_err(fault)?;
            let (name, content) = content(&mut entry)?;
            if complete.is_some() {
                return Err(BackupError::damaged("entries after the last one"));
            }
            match (&header, name.as_str()) {
                (None, HEADER) => header = Some(Header::parse(&content)?),
                (None, _) => return Err(BackupError::NotABackup),
                (Some(_), COMPLETE) => {
                    complete =
                        Some(serde_json::from_slice(&content).map_err(BackupError::damaged)?);
                    continue;
                }
                (Some(header), name) => each(header, parse(name, content.clone())?)?,
            }
            checksum.add(&name, &content);
        }
        // The checksum of the compressed stream stands after its last byte.
        io::copy(&mut tar.into_inner(), &mut io::sink()).map_err(fault)?;
        let header = header.ok_or(BackupError::NotABackup)?;
        let (written, found) = (complete.ok_or(BackupError::Truncated)?, checksum.complete());
        if (written.entries, &written.sha256) != (found.entries, &found.sha256) {
            return Err(BackupError::damaged("its content has another checksum"));
        }
        Ok(header)
    }
}

fn content<R: Read>(entry: &mut tar::Entry<'_, R>) -> Result<(String, Vec<u8>), BackupError> {
    let name = String::from_utf8(entry.path_bytes().into_owned()).map_err(BackupError::damaged)?;
    if entry.size() > ENTRY_BYTES_MAX || !entry.header().entry_type().is_file() {
        return Err(BackupError::Damaged(format!("{name} is too long or no file")));
    }
    let mut content = Vec::new();
    entry.read_to_end(&mut content).map_err(fault)?;
    Ok((name, content))
}

fn parse(name: &str, content: Vec<u8>) -> Result<Entry, BackupError> {
    let unknown = || BackupError::Damaged(format!("unknown entry {name:?}"));
    if name == SEALED_KEY {
        return serde_json::from_slice(&content)
            .map(Entry::SealedKey)
            .map_err(BackupError::damaged);
    }
    let (folder, name) = name.split_once('/').ok_or_else(unknown)?;
    if folder == STATE {
        let (table, _number) = name.split_once('/').ok_or_else(unknown)?;
        return Ok(Entry::Rows { table: table.to_owned(), lines: content });
    }
    let kind = FileKind::parse(folder).ok_or_else(unknown)?;
    // A name with a folder could lead anywhere.
    let is_plain =
        !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != ".." && name != ".";
    if !is_plain {
        return Err(unknown());
    }
    Ok(Entry::File { kind, name: name.to_owned(), content })
}

/// The fault that an error of the decoders stands for.
fn fault(error: io::Error) -> BackupError {
    let text = error.to_string();
    // tar reports a missing rest as an error of kind Other.
    if error.kind() == ErrorKind::UnexpectedEof
        || text.contains("EOF")
        || text.contains("incomplete")
    {
        BackupError::Truncated
    } else if error.raw_os_error().is_some() {
        BackupError::Read(error)
    } else {
        BackupError::Damaged(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let columns = vec!["id".to_owned(), "name".to_owned()];
        let table = HeaderTable { name: "account".to_owned(), columns, last_number: 3 };
        Header::new(Timestamp::UNIX_EPOCH, vec![table])
    }

    fn written() -> Vec<u8> {
        let mut writer =
            ArchiveWriter::new(Vec::new(), &header(), Timestamp::UNIX_EPOCH).expect("begun");
        writer.add_rows("account", b"[1,\"a\"]\n").expect("added");
        writer.add_file(FileKind::Corrections, "banks.csv", b"1,2\n").expect("added");
        writer.add_file(FileKind::Settings, "daicho.toml", "# 設定".as_bytes()).expect("added");
        writer.finish().expect("finished")
    }

    fn read(bytes: &[u8]) -> Result<Vec<Entry>, BackupError> {
        let mut found = Vec::new();
        let each = |_header: &Header, entry| {
            found.push(entry);
            Ok(())
        };
        ArchiveReader::new(bytes).read(each)?;
        Ok(found)
    }

    /// An archive with these entries after its header and with a right checksum.
    fn archive_of(header: &[u8], names: &[&str]) -> Vec<u8> {
        let encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
        let mut writer = ArchiveWriter {
            tar: tar::Builder::new(encoder),
            checksum: Checksum::default(),
            created: 0,
            batches: 0,
        };
        writer.add(HEADER, header).expect("added");
        for name in names {
            writer.checksum.add(name, b"{}");
            let mut head = tar::Header::new_gnu();
            head.set_size(2);
            // As another program may write it: the library refuses `..`.
            let field = &mut head.as_old_mut().name;
            field[..name.len()].copy_from_slice(name.as_bytes());
            head.set_cksum();
            writer.tar.append(&head, &b"{}"[..]).expect("added");
        }
        writer.finish().expect("finished")
    }

    #[test]
    fn what_was_written_is_read() {
        let found = read(&written()).expect("whole");
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[0],
            Entry::Rows { table: "account".into(), lines: b"[1,\"a\"]\n".to_vec() }
        );
        let file = |kind, name: &str, content: &str| Entry::File {
            kind,
            name: name.to_owned(),
            content: content.as_bytes().to_vec(),
        };
        assert_eq!(found[1], file(FileKind::Corrections, "banks.csv", "1,2\n"));
        assert_eq!(found[2], file(FileKind::Settings, "daicho.toml", "# 設定"));
    }

    #[test]
    fn a_cut_archive_is_truncated_wherever_it_is_cut() {
        let whole = written();
        for length in ZSTD_MAGIC.len()..whole.len() {
            let error = read(&whole[..length]).expect_err("cut");
            assert!(
                matches!(error, BackupError::Truncated),
                "{length} of {}: {error}",
                whole.len()
            );
        }
        for length in 0..ZSTD_MAGIC.len() {
            let error = read(&whole[..length]).expect_err("cut");
            assert!(matches!(error, BackupError::NotABackup), "{length}: {error}");
        }
    }

    #[test]
    fn a_changed_byte_never_changes_the_content() {
        let whole = written();
        let sound = read(&whole).expect("whole");
        for index in 0..whole.len() {
            let mut changed = whole.clone();
            changed[index] ^= 1;
            match read(&changed) {
                Err(error) => assert!(error.is_damage(), "byte {index}: {error}"),
                // Such as the size of the window, which changes no content.
                Ok(found) => assert_eq!(found, sound, "byte {index}"),
            }
        }
        assert!(read(&[&whole[..], b"more"].concat()).is_err(), "bytes after the end");
    }

    #[test]
    fn other_files_and_later_formats_are_named() {
        for other in [&b""[..], b"SQLite format 3\0", b"[serve]\n"] {
            assert!(matches!(read(other), Err(BackupError::NotABackup)));
        }
        let tar_of_others = zstd::encode_all(&b"no tar"[..], 1).expect("compressed");
        assert!(read(&tar_of_others).is_err_and(|error| error.is_damage()));
        let later = archive_of(b"{\"format\":2,\"program\":\"9.1.0\",\"new\":[]}", &[]);
        let error = read(&later).expect_err("later").to_string();
        assert!(error.contains("found format 2, written by daicho 9.1.0"), "{error}");
        let header = json(&header());
        assert!(read(&archive_of(&header, &["settings/a.toml"])).is_ok());
        for name in ["settings/../a", "corrections/a/b", "holidays/..", "settings/", "else/a", "x"]
        {
            let error = read(&archive_of(&header, &[name])).expect_err(name);
            assert!(error.to_string().contains("unknown entry"), "{name}: {error}");
        }
    }
}
