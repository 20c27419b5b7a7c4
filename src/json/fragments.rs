//! JSON that many records of an answer share, formatted once for each municipality of a version.
//!
//! Sixteen of a postal record's thirty-five members belong to its municipality, two thirds of its bytes; seven of a
//! corporation's, two of which are elsewhere in memory. Answers copy them in one piece or two.

#[derive(Debug, Default)]
pub(super) struct Fragments {
    bytes: Vec<u8>,
    /// The start of each fragment in `bytes`, and the end of the last.
    starts: Vec<u32>,
}

impl Fragments {
    pub(super) const NONE: Fragments = Fragments { bytes: Vec::new(), starts: Vec::new() };

    pub(super) fn new<T>(
        items: impl Iterator<Item = T>,
        write: impl Fn(&mut Vec<u8>, T),
    ) -> Fragments {
        let mut fragments = Fragments { bytes: Vec::new(), starts: vec![0] };
        for item in items {
            write(&mut fragments.bytes, item);
            // Past 4 GiB, the remaining members are formatted per record.
            let Ok(end) = u32::try_from(fragments.bytes.len()) else { break };
            fragments.starts.push(end);
        }
        fragments
    }

    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        let [start, end] = *self.starts.get(number..)?.first_chunk()?;
        self.bytes.get(start as usize..end as usize)
    }
}
