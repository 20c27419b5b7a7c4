//! Reads the XML of a workbook as tags and the bytes between them, without changing a byte: what is copied stays as it
//! was, whichever program wrote it.
//!
//! Enough for SpreadsheetML, not a general reader: knows no document types, and leaves entities to the caller.

use std::borrow::Cow;
use std::io::{self, Read};

use memchr::{memchr, memchr2, memmem};

use crate::normalize::read;

const READ_BYTES: usize = 64 << 10;
/// Limit of one tag or comment. A longer one is no workbook.
const PIECE_BYTES_MAX: usize = 16 << 20;

/// A part of the XML in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// From `<` to `>`.
    Tag(Tag<'a>),
    /// Text, a part of a text, a comment, or a CDATA section with its marks.
    Other(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a>(pub &'a [u8]);

pub struct XmlReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the bytes begin that were not returned.
    start: usize,
    ended: bool,
}

impl<R: Read> XmlReader<R> {
    pub fn new(source: R) -> XmlReader<R> {
        XmlReader { source, buffer: Vec::new(), start: 0, ended: false }
    }

    pub fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        let length = loop {
            match piece_length(&self.buffer[self.start..], self.ended) {
                Some(length) => break length,
                None if self.ended && self.start == self.buffer.len() => return Ok(None),
                None if self.ended => return Err(invalid("an XML that ends within a tag")),
                None => self.read_more()?,
            }
        };
        let piece = &self.buffer[self.start..self.start + length];
        self.start += length;
        let is_tag = piece[0] == b'<' && !piece.starts_with(b"<!");
        Ok(Some(if is_tag { Piece::Tag(Tag(piece)) } else { Piece::Other(piece) }))
    }

    fn read_more(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        if self.buffer.len() > PIECE_BYTES_MAX {
            return Err(invalid("a tag of more than 16 MiB"));
        }
        self.ended = read::append(&mut self.source, READ_BYTES, &mut self.buffer)? == 0;
        // In UTF-16 every second byte of a tag is zero.
        match self.buffer.get(..2) {
            Some([0xff | 0xfe | 0, _] | [_, 0]) => {
                Err(invalid("an XML in another encoding than UTF-8"))
            }
            _ => Ok(()),
        }
    }
}

pub fn invalid(found: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("found {found}"))
}

/// The length of the first piece; `None` if more bytes are needed. A text may be returned in parts.
fn piece_length(bytes: &[u8], ended: bool) -> Option<usize> {
    if *bytes.first()? != b'<' {
        return Some(memchr(b'<', bytes).unwrap_or(bytes.len()));
    }
    let through = |end: &[u8]| memmem::find(bytes, end).map(|found| found + end.len());
    // Too short to say which kind it is.
    if bytes.len() < 9 && !ended && bytes.get(1).is_none_or(|&second| second == b'!') {
        return None;
    }
    if bytes.starts_with(b"<!--") {
        return through(b"-->");
    }
    if bytes.starts_with(b"<![CDATA[") {
        return through(b"]]>");
    }
    if bytes.starts_with(b"<?") {
        return through(b"?>");
    }
    let mut position = 1;
    loop {
        position += memchr::memchr3(b'>', b'"', b'\'', &bytes[position..])?;
        match bytes[position] {
            b'>' => return Some(position + 1),
            quote => position += 1 + memchr(quote, &bytes[position + 1..])? + 1,
        }
    }
}

impl<'a> Tag<'a> {
    /// `</row>`.
    pub fn is_end(self) -> bool {
        self.0.get(1) == Some(&b'/')
    }

    /// `<row/>`.
    pub fn is_empty(self) -> bool {
        self.0.ends_with(b"/>")
    }

    /// The name with its prefix.
    fn whole_name(self) -> &'a [u8] {
        let from = if self.is_end() { 2 } else { 1 };
        let rest = &self.0[from.min(self.0.len())..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        &rest[..rest.iter().position(ends).unwrap_or(rest.len())]
    }

    pub fn name(self) -> &'a [u8] {
        let name = self.whole_name();
        memchr(b':', name).map_or(name, |colon| &name[colon + 1..])
    }

    /// The prefix of the name with its colon; mostly empty.
    pub fn prefix(self) -> &'a [u8] {
        let name = self.whole_name();
        memchr(b':', name).map_or(&[], |colon| &name[..=colon])
    }

    /// Whether an element begins here that is called so.
    pub fn begins(self, name: &str) -> bool {
        !self.is_end() && self.name() == name.as_bytes()
    }

    pub fn ends(self, name: &str) -> bool {
        self.is_end() && self.name() == name.as_bytes()
    }

    /// Each attribute: where it begins and ends in the tag, its name with prefix, and its value as it stands.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        let bytes = self.0;
        let mut position = 1 + self.whole_name().len();
        std::iter::from_fn(move || {
            let rest = bytes.get(position..)?;
            let equals = memchr(b'=', rest)?;
            let name = rest[..equals].trim_ascii();
            let start =
                position + rest[..equals].iter().position(|it| !it.is_ascii_whitespace())?;
            let quote_at = equals + memchr2(b'"', b'\'', &rest[equals..])?;
            let value = &rest[quote_at + 1..];
            let length = memchr(rest[quote_at], value)?;
            position += quote_at + 1 + length + 1;
            Some(Attribute { start, end: position, name, value: &value[..length] })
        })
    }

    /// The value of the attribute with this name, without regard to its prefix.
    pub fn attribute(self, name: &str) -> Option<&'a [u8]> {
        let same =
            |found: &[u8]| found.rsplit(|&byte| byte == b':').next() == Some(name.as_bytes());
        self.attributes().find(|it| same(it.name)).map(|it| it.value)
    }

    pub fn text_attribute(self, name: &str) -> Option<String> {
        Some(unescaped(self.attribute(name)?).into_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Where it begins in the tag, after the white space.
    pub start: usize,
    pub end: usize,
    pub name: &'a [u8],
    pub value: &'a [u8],
}

/// A value of an attribute with its entities replaced.
fn unescaped(value: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(value);
    if !text.contains('&') {
        return text;
    }
    let mut out = String::new();
    let mut rest = &*text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find(';') else { break };
        let letter = match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            number => match number.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok().and_then(char::from_u32),
                None => {
                    number.strip_prefix('#').and_then(|it| it.parse().ok()).and_then(char::from_u32)
                }
            },
        };
        match letter {
            Some(letter) => out.push(letter),
            None => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out.into()
}

/// Appends a text for an element: letters that XML does not allow are written as Excel does, `_x0001_`.
pub fn push_escaped(text: &str, out: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    for (at, letter) in text.char_indices() {
        match letter {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '\t' | '\n' => out.push(letter as u8),
            '\0'..='\x1f' => out.extend_from_slice(format!("_x{:04X}_", letter as u32).as_bytes()),
            '\u{fffe}' | '\u{ffff}' => out.extend_from_slice("\u{fffd}".as_bytes()),
            // Excel would read it as such a letter.
            '_' if is_escape(&text.as_bytes()[at..]) => out.extend_from_slice(b"_x005F_"),
            _ => out.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes()),
        }
    }
}

fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'_', b'x', digits @ .., ] if digits.len() > 4 && digits[4] == b'_'
        && digits[..4].iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::read::Slow;
    use std::io::Cursor;

    #[test]
    fn every_byte_is_returned_in_pieces() {
        let text = "<?xml version=\"1.0\"?>\n<a b='>' c=\"<'\"><!-- <x> --><![CDATA[<y>]]>t&amp;<x:d/></a>\n";
        for size in [1, 2, 5, 1_000] {
            let mut reader = XmlReader::new(Slow(text.as_bytes(), size));
            let (mut all, mut tags) = (Vec::new(), Vec::new());
            while let Some(piece) = reader.next().expect("well-formed") {
                match piece {
                    Piece::Tag(tag) => {
                        tags.push(String::from_utf8_lossy(tag.name()).into_owned());
                        all.extend_from_slice(tag.0);
                    }
                    Piece::Other(bytes) => all.extend_from_slice(bytes),
                }
            }
            assert_eq!(String::from_utf8_lossy(&all), text, "{size}");
            assert_eq!(tags, ["?xml", "a", "d", "a"], "{size}");
        }
        for cut in ["<a", "<a b='", "<!-- ", "\u{feff}<a", "<", "\0<"] {
            let mut reader = XmlReader::new(Cursor::new(cut.as_bytes().to_vec()));
            let end = loop {
                match reader.next() {
                    Ok(Some(_)) => {}
                    other => break other.map(|_| ()),
                }
            };
            assert!(end.is_err(), "{cut:?}");
        }
        assert!(XmlReader::new(Cursor::new(b"<\0a\0".to_vec())).next().is_err());
    }

    #[test]
    fn tags_have_names_and_attributes() {
        let tag = Tag(b"<x:c  r=\"B2\" x:s = '5' name=\"a&amp;&#x4e00;&#65;&b;\"/>");
        assert_eq!((tag.name(), tag.prefix()), (&b"c"[..], &b"x:"[..]));
        assert!(tag.is_empty() && !tag.is_end() && tag.begins("c"));
        assert_eq!(tag.attribute("r"), Some(&b"B2"[..]));
        assert_eq!(tag.attribute("s"), Some(&b"5"[..]));
        assert_eq!(tag.attribute("t"), None);
        assert_eq!(tag.text_attribute("name").as_deref(), Some("a&一A&b;"));
        let first = tag.attributes().next().expect("an attribute");
        assert_eq!(&tag.0[first.start..first.end], b"r=\"B2\"");
        assert!(Tag(b"</row >").ends("row"));
        for odd in [&b"<a b>"[..], b"<a b=>", b"<a =\"\">", b"<>", b"</>"] {
            assert!(Tag(odd).attributes().count() <= 1, "{odd:?}");
        }
    }

    #[test]
    fn texts_are_escaped() {
        let mut out = Vec::new();
        push_escaped("a<b>&\"\u{1}\r\n_x0041_ _x 𠮷", &mut out);
        let expected = "a&lt;b&gt;&amp;\"_x0001__x000D_\n_x005F_x0041_ _x 𠮷";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
