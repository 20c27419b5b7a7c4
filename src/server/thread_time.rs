//! The processor time that the requests of a connection take of the thread that drives it. Measured in builds with debug
//! assertions only, for the tests.
//!
//! A thread drives many connections, so nothing on it may take longer than 0.1 ms: longer work runs in a lane
//! or on a thread that may block. Such a build times each poll of a connection and sends the longest one since the answer
//! before in the header [`HEADER`]; `tests/api/connection_thread.rs` checks it for every endpoint. What a poll does after
//! its answer is made, such as writing it, is reported by the next answer.
//!
//! Does not know streams of HTTP/2, which are polled apart from their connection, and the handshake of TLS.

use hyper::header::HeaderName;

/// The longest poll since the answer before, in nanoseconds.
pub const HEADER: HeaderName = HeaderName::from_static("daicho-thread-time");

#[cfg(all(debug_assertions, unix))]
pub use measured::ThreadTime;

#[cfg(not(all(debug_assertions, unix)))]
pub use unmeasured::ThreadTime;

#[cfg(all(debug_assertions, unix))]
mod measured {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use hyper::header::{HeaderMap, HeaderValue};
    use rustix::time::{ClockId, clock_gettime};

    /// The time of the polls of one connection, which never run at the same time.
    #[derive(Debug, Default)]
    pub struct ThreadTime {
        /// When the current poll began, on the clock of its thread.
        began_ns: AtomicU64,
        longest_ns: AtomicU64,
    }

    impl ThreadTime {
        pub fn begin_poll(&self) {
            self.began_ns.store(thread_ns(), Relaxed);
        }

        pub fn end_poll(&self) {
            self.longest_ns.fetch_max(self.elapsed_ns(), Relaxed);
        }

        /// Reports the longest poll, the current one included, in a header.
        pub fn report(&self, headers: &mut HeaderMap) {
            let longest = self.longest_ns.swap(0, Relaxed).max(self.elapsed_ns());
            headers.insert(super::HEADER, HeaderValue::from(longest));
        }

        fn elapsed_ns(&self) -> u64 {
            thread_ns().saturating_sub(self.began_ns.load(Relaxed))
        }
    }

    /// The processor time of this thread.
    fn thread_ns() -> u64 {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let [seconds, nanos] =
            [time.tv_sec, time.tv_nsec].map(|part| u64::try_from(part).unwrap_or(0));
        seconds * 1_000_000_000 + nanos
    }
}

#[cfg(not(all(debug_assertions, unix)))]
mod unmeasured {
    use hyper::header::HeaderMap;

    #[derive(Debug, Default)]
    pub struct ThreadTime;

    impl ThreadTime {
        pub fn begin_poll(&self) {}

        pub fn end_poll(&self) {}

        pub fn report(&self, _headers: &mut HeaderMap) {}
    }
}
