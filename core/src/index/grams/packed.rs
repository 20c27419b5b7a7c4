//! A packed list of rows: `last body` for one block, `bytes skips bodies` for several; `last` and `bytes` are
//! varints.
//!
//! A block has 128 rows, the last one the remainder. Its body has the gaps between its rows, except the gap before the
//! last row. Their mean decides how they are coded (`gaps.rs`).
//!
//! Any bytes can be read without a panic and in bounded time. Does not know what a row is.

use std::ops::ControlFlow;

use super::gaps::{self, Coding, GapReader};
use crate::index::{SLACK, push_varint, varint};

pub const BLOCK: usize = 128;

/// Bytes of a block's skip: its last row and the end of its body, three each.
const SKIP_BYTES: usize = 6;

/// If a block has at most so many of the looked-up numbers, it is read only as far as the last of them.
const FEW_NUMBERS: usize = 3;

/// Most bytes of the head of a list.
pub const HEAD_BYTES_MAX: usize = 4;

/// Appends a list, ascending and not empty. The caller writes its number of rows.
pub fn encode(rows: &[u32], out: &mut Vec<u8>) {
    if let (1..=BLOCK, Some(last)) = (rows.len(), rows.last()) {
        push_varint(out, *last as usize);
        encode_block(0, rows, out);
        return;
    }
    let (mut skips, mut bodies) = (Vec::new(), Vec::new());
    let mut base = 0;
    for block in rows.chunks(BLOCK) {
        encode_block(base, block, &mut bodies);
        let last = block.last().copied().unwrap_or_default();
        skips.extend_from_slice(&last.to_le_bytes()[..3]);
        skips.extend_from_slice(&(bodies.len() as u32).to_le_bytes()[..3]);
        base = last + 1;
    }
    push_varint(out, bodies.len());
    out.append(&mut skips);
    out.append(&mut bodies);
}

fn encode_block(base: u32, rows: &[u32], out: &mut Vec<u8>) {
    let Some((last, coded)) = rows.split_last() else { return };
    let coding = Coding::of(last + 1 - base - rows.len() as u32, rows.len());
    let (mut gaps, mut next) = ([0; BLOCK], base);
    for (gap, row) in gaps.iter_mut().zip(coded) {
        *gap = row - next;
        next = row + 1;
    }
    gaps::encode(&gaps[..coded.len()], coding, out);
}

#[derive(Debug, Clone, Copy)]
pub struct Packed<'s> {
    pub count: usize,
    /// Last row of the only block.
    last: u32,
    skips: &'s [[u8; SKIP_BYTES]],
    bodies: &'s [u8],
}

struct Block<'s> {
    /// A lower bound of its first row, above the previous block.
    base: u32,
    last: u32,
    rows: usize,
    body: &'s [u8],
    /// Upper bound on the bytes of the body.
    bytes: usize,
}

impl<'s> Packed<'s> {
    /// Upper bound on the bytes of a list of this many rows that begins with `head`.
    pub fn bytes_max(count: usize, head: &[u8]) -> usize {
        let mut head_bytes = 0;
        let number = varint(head, &mut head_bytes);
        let rest = match count {
            0..=BLOCK => {
                let sum = (number + 1).saturating_sub(count) as u32;
                Coding::of(sum, count).bytes_max(sum, count)
            }
            _ => count.div_ceil(BLOCK) * SKIP_BYTES + number,
        };
        head_bytes + rest + SLACK
    }

    pub fn of(count: usize, bytes: &'s [u8]) -> Packed<'s> {
        let mut head_bytes = 0;
        let number = varint(bytes, &mut head_bytes);
        let rest = bytes.get(head_bytes..).unwrap_or_default();
        let skips = if count <= BLOCK { 0 } else { count.div_ceil(BLOCK) * SKIP_BYTES };
        let (skips, bodies) = rest.split_at_checked(skips).unwrap_or_default();
        Packed { count, last: number as u32, skips: skips.as_chunks().0, bodies }
    }

    fn blocks(&self) -> usize {
        if self.count <= BLOCK { 1 } else { self.skips.len() }
    }

    /// The last row of a block, and the end of its body.
    #[inline]
    fn skip(&self, block: usize) -> (u32, usize) {
        let [a, b, c, d, e, f] = self.skips.get(block).copied().unwrap_or_default();
        (u32::from_le_bytes([a, b, c, 0]), u32::from_le_bytes([d, e, f, 0]) as usize)
    }

    fn block(&self, block: usize) -> Option<Block<'s>> {
        if self.count <= BLOCK {
            return (block == 0 && self.count > 0).then_some(Block {
                base: 0,
                last: self.last,
                rows: self.count,
                body: self.bodies,
                bytes: self.bodies.len(),
            });
        }
        if block >= self.blocks() {
            return None;
        }
        let (last, end) = self.skip(block);
        let (base, start) = match block.checked_sub(1).map(|previous| self.skip(previous)) {
            Some((previous_last, end)) => (previous_last + 1, end),
            None => (0, 0),
        };
        let rows = (self.count - block * BLOCK).min(BLOCK);
        let body = self.bodies.get(start..).unwrap_or_default();
        Some(Block { base, last, rows, body, bytes: end.saturating_sub(start) })
    }

    /// The first block at or after `start` whose last row is at least `row`.
    pub fn find_block(&self, start: usize, row: u32) -> usize {
        let blocks = self.blocks();
        if self.count <= BLOCK {
            return start.max(usize::from(row > self.last));
        }
        // Galloping search: the block is usually near.
        let (mut low, mut step) = (start, 1);
        while low + step <= blocks && self.skip(low + step - 1).0 < row {
            low += step;
            step *= 2;
        }
        let near = self.skips.get(low..(low + step).min(blocks)).unwrap_or_default();
        low + near.partition_point(|[a, b, c, ..]| u32::from_le_bytes([*a, *b, *c, 0]) < row)
    }

    /// Reads the rows of a block and returns how many; 0 past the last block.
    #[inline]
    pub fn read_block(&self, block: usize, rows: &mut [u32; BLOCK]) -> usize {
        let Some(reader) = self.block_reader(block) else { return 0 };
        reader.read(rows)
    }

    /// Calls `each` with all rows, ascending.
    pub fn for_each(&self, mut each: impl FnMut(u32)) {
        for block in 0..self.blocks() {
            if let Some(reader) = self.block_reader(block) {
                reader.visit(|row| {
                    each(row);
                    ControlFlow::Continue(())
                });
            }
        }
    }

    /// Removes from the ascending `numbers` each that is not in the list after adding `shift`. Reads each block as far as the
    /// last number in it.
    pub fn retain(&self, shift: u32, numbers: &mut Vec<u32>) {
        let (mut rows, mut block) = ([0; BLOCK], 0);
        let (mut read, mut kept) = (0, 0);
        while let Some(next) = numbers.get(read) {
            block = self.find_block(block, next.wrapping_add(shift));
            let Some(reader) = self.block_reader(block) else { break };
            block += 1;
            let is_inside = |number: &&u32| number.wrapping_add(shift) <= reader.last;
            let end = read + numbers[read..].iter().take_while(is_inside).count();
            // In damaged data no number may be inside.
            let Some(last) = numbers[read..end].last() else { continue };
            if end - read <= FEW_NUMBERS {
                reader.read_until(last.wrapping_add(shift), &mut rows);
            } else {
                let filled = reader.read(&mut rows);
                rows[filled..].fill(u32::MAX);
            }
            // A look-up for each number, and not a merge: the processor overlaps look-ups, which need no other's result.
            for at in read..end {
                let number = numbers[at];
                let wanted = number.wrapping_add(shift);
                numbers[kept] = number;
                kept += usize::from(rows[count_below(&rows, wanted)] == wanted);
            }
            read = end;
        }
        numbers.truncate(kept);
    }

    /// The rows of a block, to be read one by one; `None` past the last block.
    #[inline]
    pub fn block_reader(&self, block: usize) -> Option<BlockReader<'s>> {
        let Block { base, last, rows, body, bytes } = self.block(block)?;
        let sum = (last + 1).saturating_sub(base).saturating_sub(rows as u32);
        let coding = Coding::of(sum, rows);
        // More bytes only in damaged data, or where the end of the block is not known.
        let bytes = bytes.min(coding.bytes_max(sum, rows - 1));
        let gaps = coding.reader(body, bytes, rows - 1);
        Some(BlockReader { gaps, last, next: base, remaining: rows })
    }
}

/// How many of the ascending rows are below `row`, at most all but one. Without branches, which nobody could predict.
#[inline]
fn count_below(rows: &[u32; BLOCK], row: u32) -> usize {
    let mut below = 0;
    let mut step = BLOCK / 2;
    while step > 0 {
        below += step * usize::from(rows[(below + step - 1) % BLOCK] < row);
        step /= 2;
    }
    below
}

/// Decodes the rows of a block one by one.
#[derive(Debug, Clone, Copy)]
pub struct BlockReader<'s> {
    gaps: GapReader<'s>,
    pub last: u32,
    /// The row after the last one read.
    next: u32,
    pub remaining: usize,
}

impl BlockReader<'_> {
    /// Reads the rows of a new block and returns how many.
    #[inline]
    fn read(self, rows: &mut [u32; BLOCK]) -> usize {
        self.fill(rows, |_| false);
        self.remaining.min(BLOCK)
    }

    /// Reads the rows of a new block at least up to the first that is not below `until`. The places of those that are not
    /// read get [`u32::MAX`].
    #[inline]
    fn read_until(self, until: u32, rows: &mut [u32; BLOCK]) {
        rows.fill(u32::MAX);
        self.fill(rows, |row| row >= until);
    }

    /// Writes the rows of a new block up to the first that is the last wanted one.
    #[inline]
    fn fill(self, rows: &mut [u32; BLOCK], is_last: impl Fn(u32) -> bool) {
        let mut places = rows.iter_mut();
        self.visit(|row| match places.next() {
            Some(place) => {
                *place = row;
                if is_last(row) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            None => ControlFlow::Break(()),
        });
    }

    /// Calls `each` with the rows of a new block, ascending, until it breaks.
    #[inline]
    fn visit(self, mut each: impl FnMut(u32) -> ControlFlow<()>) {
        let last = self.last;
        let coded = self.remaining.min(BLOCK).saturating_sub(1);
        let found = self.gaps.visit_rows(self.next, coded, |row| each(row.min(last)));
        let ControlFlow::Continue(missing) = found else { return };
        // Only damaged bytes have fewer gaps than rows.
        for _ in 0..missing {
            if each(last).is_break() {
                return;
            }
        }
        if self.remaining > 0 {
            let _ = each(last);
        }
    }

    /// The next row; at the end the last row again.
    // A call for each row takes a fifth of the time of a search.
    #[inline(always)]
    pub fn next_row(&mut self) -> u32 {
        if self.remaining <= 1 {
            self.remaining = 0;
            return self.last;
        }
        self.remaining -= 1;
        let row = self.next.wrapping_add(self.gaps.next_gap());
        self.next = row.wrapping_add(1);
        row.min(self.last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn encoded(rows: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(rows, &mut bytes);
        bytes.extend([0; SLACK]);
        bytes
    }

    fn decoded(list: Packed<'_>) -> Vec<u32> {
        let (mut rows, mut buffer) = (Vec::new(), [0; BLOCK]);
        for block in 0..list.blocks() {
            let filled = list.read_block(block, &mut buffer);
            rows.extend_from_slice(&buffer[..filled]);
        }
        rows
    }

    fn read_one_by_one(list: Packed<'_>) -> Vec<u32> {
        let readers = (0..list.blocks()).filter_map(|block| list.block_reader(block));
        let rows = readers.flat_map(|mut reader| {
            (0..reader.remaining).map(|_| reader.next_row()).collect::<Vec<u32>>()
        });
        rows.collect()
    }

    /// Dense and sparse lists, lists of either coding, clusters, and the largest rows.
    fn rows() -> impl Strategy<Value = Vec<u32>> {
        let clusters = (0u32..50).prop_flat_map(|far| (Just(far * 300_000), 0u32..2_000));
        let rows = prop_oneof![
            prop::collection::btree_set(0u32..1 << 24, 1..400),
            prop::collection::btree_set(0u32..900, 1..700),
            prop::collection::btree_set(0u32..20_000, 1..700),
            prop::collection::btree_set(clusters.prop_map(|(far, near)| far + near), 1..700),
            (0u32..1 << 23, 1u32..600).prop_map(|(from, count)| (from..from + count).collect()),
        ];
        rows.prop_map(|rows: BTreeSet<u32>| rows.into_iter().collect())
    }

    proptest! {
        #[test]
        fn written_lists_read_back(rows in rows(), probe in 0u32..1 << 24, from in 0usize..5) {
            let bytes = encoded(&rows);
            prop_assert!(Packed::bytes_max(rows.len(), &bytes[..HEAD_BYTES_MAX]) >= bytes.len());
            let list = Packed::of(rows.len(), &bytes);
            prop_assert_eq!(&decoded(list), &rows);
            prop_assert_eq!(&read_one_by_one(list), &rows);
            for probe in [probe, rows[rows.len() / 2], rows[rows.len() - 1] + 1, 0] {
                let blocks: Vec<&[u32]> = rows.chunks(BLOCK).collect();
                let from = from.min(blocks.len());
                let first = blocks.iter().position(|block| block[block.len() - 1] >= probe);
                let expected = first.unwrap_or(blocks.len()).max(from);
                prop_assert_eq!(list.find_block(from, probe), expected, "{} from {}", probe, from);
            }
        }

        #[test]
        fn kept_rows_are_in_both_lists(rows in rows(), numbers in rows(), shift in 0u32..9) {
            let bytes = encoded(&rows);
            let known: BTreeSet<u32> = rows.iter().copied().collect();
            let shifted = |number: &u32| known.contains(&(number + shift));
            let expected: Vec<u32> = numbers.iter().copied().filter(shifted).collect();
            let mut kept = numbers;
            Packed::of(rows.len(), &bytes).retain(shift, &mut kept);
            prop_assert_eq!(kept, expected);
        }

        #[test]
        fn damage_never_panics(
            rows in rows(),
            at in any::<prop::sample::Index>(),
            value in any::<u8>(),
            count in 0usize..1_000,
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = encoded(&rows);
            let at = at.index(bytes.len());
            bytes[at] = value;
            bytes.truncate(cut.index(bytes.len() * 4));
            for count in [rows.len(), count] {
                let list = Packed::of(count, &bytes);
                prop_assert!(decoded(list).len() <= count.max(1));
                prop_assert!(read_one_by_one(list).len() <= count.max(1));
                prop_assert!(list.find_block(0, 1 << 20) <= list.blocks());
                Packed::bytes_max(count, &bytes);
                let mut kept = rows.clone();
                list.retain(1, &mut kept);
                prop_assert!(kept.len() <= rows.len());
            }
        }
    }
}
