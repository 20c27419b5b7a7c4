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
    /// Checks that the pool is length and text up to its end. Gives where each text starts.
    pub fn check(&self) -> Result<TextStarts, String> {
        let text = self.text.as_str();
        let mut places = TextStarts { starts: vec![0; text.len() / 64 + 1] };
        let (mut next, mut count) = (0, 0);
        while next < text.len() {
            let found =
                range(text.as_bytes(), next).filter(|range| text.get(range.clone()).is_some());
            let found = found.ok_or_else(|| format!("no text lies at byte {next}"))?;
            places.starts[next / 64] |= 1 << (next % 64);
            next = found.end;
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
}

impl TextStarts {
    pub fn hold(&self, id: ArchivedStrId) -> bool {
        let place = (id.0.to_native() & !ESCAPED) as usize;
        self.starts.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }
}

impl Clone for ArchivedStrId {
    fn clone(&self) -> ArchivedStrId {
        *self
    }
}

impl Copy for ArchivedStrId {}

const _: () = assert!(size_of::<Archived<StrId>>() == 4);

/// Whether a text goes into a JSON string as it is.
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
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
