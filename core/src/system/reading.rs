//! Reading a file at any place, without a position that readers share, and what the system does for such reads.

use std::fs::File;
use std::io;

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
