//! Opening a file that must be a regular one; reading it at any place, without a position that readers share, and what
//! the system does for such reads.

use std::fs::{File, FileType};
use std::io;
use std::path::Path;

/// Whether a name may be a link to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// For files that are passed on to others: a link may lead to a file that they must not read.
    Refused,
    Followed,
}

/// Opens a file for reading if it is a regular one. Never waits for the other end of a pipe.
pub fn open_regular(path: &Path, links: Links) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    let file = open_without_waiting(path, links, &mut options)?;
    #[cfg(windows)]
    let file = {
        if links == Links::Refused {
            check_regular(path.symlink_metadata()?.file_type())?;
        }
        options.open(path)?
    };
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

#[cfg(unix)]
fn open_without_waiting(
    path: &Path,
    links: Links,
    options: &mut std::fs::OpenOptions,
) -> io::Result<File> {
    use rustix::{fs::OFlags, io::Errno};
    use std::os::unix::fs::OpenOptionsExt;
    let mut flags = OFlags::NONBLOCK;
    flags.set(OFlags::NOFOLLOW, links == Links::Refused);
    let opened = options.custom_flags(flags.bits().cast_signed()).open(path);
    opened.map_err(|error| match error.raw_os_error() {
        Some(code) if links == Links::Refused && code == Errno::LOOP.raw_os_error() => {
            not_regular("a link")
        }
        // Of a socket.
        Some(code) if code == Errno::NXIO.raw_os_error() => not_regular(PIPE),
        _ => error,
    })
}

const PIPE: &str = "a pipe, a socket or a device";

fn check_regular(found: FileType) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    Err(not_regular(match (found.is_symlink(), found.is_dir()) {
        (true, _) => "a link",
        (_, true) => "a folder",
        _ => PIPE,
    }))
}

fn not_regular(found: &str) -> io::Error {
    let message = format!("expected a regular file, found {found}; put the file itself there");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Fills the buffer from this offset on. Several threads may read one file at once.
#[cfg(unix)]
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

/// As on other systems, but the position of the file moves: nobody may read it from its position.
#[cfg(windows)]
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    let mut filled = 0;
    while filled < buffer.len() {
        match file.seek_read(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes the system read exactly the bytes that are asked for. Only advice, which only Linux takes: elsewhere the system
/// reads ahead as usual.
pub fn expect_random_reads(file: &File) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Random);
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

/// Bytes that this thread has read from disks so far; `None` where the system does not count: on others than Linux.
pub fn bytes_from_disk() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
        counts.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.parse().ok()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_a_regular_file_is_opened_and_no_open_waits() {
        use std::os::unix::{fs::symlink, net::UnixListener};
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "x").expect("written");
        std::fs::create_dir(path("folder")).expect("created");
        symlink("file", path("link")).expect("created");
        symlink("pipe", path("link to a pipe")).expect("created");
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        let _socket = UnixListener::bind(path("socket")).expect("created");
        let opened = |name: &str, links| {
            open_regular(&path(name), links).map(drop).map_err(|error| error.to_string())
        };
        for (name, refused, followed) in [
            ("file", None, None),
            ("link", Some("found a link;"), None),
            ("link to a pipe", Some("found a link;"), Some("found a pipe,")),
            ("pipe", Some("found a pipe,"), Some("found a pipe,")),
            ("socket", Some("found a pipe,"), Some("found a pipe,")),
            ("folder", Some("found a folder;"), Some("found a folder;")),
            ("none", Some("os error 2"), Some("os error 2")),
        ] {
            for (links, expected) in [(Links::Refused, refused), (Links::Followed, followed)] {
                match (opened(name, links), expected) {
                    (Ok(()), None) => {}
                    (Err(message), Some(expected)) if message.contains(expected) => {}
                    (found, _) => panic!("{name} {links:?}: {found:?}"),
                }
            }
        }
    }

    #[test]
    fn a_read_fills_its_buffer_or_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "abcdef").expect("written");
        let file = File::open(&path).expect("there");
        expect_random_reads(&file);
        let read = |length: usize, offset| {
            let mut buffer = vec![0; length];
            read_exact_at(&file, &mut buffer, offset).map(|()| buffer).map_err(|it| it.kind())
        };
        assert_eq!(read(3, 2).as_deref(), Ok(b"cde".as_slice()));
        assert_eq!(read(6, 0).as_deref(), Ok(b"abcdef".as_slice()));
        assert_eq!(read(0, 9).as_deref(), Ok(b"".as_slice()));
        assert_eq!(read(3, 4), Err(io::ErrorKind::UnexpectedEof));
    }
}
