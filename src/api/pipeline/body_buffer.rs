//! The buffer in which a thread writes the bodies of answers.
//!
//! A short body is copied out of it, into memory of its own length. That takes less than to allocate room for the longest
//! look-up each time, which is more than the allocator has at hand. A long body keeps the buffer.

use std::cell::Cell;

use bytes::Bytes;

/// Initial capacity: the body of a look-up fits.
const CAPACITY: usize = 2 * 1024;

/// The longest body that is copied.
const COPIED_BYTES_MAX: usize = 2 * 1024;

thread_local! {
    /// Empty while a body is written.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The body that `write` appends.
pub fn body<E>(write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<Bytes, E> {
    let mut buffer = BUFFER.take();
    buffer.reserve(CAPACITY);
    write(&mut buffer)?;
    if buffer.len() > COPIED_BYTES_MAX {
        return Ok(buffer.into());
    }
    let body = Bytes::copy_from_slice(&buffer);
    buffer.clear();
    BUFFER.set(buffer);
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(length: usize) -> Result<Bytes, ()> {
        body(|out| {
            out.resize(length, b'x');
            Ok(())
        })
    }

    #[test]
    fn each_body_has_what_was_written_for_it() {
        for length in [0, 1, 849, COPIED_BYTES_MAX, COPIED_BYTES_MAX + 1, 100_000, 1] {
            assert_eq!(body_of(length), Ok(vec![b'x'; length].into()), "{length}");
        }
    }

    #[test]
    fn nothing_of_a_failed_or_an_outer_body_is_left() {
        let failed = body(|out| {
            out.extend_from_slice(b"half");
            Err("a fault")
        });
        assert_eq!(failed, Err("a fault"));
        assert_eq!(body_of(2), Ok(Bytes::from_static(b"xx")));
        let outer = body(|out| {
            out.extend_from_slice(b"outer ");
            out.extend_from_slice(&body_of(3)?);
            Ok::<(), ()>(())
        });
        assert_eq!(outer, Ok(Bytes::from_static(b"outer xxx")));
        assert_eq!(body_of(2), Ok(Bytes::from_static(b"xx")));
    }
}
