//! Converts the offsets of records to rows, for millions of them in any order.
//!
//! For each block of bytes a table has the first row that begins there, so that a look-up compares a few offsets
//! instead of all.

use rkyv::rend::u32_le;

/// Bits of an offset within its block: a block has 512 bytes. A record has about a hundred.
const BLOCK_BITS: u32 = 9;

/// A table for looking up rows by the offsets of their records.
pub struct RowsByOffset<'t> {
    /// Start of each record, and the end of the last.
    offsets: &'t [u32_le],
    /// For each block the first row that begins in or after it; at the end the number of rows.
    blocks: Vec<u32>,
}

impl<'t> RowsByOffset<'t> {
    /// The offsets must ascend.
    pub fn new(offsets: &'t [u32_le]) -> RowsByOffset<'t> {
        let (rows, end) = match offsets {
            [starts @ .., end] => (starts.len(), end.to_native()),
            [] => (0, 0),
        };
        let mut blocks = Vec::with_capacity((end >> BLOCK_BITS) as usize + 2);
        for (row, offset) in offsets.iter().take(rows).enumerate() {
            let block = (offset.to_native() >> BLOCK_BITS) as usize;
            if blocks.len() <= block {
                blocks.resize(block + 1, row as u32);
            }
        }
        blocks.push(rows as u32);
        RowsByOffset { offsets, blocks }
    }

    /// The row of the record that begins at an offset.
    #[inline]
    pub fn row(&self, offset: u32) -> Option<u32> {
        let block = (offset >> BLOCK_BITS) as usize;
        let (first, end) = (*self.blocks.get(block)?, *self.blocks.get(block + 1)?);
        let near = self.offsets.get(first as usize..end as usize)?;
        let index = near.iter().position(|start| start.to_native() == offset)?;
        Some(first + index as u32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_scan_finds(lengths in prop::collection::vec(1u32..2_000, 0..60), near in 0u32..3) {
            let mut offsets = vec![u32_le::from_native(0)];
            for length in &lengths {
                offsets.push(u32_le::from_native(offsets[offsets.len() - 1].to_native() + length));
            }
            let by_offset = RowsByOffset::new(&offsets);
            for offset in offsets.iter().map(|offset| offset.to_native() + near) {
                let expected = offsets[..lengths.len()].iter().position(|it| it.to_native() == offset);
                prop_assert_eq!(by_offset.row(offset), expected.map(|row| row as u32));
            }
        }
    }

    #[test]
    fn an_empty_table_finds_no_row() {
        assert_eq!(RowsByOffset::new(&[]).row(0), None);
        assert_eq!(RowsByOffset::new(&[u32_le::from_native(0)]).row(0), None);
    }
}
