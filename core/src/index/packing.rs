//! Bit packing of numbers with a few bits each, and varints of seven bits per byte.
//!
//! The lowest bit comes first. Reading takes eight bytes at once, so [`SLACK`] bytes must follow the packed data.
//! Past the end of the bytes everything reads as zero, so that damaged data never panics.

/// Bytes that must follow the last packed number.
pub const SLACK: usize = 8;

/// Appends a number as a varint: groups of seven bits.
pub fn push_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a varint of at most 28 bits and moves `offset` to the byte after it.
pub fn varint(bytes: &[u8], offset: &mut usize) -> usize {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let byte = bytes.get(*offset).copied().unwrap_or_default();
        *offset += 1;
        number |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// The bits from this bit position on, at least 57; zeros past the end.
#[inline]
pub fn bits(bytes: &[u8], position: usize) -> u64 {
    word(bytes, position / 8) >> (position % 8)
}

/// The eight bytes from this offset on, as a number; zeros past the end.
#[inline]
pub fn word(bytes: &[u8], offset: usize) -> u64 {
    let word = bytes.get(offset..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
    u64::from_le_bytes(word)
}

/// Writes numbers of a few bits each, one after the other.
pub struct Packer<'o> {
    out: &'o mut Vec<u8>,
    word: u64,
    filled: u32,
}

impl Packer<'_> {
    pub fn new(out: &mut Vec<u8>) -> Packer<'_> {
        Packer { out, word: 0, filled: 0 }
    }

    /// Appends up to 56 bits. Fewer than 64 bits are pending.
    #[inline]
    pub fn push(&mut self, value: u64, bits: u32) {
        self.word |= value << self.filled;
        self.filled += bits;
        if let Some(left) = self.filled.checked_sub(u64::BITS) {
            self.out.extend_from_slice(&self.word.to_le_bytes());
            self.word = value >> (bits - left);
            self.filled = left;
        }
    }

    pub fn finish(self) {
        let bytes = self.word.to_le_bytes();
        self.out.extend_from_slice(&bytes[..self.filled.div_ceil(8) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packed_numbers_read_back(
            numbers in prop::collection::vec((any::<u64>(), 0u32..57), 0..60),
            before in 0usize..4,
        ) {
            let mut bytes = vec![0xAA; before];
            let mut packer = Packer::new(&mut bytes);
            let numbers: Vec<(u64, u32)> =
                numbers.into_iter().map(|(value, width)| (value & ((1 << width) - 1), width)).collect();
            numbers.iter().for_each(|(value, width)| packer.push(*value, *width));
            packer.finish();
            bytes.extend([0; SLACK]);
            let mut position = before * 8;
            for (value, width) in numbers {
                prop_assert_eq!(bits(&bytes, position) & ((1 << width) - 1), value);
                position += width as usize;
            }
            prop_assert_eq!(bytes.len() - SLACK, position.div_ceil(8));
        }

        #[test]
        fn varints_read_back(numbers in prop::collection::vec(0usize..1 << 28, 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| push_varint(&mut bytes, *number));
            let mut at = 0;
            for number in numbers {
                prop_assert_eq!(varint(&bytes, &mut at), number);
            }
            prop_assert_eq!(at, bytes.len());
        }
    }

    #[test]
    fn reading_past_the_end_gives_zero() {
        assert_eq!((bits(&[0xFF; 8], 9), bits(&[], 0), word(&[0xFF; 8], 1)), (0, 0, 0));
        assert_eq!(varint(&[0xFF; 9], &mut 0), (1 << 28) - 1);
        assert_eq!(varint(&[], &mut 3), 0);
    }
}
