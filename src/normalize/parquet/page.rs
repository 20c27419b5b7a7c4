//! The values of one column of a row group, and the pages of a Parquet file that they make.
//!
//! A page has a bit for each row, which says whether it has a value, and the values as they are; both together are
//! compressed.

use std::io;

use super::thrift::{push_number, structure};

/// Rows of a page: a reader decompresses a page at once.
const PAGE_ROWS: usize = 1 << 14;
/// Of the codecs the fastest of zstd's levels; texts of addresses shrink to a fifth.
const ZSTD_LEVEL: i32 = 1;

/// Numbers of the format's own lists.
const DATA_PAGE: i32 = 0;
pub const PLAIN: i32 = 0;
pub const RLE: i32 = 3;

/// The values of a column, one after the other. An empty one is null.
#[derive(Debug, Default)]
pub struct Gathered {
    text: Vec<u8>,
    /// Where the value of each row ends.
    ends: Vec<usize>,
}

/// How many bytes the pages of a column take in the file, and would take without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    pub compressed: u64,
    pub plain: u64,
}

impl Gathered {
    pub fn push(&mut self, value: &str) {
        self.text.extend_from_slice(value.as_bytes());
        self.ends.push(self.text.len());
    }

    /// Writes the pages and forgets the values.
    pub fn write_pages(&mut self, to: &mut impl io::Write) -> io::Result<Sizes> {
        let (mut sizes, mut start) = (Sizes::default(), 0);
        let (mut plain, mut head) = (Vec::new(), Vec::new());
        for ends in self.ends.chunks(PAGE_ROWS) {
            plain.clear();
            head.clear();
            push_presence(ends, start, &mut plain);
            for &end in ends {
                let value = &self.text[start..end];
                if !value.is_empty() {
                    plain.extend_from_slice(&bound(value.len())?.to_le_bytes());
                    plain.extend_from_slice(value);
                }
                start = end;
            }
            let packed = zstd::bulk::compress(&plain, ZSTD_LEVEL)?;
            write_head(&mut head, ends.len(), bound(plain.len())?, bound(packed.len())?);
            to.write_all(&head)?;
            to.write_all(&packed)?;
            sizes.compressed += (head.len() + packed.len()) as u64;
            sizes.plain += (head.len() + plain.len()) as u64;
        }
        self.text.clear();
        self.ends.clear();
        Ok(sizes)
    }
}

/// The format counts the bytes of a page in 31 bits.
fn bound(length: usize) -> io::Result<i32> {
    let too_long = || io::Error::new(io::ErrorKind::FileTooLarge, "a page of more than 2 GiB");
    i32::try_from(length).ok().ok_or_else(too_long)
}

/// A bit for each row, the lowest first, in groups of eight, behind the number of bytes.
fn push_presence(ends: &[usize], start: usize, out: &mut Vec<u8>) {
    let mut bits = Vec::new();
    let groups = ends.len().div_ceil(8);
    push_number(&mut bits, (groups as u64) << 1 | 1);
    let first = bits.len();
    bits.resize(first + groups, 0);
    let mut before = start;
    for (row, &end) in ends.iter().enumerate() {
        bits[first + row / 8] |= u8::from(end > before) << (row % 8);
        before = end;
    }
    let length = u32::try_from(bits.len()).expect("a page has some thousand rows");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&bits);
}

fn write_head(out: &mut Vec<u8>, rows: usize, plain: i32, compressed: i32) {
    structure(out, |page| {
        page.i32(1, DATA_PAGE);
        page.i32(2, plain);
        page.i32(3, compressed);
        page.structure(5, |data| {
            data.i32(1, i32::try_from(rows).expect("a page has some thousand rows"));
            data.i32(2, PLAIN);
            data.i32(3, RLE);
            data.i32(4, RLE);
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_a_value_have_no_bit() {
        for (values, expected) in [
            (&["a"][..], &[2, 0, 0, 0, 3, 0b1][..]),
            (&["", "b", "", "cd"], &[2, 0, 0, 0, 3, 0b1010]),
            (&["a", "", "", "", "", "", "", "", "x"], &[3, 0, 0, 0, 5, 0b1, 0b1]),
        ] {
            let mut column = Gathered::default();
            values.iter().for_each(|value| column.push(value));
            let mut out = Vec::new();
            push_presence(&column.ends, 0, &mut out);
            assert_eq!(out, expected, "{values:?}");
        }
    }

    #[test]
    fn a_column_is_written_in_pages_of_bounded_size() {
        let mut column = Gathered::default();
        (0..PAGE_ROWS + 1).for_each(|_| column.push("値"));
        let mut out = Vec::new();
        let sizes = column.write_pages(&mut out).expect("a vector takes every byte");
        assert_eq!(sizes.compressed, out.len() as u64);
        let values = (PAGE_ROWS + 1) * 7;
        assert!(sizes.plain as usize > values && (sizes.plain as usize) < values + 3_000);
        assert_eq!(column.write_pages(&mut Vec::new()).expect("nothing"), Sizes::default());
    }
}
