//! The string pool of a snapshot: records hold where their texts lie.
//!
//! The pool is in the order of the records, and a text written long before is written again: what one
//! answer needs lies together, which is worth the third of size that it costs. A text lies behind its
//! length in ASCII characters: one place in memory to touch, and the whole pool is one UTF-8 text. One
//! that JSON would escape is marked in its number: serving the others is a copy of bytes.

use std::collections::HashMap;

use rkyv::{Archive, Archived, Serialize};

/// Where a text lies in its snapshot's pool; the top bit says that JSON must escape it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Archive, Serialize)]
pub struct StrId(u32);

const ESCAPED: u32 = 1 << 31;

impl StrId {
    /// The empty text, the first of every pool.
    pub const EMPTY: StrId = StrId(0);

    fn place(self) -> usize {
        (self.0 & !ESCAPED) as usize
    }
}

/// A text read in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'s> {
    pub text: &'s str,
    /// Whether it goes into a JSON string as it is: no quote, backslash or control character.
    pub plain: bool,
}

impl Text<'static> {
    pub const EMPTY: Text<'static> = Text { text: "", plain: true };
}

impl<'s> Text<'s> {
    /// A text whose mark nobody has checked, or that has none: it is looked at when it is written.
    pub fn unmarked(text: &'s str) -> Text<'s> {
        Text { text, plain: false }
    }
}

/// Collects texts in order of first use: the same rows give the same bytes.
#[derive(Debug)]
pub struct StringPool {
    places: HashMap<String, StrId>,
    table: StringTable,
}

/// The pool as it is archived: length and text, again and again.
#[derive(Debug, Default, Archive, Serialize)]
pub struct StringTable {
    text: String,
    count: u32,
}

impl Default for StringPool {
    fn default() -> StringPool {
        let mut pool = StringPool { places: HashMap::new(), table: StringTable::default() };
        let empty = pool.intern("");
        assert_eq!(empty, StrId::EMPTY, "the first text lies first");
        pool
    }
}

impl StringPool {
    /// Where this text lies. It is written at the end if it is new, or if it was written long ago.
    pub fn intern(&mut self, text: &str) -> StrId {
        if let Some(known) = self.places.get(text)
            && (text.is_empty() || self.table.text.len() - known.place() < NEAR)
        {
            return *known;
        }
        let place = u32::try_from(self.table.text.len()).ok().filter(|place| place & ESCAPED == 0);
        let place = place.expect("a month's texts are some megabytes");
        push_length(&mut self.table.text, text.len());
        self.table.text.push_str(text);
        self.table.count += 1;
        let id = StrId(place | if is_plain(text) { 0 } else { ESCAPED });
        self.places.insert(text.to_owned(), id);
        id
    }

    pub fn into_table(self) -> StringTable {
        self.table
    }
}

/// Texts that lie less than this many bytes back are shared: a page of memory.
const NEAR: usize = 4096;

/// Lengths below this are one character; longer ones are four, of which the first is this or more.
const LONG: usize = 0x40;

/// Bytes of the longest text that four characters can tell.
const LENGTH_MAX: usize = (1 << 27) - 1;

fn push_length(out: &mut String, length: usize) {
    assert!(length <= LENGTH_MAX, "a field of a source is shorter than the pool's longest text");
    let ascii = |bits: usize| char::from((bits & 0x7F) as u8);
    if length < LONG {
        out.push(ascii(length));
        return;
    }
    out.push(ascii(LONG | length & 0x3F));
    out.extend([ascii(length >> 6), ascii(length >> 13), ascii(length >> 20)]);
}

/// The range of the text whose length stands at `place`; `None` where no length can stand there.
fn range(pool: &[u8], place: usize) -> Option<std::ops::Range<usize>> {
    let first = usize::from(*pool.get(place)?);
    if first < LONG {
        return Some(place + 1..place + 1 + first);
    }
    let rest: &[u8; 3] = pool.get(place + 1..)?.first_chunk()?;
    let [low, middle, high] = rest.map(usize::from);
    let length = first & 0x3F | low << 6 | middle << 13 | high << 20;
    Some(place + 4..place + 4 + length)
}

impl ArchivedStringTable {
    /// Checks that the pool is length and text up to its end. Gives where each text starts, and which are plain.
    pub fn check(&self) -> Result<TextStarts, String> {
        let text = self.text.as_str();
        let bits = || vec![0; text.len() / 64 + 1];
        let mut places = TextStarts { starts: bits(), escaped: bits() };
        let (mut next, mut count) = (0, 0);
        while next < text.len() {
            let found = range(text.as_bytes(), next)
                .and_then(|range| Some((range.end, text.get(range)?)))
                .ok_or_else(|| format!("no text lies at byte {next}"))?;
            let (end, found) = found;
            places.starts[next / 64] |= 1 << (next % 64);
            places.escaped[next / 64] |= u64::from(!is_plain(found)) << (next % 64);
            next = end;
            count += 1;
        }
        if count == 0 || count != self.count.to_native() {
            return Err(format!("expected {} texts, found {count}", self.count));
        }
        Ok(places)
    }

    /// The text at a place where [`TextStarts::hold`] says that one lies.
    #[inline]
    pub fn get(&self, id: ArchivedStrId) -> Text<'_> {
        let id = id.0.to_native();
        if id == StrId::EMPTY.0 {
            // Half the fields of a usual record.
            return Text::EMPTY;
        }
        let text = self.text.as_str();
        let range = range(text.as_bytes(), (id & !ESCAPED) as usize);
        let range = range.expect("the check of the snapshot knows every place in use");
        Text { text: &text[range], plain: id & ESCAPED == 0 }
    }

    pub fn len(&self) -> usize {
        self.count.to_native() as usize
    }

    /// Whether there is none; a checked table has at least the empty text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The places of a pool at which a text lies.
#[derive(Debug, PartialEq, Eq)]
pub struct TextStarts {
    /// A bit for each byte of the pool.
    starts: Vec<u64>,
    /// The same, where the text that starts there is not plain.
    escaped: Vec<u64>,
}

impl TextStarts {
    /// Whether a text lies there, and is plain if it is marked so: a quote in it would end a JSON string.
    pub fn hold(&self, id: ArchivedStrId) -> bool {
        let id = id.0.to_native();
        let place = (id & !ESCAPED) as usize;
        let has =
            |bits: &[u64]| bits.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1);
        has(&self.starts) && (id & ESCAPED != 0 || !has(&self.escaped))
    }
}

impl Clone for ArchivedStrId {
    fn clone(&self) -> ArchivedStrId {
        *self
    }
}

impl Copy for ArchivedStrId {}

const _: () = assert!(size_of::<Archived<StrId>>() == 4);

/// Whether a text goes into a JSON string as it is. Looks at eight bytes at once: every text of an answer of some
/// datasets comes by.
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk::<8>() else {
        return !bytes.iter().any(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
    };
    let (words, _rest) = bytes.as_chunks::<8>();
    let special = words.iter().chain([last]).fold(0, |found, word| found | special(*word));
    special == 0
}

/// Not zero where one of eight bytes is a control character, a quote or a backslash.
fn special(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_ne_bytes(word);
    // Borrowing reaches another byte only from one that is below: then there is one.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & (ONES << 7);
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::Section;

    fn archived(table: &StringTable) -> Section<ArchivedStringTable> {
        let bytes = rkyv::to_bytes::<rancor::Error>(table).expect("texts archive");
        Section::validate(Bytes::from_owner(bytes)).expect("what was archived is valid")
    }

    proptest! {
        #[test]
        fn every_text_reads_back_once(texts in prop::collection::vec(".{0,12}", 0..40)) {
            let mut pool = StringPool::default();
            let ids: Vec<StrId> = texts.iter().map(|text| pool.intern(text)).collect();
            let again: Vec<StrId> = texts.iter().map(|text| pool.intern(text)).collect();
            prop_assert_eq!(&ids, &again);
            let section = archived(&pool.into_table());
            let table = section.root();
            let places = table.check().expect("what was built is sound");
            for (id, text) in ids.iter().zip(&texts) {
                let archived = ArchivedStrId(id.0.into());
                prop_assert!(places.hold(archived));
                let found = table.get(archived);
                prop_assert_eq!(found.text, text);
                let quoted = serde_json::to_string(text).expect("a string has a JSON form");
                prop_assert_eq!(found.plain, quoted.len() == text.len() + 2);
            }
        }
    }

    #[test]
    fn a_byte_that_json_escapes_is_found_wherever_it_stands() {
        for length in 0..40 {
            let plain = "a町é~\u{7f}".repeat(10);
            let plain: String = plain.chars().take(length).collect();
            assert!(is_plain(&plain), "{plain:?}");
            for (at, _) in plain.char_indices().chain([(plain.len(), ' ')]) {
                for special in ['"', '\\', '\0', '\n', '\u{1f}'] {
                    let mut text = plain.clone();
                    text.insert(at, special);
                    assert!(!is_plain(&text), "{text:?}");
                }
            }
        }
        for byte in 0..=u8::MAX {
            let text = char::from(byte).to_string().repeat(9);
            assert_eq!(is_plain(&text), byte >= 0x20 && byte != b'"' && byte != b'\\', "{byte}");
        }
    }

    #[test]
    fn a_text_that_is_marked_plain_and_is_not_lies_nowhere() {
        let mut pool = StringPool::default();
        let ids = ["plain", "\"", "町"].map(|text| pool.intern(text).0);
        let places = archived(&pool.into_table()).root().check().expect("sound");
        let held = |id: u32| places.hold(ArchivedStrId(id.into()));
        assert!(ids.into_iter().all(held));
        // Escaping what needs none costs time alone.
        assert_eq!(ids.map(|id| held(id | ESCAPED)), [true; 3]);
        assert_eq!(ids.map(|id| held(id & !ESCAPED)), [true, false, true]);
    }

    #[test]
    fn lengths_of_every_size_read_back() {
        let mut pool = StringPool::default();
        let texts: Vec<String> = [1, 63, 64, 65, 127, 128, 8_191, 8_192, 1 << 20]
            .map(|length| "a".repeat(length))
            .into();
        let ids: Vec<StrId> = texts.iter().map(|text| pool.intern(text)).collect();
        let section = archived(&pool.into_table());
        for (id, text) in ids.iter().zip(&texts) {
            let found = section.root().get(ArchivedStrId(id.0.into())).text;
            assert!(found == text, "{} bytes of {}", found.len(), text.len());
        }
    }

    #[test]
    fn a_pool_that_contradicts_itself_is_refused() {
        let table = |text: &str, count| StringTable { text: text.to_owned(), count };
        for (table, expected) in [
            (table("\0\u{3}町", 2), true),
            (table("\0\u{3}町", 3), false),
            (table("\0\u{1}町", 2), false),
            (table("\0\u{9}町", 2), false),
            (table("\0\u{40}\0", 2), false),
            (table("", 0), false),
        ] {
            assert_eq!(archived(&table).root().check().is_ok(), expected, "{table:?}");
        }
        let places = archived(&table("\0\u{3}町", 2)).root().check().expect("sound");
        let held = [0, 1, 2, 5, 9_999].map(|place: u32| places.hold(ArchivedStrId(place.into())));
        assert_eq!(held, [true, true, false, false, false], "inside a text lies none");
    }
}
