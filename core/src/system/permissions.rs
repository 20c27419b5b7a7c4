//! Who may read and write a file.
//!
//! On Windows a file has no mode: it inherits the rights of its folder. So a state file, a key or a backup there is as
//! private as the folder that the operator chose for it.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Permissions of everybody but the owner.
pub const OTHERS: u32 = 0o077;

/// The mode of files that only their owner may read and write.
pub const PRIVATE: u32 = 0o600;

/// The permission bits; `None` on Windows.
pub fn mode(metadata: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777);
    #[cfg(windows)]
    return {
        let _ = metadata;
        None
    };
}

/// Sets the mode of an open file. Does nothing on Windows.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    return file.set_permissions(of_mode(mode));
    #[cfg(windows)]
    return {
        let _ = (file, mode);
        Ok(())
    };
}

/// Sets the mode of files that these options create; the umask takes bits away. Does nothing on Windows.
pub fn create_with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    #[cfg(unix)]
    return std::os::unix::fs::OpenOptionsExt::mode(options, mode);
    #[cfg(windows)]
    return {
        let _ = mode;
        options
    };
}

/// A builder of temporary files and folders of this mode; the umask takes bits away. Windows ignores the mode.
pub fn temporary<'b>(prefix: &'b str, mode: u32) -> tempfile::Builder<'b, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(of_mode(mode));
    #[cfg(windows)]
    let _ = mode;
    builder
}

/// Gives a file to the user and group that own another, if they differ: root may write a file that a server of another
/// user has to read. Does nothing on Windows, where the folder decides who may.
pub fn give_to_owner_of(file: &File, other: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        if other.uid() != file.metadata()?.uid() {
            fchown(file, Some(other.uid()), Some(other.gid()))?;
        }
    }
    #[cfg(windows)]
    let _ = (file, other);
    Ok(())
}

/// Whether this user may write to a file or a folder, before trying. Windows tells only the attribute read-only, so
/// that a later write may still be refused.
pub fn may_write(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    #[cfg(windows)]
    return std::fs::metadata(path).is_ok_and(|it| it.is_dir() || !it.permissions().readonly());
}

/// As [`may_write`], for reading and writing.
pub fn may_read_and_write(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        access(path, Access::READ_OK | Access::WRITE_OK).is_ok()
    }
    #[cfg(windows)]
    return may_write(path);
}

#[cfg(unix)]
fn of_mode(mode: u32) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_new_file_has_its_mode() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        let mode_of = |file: &File| mode(&file.metadata().expect("open")).expect("a mode");
        let mut options = File::options();
        let options = create_with_mode(options.write(true).create_new(true), PRIVATE);
        let file = options.open(&path).expect("created");
        assert_eq!(mode_of(&file), PRIVATE);
        set_mode(&file, 0o640).expect("allowed");
        assert_eq!(mode_of(&file), 0o640);
        let temporary = temporary("x-", PRIVATE).tempfile_in(folder.path()).expect("created");
        assert_eq!(mode_of(temporary.as_file()), PRIVATE);
        let name = temporary.path().file_name().and_then(|name| name.to_str());
        assert!(name.expect("a name").starts_with("x-"));
        give_to_owner_of(&file, &fs::metadata(&path).expect("there")).expect("the same owner");
        assert!(may_write(&path) && may_read_and_write(folder.path()));
        assert!(!may_write(&folder.path().join("none")));
    }
}
