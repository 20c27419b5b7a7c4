//! Hand-written HTTP/2 frames, so that a test can send what no client library sends.

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;

const INITIAL_WINDOW_SIZE: u16 = 4;

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The connection preface and a SETTINGS frame with this initial window of each stream, in bytes.
pub fn hello(window: u32) -> Vec<u8> {
    let setting = [&INITIAL_WINDOW_SIZE.to_be_bytes()[..], &window.to_be_bytes()].concat();
    [PREFACE, &frame(SETTINGS, 0, 0, &setting)].concat()
}

/// The header block of a `GET`, with an extra header of `padding` bytes unless that is 0.
pub fn head(path: &str, padding: usize) -> Vec<u8> {
    // Indexed fields of HPACK's static table where it has them, literals without indexing otherwise.
    let mut block = vec![0x82, 0x86, 0x01, 1, b'x', 0x04];
    append_text(&mut block, path.as_bytes());
    if padding > 0 {
        append_header(&mut block, "x", &vec![b'y'; padding]);
    }
    block
}

pub fn get(stream: u32, path: &str) -> Vec<u8> {
    request(stream, &head(path, 0))
}

/// Appends a header to a header block.
pub fn append_header(block: &mut Vec<u8>, name: &str, value: &[u8]) {
    // A literal without indexing.
    block.push(0);
    append_text(block, name.as_bytes());
    append_text(block, value);
}

/// A request with this header block, which may need several frames.
pub fn request(stream: u32, block: &[u8]) -> Vec<u8> {
    const PAYLOAD_BYTES_MAX: usize = 16 * 1024;
    let mut pieces = block.chunks(PAYLOAD_BYTES_MAX).peekable();
    let (mut kind, mut flags, mut out) = (HEADERS, END_STREAM, Vec::new());
    while let Some(piece) = pieces.next() {
        let end = if pieces.peek().is_none() { END_HEADERS } else { 0 };
        out.extend(frame(kind, flags | end, stream, piece));
        (kind, flags) = (CONTINUATION, 0);
    }
    out
}

/// Appends an HPACK string literal without Huffman coding: its length with a 7-bit prefix, then its bytes.
fn append_text(block: &mut Vec<u8>, text: &[u8]) {
    match u8::try_from(text.len()) {
        Ok(length @ 0..127) => block.push(length),
        _ => {
            block.push(127);
            let mut rest = text.len() - 127;
            while rest >= 128 {
                block.push(128 | (rest % 128) as u8);
                rest /= 128;
            }
            block.push(rest as u8);
        }
    }
    block.extend_from_slice(text);
}

/// The type and payload of each frame in `bytes`. An incomplete last frame is left out.
pub fn frames(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some((&[a, b, c, kind, ..], _)) = bytes.split_first_chunk::<9>() {
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        let Some(payload) = bytes.get(9..9 + length) else { break };
        found.push((kind, payload.to_vec()));
        bytes = &bytes[9 + length..];
    }
    found
}

/// The error code of the last GOAWAY frame in `sent`.
pub fn reason(sent: &[u8]) -> Option<u32> {
    let frames = frames(sent);
    let (_, payload) = frames.iter().rfind(|(kind, _)| *kind == GOAWAY)?;
    Some(u32::from_be_bytes(*payload.get(4..)?.first_chunk()?))
}
