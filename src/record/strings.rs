//! The string pool of a snapshot: every distinct text once, records hold its number.
//!
//! A text that JSON would have to escape is marked in its number, so that serving the others is a
//! copy of bytes.

use std::collections::HashMap;

use rkyv::{Archive, Archived, Serialize};

/// Number of a text in its snapshot's pool; the top bit says that JSON must escape it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Archive, Serialize)]
pub struct StrId(u32);

const ESCAPED: u32 = 1 << 31;

impl StrId {
    /// The empty text, the first of every pool.
    pub const EMPTY: StrId = StrId(0);
}

/// A text read in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'s> {
    /// The text.
    pub text: &'s str,
    /// Whether it goes into a JSON string as it is: no quote, backslash or control character.
    pub plain: bool,
}

/// Collects the texts of a snapshot. Numbers are given in order of first use, so that the same
/// rows give the same pool and the texts of one record lie together.
#[derive(Debug)]
pub struct StringPool {
    numbers: HashMap<String, StrId>,
    table: StringTable,
}

/// The pool as it is archived: the texts behind one another, and where each ends.
#[derive(Debug, Default, Archive, Serialize)]
pub struct StringTable {
    ends: Vec<u32>,
    text: String,
}

impl Default for StringPool {
    fn default() -> StringPool {
        let mut pool = StringPool { numbers: HashMap::new(), table: StringTable::default() };
        let empty = pool.intern("");
        assert_eq!(empty, StrId::EMPTY, "the first text has the first number");
        pool
    }
}

impl StringPool {
    /// The number of this text, a new one where it was not met before.
    pub fn intern(&mut self, text: &str) -> StrId {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        self.table.text.push_str(text);
        let end = u32::try_from(self.table.text.len()).expect("a month's texts are some megabytes");
        let mark = if is_plain(text) { 0 } else { ESCAPED };
        let number = u32::try_from(self.table.ends.len()).expect("fewer texts than bytes");
        self.table.ends.push(end);
        let id = StrId(number | mark);
        self.numbers.insert(text.to_owned(), id);
        id
    }

    /// The table to be archived.
    pub fn into_table(self) -> StringTable {
        self.table
    }
}

impl ArchivedStringTable {
    /// Checks what rkyv cannot: that the ends ascend on character boundaries up to the whole text.
    pub fn check(&self) -> Result<(), String> {
        let mut start = 0;
        for (number, end) in self.ends.iter().enumerate() {
            let end = end.to_native() as usize;
            if end < start || !self.text.is_char_boundary(end) {
                return Err(format!("text {number} ends at {end}, inside another"));
            }
            start = end;
        }
        if self.ends.is_empty() || start != self.text.len() {
            return Err(format!("{start} of {} bytes belong to a text", self.text.len()));
        }
        Ok(())
    }

    /// Whether the number is one of this pool's.
    pub fn holds(&self, id: ArchivedStrId) -> bool {
        ((id.0.to_native() & !ESCAPED) as usize) < self.ends.len()
    }

    /// The text of a number that [`holds`](Self::holds).
    pub fn get(&self, id: ArchivedStrId) -> Text<'_> {
        let id = id.0.to_native();
        let number = (id & !ESCAPED) as usize;
        let end = self.ends[number].to_native() as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1].to_native() as usize };
        Text { text: &self.text.as_str()[start..end], plain: id & ESCAPED == 0 }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none; a checked table has at least the empty text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Clone for ArchivedStrId {
    fn clone(&self) -> ArchivedStrId {
        *self
    }
}

impl Copy for ArchivedStrId {}

const _: () = assert!(size_of::<Archived<StrId>>() == 4);

fn is_plain(text: &str) -> bool {
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
            prop_assert_eq!(table.check(), Ok(()));
            for (id, text) in ids.iter().zip(&texts) {
                let archived = ArchivedStrId(id.0.into());
                prop_assert!(table.holds(archived));
                let found = table.get(archived);
                prop_assert_eq!(found.text, text);
                let quoted = serde_json::to_string(text).expect("a string has a JSON form");
                prop_assert_eq!(found.plain, quoted.len() == text.len() + 2);
            }
        }
    }

    #[test]
    fn ends_that_do_not_fit_the_text_are_refused() {
        let table =
            |ends: &[u32], text: &str| StringTable { ends: ends.to_vec(), text: text.to_owned() };
        for (table, expected) in [
            (table(&[0, 3], "町"), true),
            (table(&[0, 1], "町"), false),
            (table(&[0, 3], "町域"), false),
            (table(&[3, 0], "町"), false),
            (table(&[0, 9], "町"), false),
            (table(&[], ""), false),
        ] {
            assert_eq!(archived(&table).root().check().is_ok(), expected, "{table:?}");
        }
    }
}
