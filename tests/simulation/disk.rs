//! The disk of a machine: a real folder, of which the simulation knows what has reached the disk. A crash loses any part of
//! the rest: names that were given or taken, and the ends of files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use super::random::Random;
use crate::simulated::DiskStep;

#[derive(Debug)]
pub struct Disk {
    root: PathBuf,
    /// Second names of files that are durable, so that a lost removal can be undone. Named by their inodes.
    kept: PathBuf,
    /// The durable lengths of files, by inode.
    lengths: BTreeMap<u64, u64>,
    /// The durable names of each folder.
    names: BTreeMap<PathBuf, BTreeMap<OsString, Named>>,
    pub is_full: bool,
    /// After this many changes the machine crashes.
    pub changes_until_crash: Option<u64>,
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    File(u64),
    Link(PathBuf),
    Folder,
}

impl Disk {
    /// A disk in a new folder, which has the folders `root` and `kept`.
    pub fn new(folder: &Path) -> Disk {
        let (root, kept) = (folder.join("root"), folder.join("kept"));
        fs::create_dir_all(&root).expect("a folder");
        fs::create_dir_all(&kept).expect("a folder");
        let (lengths, names) = (BTreeMap::new(), BTreeMap::new());
        Disk { root, kept, lengths, names, is_full: false, changes_until_crash: None }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path as traces show it.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Whether the machine crashes before this step.
    pub fn crashes(&mut self, step: DiskStep<'_>) -> bool {
        let (DiskStep::Change(_) | DiskStep::Write(_)) = step else { return false };
        let Some(left) = &mut self.changes_until_crash else { return false };
        *left = left.saturating_sub(1);
        *left == 0
    }

    pub fn step(&mut self, step: DiskStep<'_>) -> io::Result<()> {
        match step {
            DiskStep::Write(_) if self.is_full => Err(io::ErrorKind::StorageFull.into()),
            DiskStep::Write(_) | DiskStep::Change(_) => Ok(()),
            DiskStep::SyncedFile(path) => self.keep_file(path),
            DiskStep::SyncedFolder(path) => self.keep_names(path),
        }
    }

    /// Makes everything on the disk durable.
    pub fn keep_all(&mut self) {
        self.names.clear();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for (name, named) in names_in(&folder).expect("a folder") {
                match named {
                    Named::Folder => folders.push(folder.join(name)),
                    Named::File(_) => self.keep_file(&folder.join(name)).expect("a file"),
                    Named::Link(_) => {}
                }
            }
            self.keep_names(&folder).expect("a folder");
        }
    }

    fn keep_file(&mut self, path: &Path) -> io::Result<()> {
        let metadata = fs::metadata(path)?;
        self.lengths.insert(metadata.ino(), metadata.len());
        self.keep_inode(path, metadata.ino())
    }

    fn keep_inode(&self, path: &Path, inode: u64) -> io::Result<()> {
        let kept = self.kept.join(inode.to_string());
        if kept.exists() { Ok(()) } else { fs::hard_link(path, kept) }
    }

    fn keep_names(&mut self, folder: &Path) -> io::Result<()> {
        let names = names_in(folder)?;
        for (name, named) in &names {
            if let Named::File(inode) = named {
                self.keep_inode(&folder.join(name), *inode)?;
            }
        }
        self.names.insert(folder.to_owned(), names);
        Ok(())
    }

    /// What a power failure does: each change that is not durable is lost or not, by chance.
    pub fn lose_changes(&mut self, random: &mut Random) {
        (self.is_full, self.changes_until_crash) = (false, None);
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            let found = names_in(&folder).expect("a folder");
            let durable = self.names.get(&folder).cloned().unwrap_or_default();
            let all: BTreeSet<&OsString> = found.keys().chain(durable.keys()).collect();
            for name in all {
                let (found, durable) = (found.get(name), durable.get(name));
                if found != durable && random.percent(50) {
                    self.restore(&folder.join(name), found, durable);
                }
            }
            for (name, named) in names_in(&folder).expect("a folder") {
                let path = folder.join(name);
                match named {
                    Named::Folder => folders.push(path),
                    Named::File(inode) => self.lose_end(&path, inode, random),
                    Named::Link(_) => {}
                }
            }
        }
        self.keep_all();
    }

    fn restore(&self, path: &Path, found: Option<&Named>, durable: Option<&Named>) {
        // A folder that was removed with its content does not come back.
        if durable == Some(&Named::Folder) {
            return;
        }
        match found {
            Some(Named::Folder) => fs::remove_dir_all(path).expect("a folder"),
            Some(_) => fs::remove_file(path).expect("a file"),
            None => {}
        }
        match durable {
            Some(Named::File(inode)) => {
                fs::hard_link(self.kept.join(inode.to_string()), path).expect("a kept file");
            }
            Some(Named::Link(target)) => symlink(target, path).expect("a link"),
            Some(Named::Folder) | None => {}
        }
    }

    /// Cuts a file somewhere behind its durable end.
    fn lose_end(&self, path: &Path, inode: u64, random: &mut Random) {
        let length = fs::metadata(path).expect("a file").len();
        let durable = self.lengths.get(&inode).copied().unwrap_or(0).min(length);
        if durable < length && random.percent(50) {
            let file = File::options().write(true).open(path).expect("a file");
            file.set_len(random.between(durable, length)).expect("cut");
        }
    }
}

/// What is in a folder, without names that begin with a dot: locks, which need not survive.
fn names_in(folder: &Path) -> io::Result<BTreeMap<OsString, Named>> {
    let mut names = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, metadata) = (entry.file_name(), entry.path().symlink_metadata()?);
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let named = if metadata.is_symlink() {
            Named::Link(fs::read_link(entry.path())?)
        } else if metadata.is_dir() {
            Named::Folder
        } else {
            Named::File(metadata.ino())
        };
        names.insert(name, named);
    }
    Ok(names)
}
