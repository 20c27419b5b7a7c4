//! Follows the HTTP/2 frames in a stream of bytes: where each begins, and whether a client floods the server with
//! frames that request nothing.
//!
//! The h2 crate answers every PING and SETTINGS and reads every PRIORITY, without a limit or a notification, so the
//! frames are counted in the byte stream, by their nine-byte headers. Payloads are not read. The limits hold
//! between two checks of a connection (`Timeouts::tick`, 2.5 seconds), so that no frame needs a clock.

use super::preface::PREFACE;

/// Limit of frames that request nothing, between two checks. Real clients send about ten.
pub const IDLE_FRAMES_MAX: u32 = 1000;

/// Further such frames allowed for each request: a client may cancel and reprioritise it.
const IDLE_FRAMES_OF_A_REQUEST: u32 = 4;

/// One further WINDOW_UPDATE is allowed for this many bytes of answers. Clients send one for some thousands of
/// bytes.
const BYTES_OF_AN_UPDATE: u64 = 256;

/// The error code of a GOAWAY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    NoError = 0,
    EnhanceYourCalm = 11,
}

const HEAD_BYTES: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_HEADERS: u8 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frame {
    kind: u8,
    flags: u8,
    stream: u32,
    length: u32,
}

/// Position of the byte stream within a frame.
#[derive(Debug, Default)]
struct Walk {
    head: [u8; HEAD_BYTES],
    known: usize,
    /// Remaining bytes of the frame.
    left: usize,
}

impl Walk {
    fn over(&mut self, mut bytes: &[u8], mut each: impl FnMut(Frame)) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let passed = self.left.min(bytes.len());
                (self.left, bytes) = (self.left - passed, &bytes[passed..]);
                continue;
            }
            let (taken, rest) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.known));
            self.head[self.known..self.known + taken.len()].copy_from_slice(taken);
            (self.known, bytes) = (self.known + taken.len(), rest);
            if self.known == HEAD_BYTES {
                let [a, b, c, kind, flags, stream @ ..] = self.head;
                let length = u32::from_be_bytes([0, a, b, c]);
                (self.known, self.left) = (0, length as usize);
                each(Frame {
                    kind,
                    flags,
                    stream: u32::from_be_bytes(stream) & !(1 << 31),
                    length,
                });
            }
        }
    }

    fn is_between_frames(&self) -> bool {
        self.left == 0 && self.known == 0
    }
}

/// Counts since the last check.
#[derive(Debug, Default)]
struct Counted {
    look: u32,
    requests: u32,
    idle: u32,
    updates: u32,
    written: u64,
}

impl Counted {
    fn is_flood(&self) -> bool {
        let idle_max = IDLE_FRAMES_OF_A_REQUEST.saturating_mul(self.requests);
        let updates_max = self.written / BYTES_OF_AN_UPDATE + u64::from(IDLE_FRAMES_MAX);
        self.idle > idle_max.saturating_add(IDLE_FRAMES_MAX)
            || u64::from(self.updates) > updates_max
    }
}

/// Both directions of one connection.
#[derive(Debug)]
pub struct Frames {
    read: Walk,
    written: Walk,
    counted: Counted,
    last_stream: u32,
    /// Bytes of the header block that is not complete yet.
    head_bytes: usize,
}

impl Frames {
    pub fn begin() -> Frames {
        let read = Walk { left: PREFACE.len(), ..Walk::default() };
        Frames {
            read,
            written: Walk::default(),
            counted: Counted::default(),
            last_stream: 0,
            head_bytes: 0,
        }
    }

    /// Counts the frames in `bytes`; `look` is the number of checks so far. Returns whether the limit is
    /// exceeded.
    pub fn note_read(&mut self, bytes: &[u8], look: u32) -> bool {
        let Frames { read, counted, last_stream, head_bytes, .. } = self;
        if counted.look != look {
            *counted = Counted { look, ..Counted::default() };
        }
        read.over(bytes, |frame| {
            let count = match frame.kind {
                HEADERS => &mut counted.requests,
                DATA | CONTINUATION if frame.length > 0 => return add(head_bytes, frame),
                WINDOW_UPDATE => &mut counted.updates,
                _ => &mut counted.idle,
            };
            *count = count.saturating_add(1);
            if frame.kind == HEADERS {
                *last_stream = frame.stream.max(*last_stream);
            }
            add(head_bytes, frame);
        });
        counted.is_flood()
    }

    /// Announced bytes of a header block that has not ended.
    pub fn head_bytes(&self) -> usize {
        self.head_bytes
    }

    pub fn note_written(&mut self, bytes: &[u8]) {
        self.written.over(bytes, |_frame| {});
        self.counted.written += bytes.len() as u64;
    }

    /// The GOAWAY frame, if the stream is between two frames.
    pub fn goaway(&self, reason: Reason) -> Option<[u8; HEAD_BYTES + 8]> {
        let mut frame = [0; HEAD_BYTES + 8];
        (frame[2], frame[3]) = (8, GOAWAY);
        frame[HEAD_BYTES..HEAD_BYTES + 4].copy_from_slice(&self.last_stream.to_be_bytes());
        frame[HEAD_BYTES + 4..].copy_from_slice(&(reason as u32).to_be_bytes());
        self.written.is_between_frames().then_some(frame)
    }
}

fn add(head_bytes: &mut usize, Frame { kind, flags, length, .. }: Frame) {
    match kind {
        HEADERS | CONTINUATION if flags & END_HEADERS != 0 => *head_bytes = 0,
        HEADERS | CONTINUATION => *head_bytes = head_bytes.saturating_add(length as usize),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: u8 = 6;

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
        let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
        [&head, payload].concat()
    }

    fn frames_after_preface() -> Frames {
        let mut frames = Frames::begin();
        assert!(!frames.note_read(PREFACE, 0));
        frames
    }

    #[test]
    fn frames_are_found_in_pieces_of_any_size() {
        let stream = [frame(DATA, 1, 3, b"abc"), frame(PING, 0, 0, &[0; 8]), frame(4, 1, 0, b"")];
        let stream = stream.concat();
        for size in 1..=stream.len() {
            let (mut walk, mut found) = (Walk::default(), Vec::new());
            for piece in stream.chunks(size) {
                walk.over(piece, |frame| found.push((frame.kind, frame.stream, frame.length)));
            }
            assert_eq!(found, [(DATA, 3, 3), (PING, 0, 8), (4, 0, 0)], "pieces of {size}");
            assert!(walk.is_between_frames());
        }
    }

    #[test]
    fn frames_that_request_nothing_are_limited() {
        #[track_caller]
        fn check(one: &[u8], before: &[u8], most: u32) {
            let mut frames = frames_after_preface();
            assert!(!frames.note_read(before, 0));
            for count in 1..=most {
                assert!(!frames.note_read(one, 0), "frame {count} is within the limit");
            }
            assert!(frames.note_read(one, 0));
            assert!(!frames.note_read(one, 1), "the count restarts at the next check");
        }
        // PING, SETTINGS, PRIORITY, RST_STREAM, an unknown type, and empty DATA.
        for (kind, payload) in [(PING, 8), (4, 0), (2, 5), (3, 4), (99, 1), (DATA, 0)] {
            check(&frame(kind, 0, 0, &[0; 8][..payload]), b"", IDLE_FRAMES_MAX);
        }
        let request = frame(HEADERS, END_HEADERS, 1, b"x");
        check(&frame(3, 0, 1, &[0; 4]), &request.repeat(10), IDLE_FRAMES_MAX + 40);
        let update = frame(WINDOW_UPDATE, 0, 0, &[0; 4]);
        check(&update, b"", IDLE_FRAMES_MAX);
        let mut frames = frames_after_preface();
        frames.note_written(&frame(DATA, 0, 1, &[0; 10_000]));
        for _ in 0..IDLE_FRAMES_MAX + 39 {
            assert!(!frames.note_read(&update, 0));
        }
        assert!(
            !frames.note_read(&frame(DATA, 0, 1, b"x").repeat(100_000), 0),
            "DATA frames with content are not a flood"
        );
        assert!(frames.note_read(&update.repeat(2), 0));
    }

    #[test]
    fn a_head_is_counted_until_it_ends() {
        let mut frames = frames_after_preface();
        frames.note_read(&frame(HEADERS, 0, 5, &[0; 100]), 0);
        frames.note_read(&frame(CONTINUATION, 0, 5, &[0; 50]), 0);
        assert_eq!(frames.head_bytes(), 150);
        frames.note_read(&frame(CONTINUATION, END_HEADERS, 5, &[0; 50]), 0);
        assert_eq!(frames.head_bytes(), 0);
    }

    #[test]
    fn goaway_is_sent_between_frames_only() {
        let mut frames = frames_after_preface();
        frames.note_read(&frame(HEADERS, END_HEADERS, 7, b"x"), 0);
        let expected = frame(GOAWAY, 0, 0, &[0, 0, 0, 7, 0, 0, 0, 11]);
        assert_eq!(
            frames.goaway(Reason::EnhanceYourCalm).as_ref().map(|it| &it[..]),
            Some(&*expected)
        );
        frames.note_written(&frame(DATA, 0, 1, b"abc")[..10]);
        assert_eq!(frames.goaway(Reason::NoError), None);
        frames.note_written(b"bc");
        assert!(frames.goaway(Reason::NoError).is_some());
    }
}
