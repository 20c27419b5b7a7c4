//! Follows the HTTP/2 frames in a stream of bytes: where each begins, and whether a client floods the server with
//! frames that request nothing.
//!
//! The h2 crate answers every PING and SETTINGS and reads every PRIORITY, without a limit or a notification, so the
//! frames are counted in the byte stream, by their nine-byte headers. Payloads are not read. The limits hold
//! between two checks of a connection (`Timeouts::tick`, 2.5 seconds), so that no frame needs a clock.
//!
//! [`detect`] finds the protocol of a connection by its first bytes. They are read from the socket, so that the system
//! reports when more arrive, and are passed to the protocol before all others.

use tokio::io::{AsyncReadExt, ReadBuf};

use super::stream::Stream;

/// Limit of frames that request nothing, between two checks. Real clients send about ten.
pub const IDLE_FRAMES_MAX: u32 = 1000;

/// Further such frames allowed for each request: a client may cancel and reprioritise it.
const IDLE_FRAMES_OF_A_REQUEST: u32 = 4;

/// One further WINDOW_UPDATE is allowed for this many bytes of answers. Clients send one for some thousands of
/// bytes.
const BYTES_OF_AN_UPDATE: u64 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoawayReason {
    NoError = 0,
    EnhanceYourCalm = 11,
}

const FRAME_HEADER_BYTES: usize = 9;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_HEADERS: u8 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameHeader {
    kind: u8,
    flags: u8,
    stream: u32,
    length: u32,
}

impl FrameHeader {
    fn parse(bytes: [u8; FRAME_HEADER_BYTES]) -> FrameHeader {
        let [a, b, c, kind, flags, stream @ ..] = bytes;
        // The first bit of a stream's number is reserved.
        let stream = u32::from_be_bytes(stream) & !(1 << 31);
        FrameHeader { kind, flags, stream, length: u32::from_be_bytes([0, a, b, c]) }
    }
}

/// Finds the frame headers in a stream of bytes, which comes in pieces of any size.
#[derive(Debug, Default)]
struct FrameParser {
    header: [u8; FRAME_HEADER_BYTES],
    /// Bytes of `header` read so far.
    header_read: usize,
    payload_left: usize,
}

impl FrameParser {
    fn feed(&mut self, mut bytes: &[u8], mut on_frame: impl FnMut(FrameHeader)) {
        while !bytes.is_empty() {
            if self.payload_left > 0 {
                let skipped = self.payload_left.min(bytes.len());
                self.payload_left -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            let missing = FRAME_HEADER_BYTES - self.header_read;
            let (part, rest) = bytes.split_at(bytes.len().min(missing));
            self.header[self.header_read..][..part.len()].copy_from_slice(part);
            self.header_read += part.len();
            bytes = rest;
            if self.header_read == FRAME_HEADER_BYTES {
                let header = FrameHeader::parse(self.header);
                self.header_read = 0;
                self.payload_left = header.length as usize;
                on_frame(header);
            }
        }
    }

    fn is_between_frames(&self) -> bool {
        self.payload_left == 0 && self.header_read == 0
    }
}

/// Counts since the last check of the connection.
#[derive(Debug, Default)]
struct Counts {
    check: u32,
    requests: u32,
    /// Frames that request nothing, except WINDOW_UPDATE.
    idle_frames: u32,
    window_updates: u32,
    written_bytes: u64,
}

/// Counts the frames of one connection, in both directions.
#[derive(Debug)]
pub struct FrameCounter {
    read: FrameParser,
    written: FrameParser,
    counts: Counts,
    last_stream: u32,
    /// Bytes of the header block that is not complete yet.
    head_bytes: usize,
}

impl Default for FrameCounter {
    /// The counter of a new connection, whose client sends the preface first.
    fn default() -> FrameCounter {
        let read = FrameParser { payload_left: PREFACE.len(), ..FrameParser::default() };
        let (written, counts) = (FrameParser::default(), Counts::default());
        FrameCounter { read, written, counts, last_stream: 0, head_bytes: 0 }
    }
}

impl FrameCounter {
    /// Counts the frames in `bytes`; `check` is the number of checks of the connection so far.
    pub fn record_read(&mut self, bytes: &[u8], check: u32) {
        let FrameCounter { read, counts, last_stream, head_bytes, .. } = self;
        if counts.check != check {
            *counts = Counts { check, ..Counts::default() };
        }
        read.feed(bytes, |frame| {
            match frame.kind {
                HEADERS | CONTINUATION if frame.flags & END_HEADERS != 0 => *head_bytes = 0,
                HEADERS | CONTINUATION => {
                    *head_bytes = head_bytes.saturating_add(frame.length as usize);
                }
                _ => {}
            }
            let count = match frame.kind {
                HEADERS => {
                    *last_stream = frame.stream.max(*last_stream);
                    &mut counts.requests
                }
                DATA | CONTINUATION if frame.length > 0 => return,
                WINDOW_UPDATE => &mut counts.window_updates,
                _ => &mut counts.idle_frames,
            };
            *count = count.saturating_add(1);
        });
    }

    /// Whether more frames that request nothing were read since the last check than are allowed.
    pub fn is_flood(&self) -> bool {
        let Counts { requests, idle_frames, window_updates, written_bytes, .. } = self.counts;
        let idle_max =
            IDLE_FRAMES_OF_A_REQUEST.saturating_mul(requests).saturating_add(IDLE_FRAMES_MAX);
        let updates_max = written_bytes / BYTES_OF_AN_UPDATE + u64::from(IDLE_FRAMES_MAX);
        idle_frames > idle_max || u64::from(window_updates) > updates_max
    }

    /// Announced bytes of a header block that has not ended.
    pub fn head_bytes(&self) -> usize {
        self.head_bytes
    }

    pub fn record_written(&mut self, bytes: &[u8]) {
        self.written.feed(bytes, |_frame| {});
        self.counts.written_bytes += bytes.len() as u64;
    }

    /// The GOAWAY frame, if the written stream is between two frames.
    pub fn goaway(&self, reason: GoawayReason) -> Option<[u8; FRAME_HEADER_BYTES + 8]> {
        let mut frame = [0; FRAME_HEADER_BYTES + 8];
        let (header, payload) = frame.split_at_mut(FRAME_HEADER_BYTES);
        // The length of the payload, then the kind.
        (header[2], header[3]) = (8, GOAWAY);
        payload[..4].copy_from_slice(&self.last_stream.to_be_bytes());
        payload[4..].copy_from_slice(&(reason as u32).to_be_bytes());
        self.written.is_between_frames().then_some(frame)
    }
}

/// The bytes that an HTTP/2 client sends before its first frame.
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Http1,
    Http2,
}

/// The bytes read for detection, which the protocol reads again.
#[derive(Debug, Clone, Default)]
pub struct FirstBytes {
    bytes: [u8; PREFACE.len()],
    /// How many of `bytes` were read from the client.
    length: usize,
    position: usize,
}

impl FirstBytes {
    pub fn is_empty(&self) -> bool {
        self.position == self.length
    }

    pub fn read_into(&mut self, buffer: &mut ReadBuf<'_>) {
        let rest = &self.bytes[self.position..self.length];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        self.position += count;
    }

    fn protocol(&self) -> Option<Protocol> {
        if self.bytes[..self.length] != PREFACE[..self.length] {
            Some(Protocol::Http1)
        } else if self.length == PREFACE.len() {
            Some(Protocol::Http2)
        } else {
            None
        }
    }
}

/// Reads until the bytes decide the protocol; `None` if the client disconnects first.
pub async fn detect(stream: &mut Stream) -> Option<(Protocol, FirstBytes)> {
    let mut first_bytes = FirstBytes::default();
    loop {
        let count = stream.read(&mut first_bytes.bytes[first_bytes.length..]).await.ok()?;
        if count == 0 {
            return None;
        }
        first_bytes.length += count;
        if let Some(protocol) = first_bytes.protocol() {
            return Some((protocol, first_bytes));
        }
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

    fn frames_after_preface() -> FrameCounter {
        let mut frames = FrameCounter::default();
        frames.record_read(PREFACE, 0);
        frames
    }

    /// Whether the connection is flooded once these bytes were read.
    fn floods(frames: &mut FrameCounter, bytes: &[u8], check: u32) -> bool {
        frames.record_read(bytes, check);
        frames.is_flood()
    }

    #[test]
    fn frames_are_found_in_pieces_of_any_size() {
        let stream = [frame(DATA, 1, 3, b"abc"), frame(PING, 0, 0, &[0; 8]), frame(4, 1, 0, b"")];
        let stream = stream.concat();
        for size in 1..=stream.len() {
            let (mut parser, mut found) = (FrameParser::default(), Vec::new());
            for piece in stream.chunks(size) {
                parser.feed(piece, |frame| found.push((frame.kind, frame.stream, frame.length)));
            }
            assert_eq!(found, [(DATA, 3, 3), (PING, 0, 8), (4, 0, 0)], "pieces of {size}");
            assert!(parser.is_between_frames());
        }
    }

    #[test]
    fn frames_that_request_nothing_are_limited() {
        #[track_caller]
        fn check(one: &[u8], before: &[u8], most: u32) {
            let mut frames = frames_after_preface();
            assert!(!floods(&mut frames, before, 0));
            for count in 1..=most {
                assert!(!floods(&mut frames, one, 0), "frame {count} is within the limit");
            }
            assert!(floods(&mut frames, one, 0));
            assert!(!floods(&mut frames, one, 1), "the count restarts at the next check");
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
        frames.record_written(&frame(DATA, 0, 1, &[0; 10_000]));
        for _ in 0..IDLE_FRAMES_MAX + 39 {
            assert!(!floods(&mut frames, &update, 0));
        }
        assert!(
            !floods(&mut frames, &frame(DATA, 0, 1, b"x").repeat(100_000), 0),
            "DATA frames with content are not a flood"
        );
        assert!(floods(&mut frames, &update.repeat(2), 0));
    }

    #[test]
    fn a_head_is_counted_until_it_ends() {
        let mut frames = frames_after_preface();
        frames.record_read(&frame(HEADERS, 0, 5, &[0; 100]), 0);
        frames.record_read(&frame(CONTINUATION, 0, 5, &[0; 50]), 0);
        assert_eq!(frames.head_bytes(), 150);
        frames.record_read(&frame(CONTINUATION, END_HEADERS, 5, &[0; 50]), 0);
        assert_eq!(frames.head_bytes(), 0);
    }

    #[test]
    fn goaway_is_sent_between_frames_only() {
        let mut frames = frames_after_preface();
        frames.record_read(&frame(HEADERS, END_HEADERS, 7, b"x"), 0);
        let expected = frame(GOAWAY, 0, 0, &[0, 0, 0, 7, 0, 0, 0, 11]);
        assert_eq!(
            frames.goaway(GoawayReason::EnhanceYourCalm).as_ref().map(|frame| &frame[..]),
            Some(&*expected)
        );
        frames.record_written(&frame(DATA, 0, 1, b"abc")[..10]);
        assert_eq!(frames.goaway(GoawayReason::NoError), None);
        frames.record_written(b"bc");
        assert!(frames.goaway(GoawayReason::NoError).is_some());
    }
}

#[cfg(test)]
mod preface_tests {
    use super::*;

    fn first_bytes(text: &[u8]) -> FirstBytes {
        let mut first_bytes = FirstBytes { length: text.len(), ..FirstBytes::default() };
        first_bytes.bytes[..text.len()].copy_from_slice(text);
        first_bytes
    }

    #[test]
    fn the_protocol_is_detected_from_the_first_bytes() {
        #[track_caller]
        fn check(text: &[u8], expected: Option<Protocol>) {
            assert_eq!(first_bytes(text).protocol(), expected, "{text:?}");
        }
        check(b"", None);
        check(b"P", None);
        check(b"PO", Some(Protocol::Http1));
        check(b"PRI", None);
        check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", None);
        check(PREFACE, Some(Protocol::Http2));
        check(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx", Some(Protocol::Http1));
        check(b"GET / HTTP/1.1\r\n", Some(Protocol::Http1));
    }

    #[test]
    fn every_byte_is_read_once_and_in_order() {
        let mut first_bytes = first_bytes(b"GET /healthz");
        let mut read = Vec::new();
        for room in [0, 5, 1, 100, 100] {
            let mut room = vec![0; room];
            let mut buffer = ReadBuf::new(&mut room);
            first_bytes.read_into(&mut buffer);
            read.extend_from_slice(buffer.filled());
        }
        assert_eq!(read, b"GET /healthz");
        assert!(first_bytes.is_empty());
    }
}
