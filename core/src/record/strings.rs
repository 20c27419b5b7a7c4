//! The string pool of a snapshot: records store the offsets of their texts in it.
//!
//! The texts are in the order of the records, and a text whose last copy is far back is stored again. So the texts
//! of one answer are close together; this costs a third of the size. Each text follows its length, written in ASCII
//! characters: a read touches one place in memory, and the whole pool is valid UTF-8. A flag in the id marks texts
//! that JSON would escape; the others are served by copying bytes.

use std::hash::{BuildHasher, BuildHasherDefault};

use rkyv::{Archive, Archived, Serialize};
use rustc_hash::{FxHashMap, FxHasher};

/// Offset of a text in its snapshot's pool, in bytes. The top bit is set if JSON must escape the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Archive, Serialize)]
pub struct StrId(u32);

const ESCAPED: u32 = 1 << 31;

impl StrId {
    /// The empty text, the first of every pool.
    pub const EMPTY: StrId = StrId(0);

    /// The byte of the pool at which the text's length is.
    fn offset(self) -> usize {
        (self.0 & !ESCAPED) as usize
    }
}

/// A text read in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'s> {
    pub text: &'s str,
    /// Whether it can be copied into a JSON string as it is: no quote, backslash or control character.
    pub plain: bool,
}

impl<'s> Text<'s> {
    pub const EMPTY: Text<'static> = Text { text: "", plain: true };

    /// A text that may need escaping: it is scanned when it is written.
    pub fn unmarked(text: &'s str) -> Text<'s> {
        Text { text, plain: false }
    }
}

/// Collects texts in order of first use, so that the same rows give the same bytes.
#[derive(Debug)]
pub struct StringPool {
    /// The newest id of each text, by the hash of the text: a copy of every text would take as much memory as the
    /// pool. If two texts have the same hash, the earlier one is stored again at its next use.
    ids: FxHashMap<u64, StrId>,
    table: StringTable,
}

/// The pool in its archived form: lengths and texts alternate.
#[derive(Debug, Default, Archive, Serialize)]
pub struct StringTable {
    text: String,
    count: u32,
}

impl StringTable {
    /// Whether the text of an id of this pool is `text`.
    fn has(&self, id: StrId, text: &str) -> bool {
        range(self.text.as_bytes(), id.offset()).and_then(|range| self.text.get(range))
            == Some(text)
    }
}

impl Default for StringPool {
    fn default() -> StringPool {
        let mut pool = StringPool { ids: FxHashMap::default(), table: StringTable::default() };
        let empty = pool.intern("");
        assert_eq!(empty, StrId::EMPTY, "the empty text comes first");
        pool
    }
}

impl StringPool {
    /// The id of this text. It is appended if it is new, or if its last copy is far back.
    pub fn intern(&mut self, text: &str) -> StrId {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(text);
        if let Some(known) = self.ids.get(&hash)
            && (text.is_empty() || self.table.text.len() - known.offset() < NEAR)
            && self.table.has(*known, text)
        {
            return *known;
        }
        let offset = u32::try_from(self.table.text.len()).ok();
        let offset = offset
            .filter(|offset| offset & ESCAPED == 0)
            .expect("a month's texts are some megabytes");
        push_length(&mut self.table.text, text.len());
        self.table.text.push_str(text);
        self.table.count += 1;
        let id = StrId(offset | if is_plain(text) { 0 } else { ESCAPED });
        self.ids.insert(hash, id);
        id
    }

    pub fn into_table(self) -> StringTable {
        self.table
    }
}

/// A text is shared if its last copy is less than this many bytes back: a page of memory.
const NEAR: usize = 4096;

/// Lengths below this take one character. Longer ones take four, the first of which is at least this.
const LONG: usize = 0x40;

/// The longest text that four characters can express, in bytes.
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

/// The range of the text whose length is at this offset; `None` if there can be no length.
fn range(pool: &[u8], offset: usize) -> Option<std::ops::Range<usize>> {
    let first = usize::from(*pool.get(offset)?);
    if first < LONG {
        return Some(offset + 1..offset + 1 + first);
    }
    let rest: &[u8; 3] = pool.get(offset + 1..)?.first_chunk()?;
    let [low, middle, high] = rest.map(usize::from);
    let length = first & 0x3F | low << 6 | middle << 13 | high << 20;
    Some(offset + 4..offset + 4 + length)
}

impl ArchivedStringTable {
    /// Checks that lengths and texts alternate up to the end. Returns where each text starts, and which are plain.
    pub fn check(&self) -> Result<TextStarts, String> {
        let text = self.text.as_str();
        let bits = || vec![0; text.len() / 64 + 1];
        let mut texts = TextStarts { starts: bits(), escaped: bits() };
        let (mut next, mut count) = (0, 0);
        while next < text.len() {
            let found = range(text.as_bytes(), next)
                .and_then(|range| Some((range.end, text.get(range)?)))
                .ok_or_else(|| format!("no text lies at byte {next}"))?;
            let (end, found) = found;
            texts.starts[next / 64] |= 1 << (next % 64);
            texts.escaped[next / 64] |= u64::from(!is_plain(found)) << (next % 64);
            next = end;
            count += 1;
        }
        if count == 0 || count != self.count.to_native() {
            return Err(format!("expected {} texts, found {count}", self.count));
        }
        Ok(texts)
    }

    /// The text of an id for which [`TextStarts::contains`] is true.
    #[inline]
    pub fn get(&self, id: ArchivedStrId) -> Text<'_> {
        let id = id.0.to_native();
        if id == StrId::EMPTY.0 {
            // Half the fields of a typical record are empty.
            return Text::EMPTY;
        }
        let text = self.text.as_str();
        let range = range(text.as_bytes(), (id & !ESCAPED) as usize);
        let range = range.expect("checked when the snapshot was opened");
        Text { text: &text[range], plain: id & ESCAPED == 0 }
    }

    pub fn count(&self) -> usize {
        self.count.to_native() as usize
    }
}

/// The offsets in a pool at which texts start.
#[derive(Debug, PartialEq, Eq)]
pub struct TextStarts {
    /// One bit per byte of the pool.
    starts: Vec<u64>,
    /// One bit per byte: a text that is not plain starts there.
    escaped: Vec<u64>,
}

impl TextStarts {
    /// Whether a text starts there, and is really plain if the id says so: an unescaped quote would end a JSON
    /// string.
    pub fn contains(&self, id: ArchivedStrId) -> bool {
        let id = id.0.to_native();
        let offset = (id & !ESCAPED) as usize;
        let has =
            |bits: &[u64]| bits.get(offset / 64).is_some_and(|bits| bits >> (offset % 64) & 1 == 1);
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

/// Whether a text can be copied into a JSON string as it is. Eight bytes at once: in some datasets every text of an
/// answer is scanned.
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk::<8>() else {
        return !bytes.iter().any(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
    };
    let (words, _rest) = bytes.as_chunks::<8>();
    let special = words.iter().chain([last]).fold(0, |found, word| found | special(*word));
    special == 0
}

/// Nonzero if one of eight bytes is a control character, a quote or a backslash.
fn special(word: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let word = u64::from_ne_bytes(word);
    // The subtraction borrows from another byte only below a byte that is itself less than the bound, so the result
    // is nonzero exactly if such a byte exists.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & (ONES << 7);
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rkyv::rancor;

    use super::*;
    use crate::snapshot::{OwnMemory, Section};

    fn archived(table: &StringTable) -> Section<ArchivedStringTable> {
        let bytes = rkyv::to_bytes::<rancor::Error>(table).expect("texts archive");
        Section::validate(OwnMemory::of(bytes)).expect("archived data are valid")
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
            let starts = table.check().expect("a built table is sound");
            for (id, text) in ids.iter().zip(&texts) {
                let archived = ArchivedStrId(id.0.into());
                prop_assert!(starts.contains(archived));
                let found = table.get(archived);
                prop_assert_eq!(found.text, text);
                let quoted = serde_json::to_string(text).expect("a string has a JSON form");
                prop_assert_eq!(found.plain, quoted.len() == text.len() + 2);
            }
        }
    }

    #[test]
    fn a_byte_that_json_escapes_is_found_at_any_position() {
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
    fn a_text_wrongly_marked_plain_is_rejected() {
        let mut pool = StringPool::default();
        let ids = ["plain", "\"", "町"].map(|text| pool.intern(text).0);
        let starts = archived(&pool.into_table()).root().check().expect("sound");
        let is_text = |id: u32| starts.contains(ArchivedStrId(id.into()));
        assert!(ids.into_iter().all(is_text));
        // Escaping a plain text is harmless, only slower.
        assert_eq!(ids.map(|id| is_text(id | ESCAPED)), [true; 3]);
        assert_eq!(ids.map(|id| is_text(id & !ESCAPED)), [true, false, true]);
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
        let starts = archived(&table("\0\u{3}町", 2)).root().check().expect("sound");
        let found =
            [0, 1, 2, 5, 9_999].map(|offset: u32| starts.contains(ArchivedStrId(offset.into())));
        assert_eq!(found, [true, true, false, false, false], "no text starts inside another");
    }
}
