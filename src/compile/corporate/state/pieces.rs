//! Records in memory, in pieces of fixed size: unlike a vector, growing copies nothing and needs no second buffer.

/// Bytes of a piece.
const PIECE: usize = 1 << 24;

/// The position of a record.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    piece: u32,
    start: u32,
    length: u32,
}

#[derive(Debug, Default)]
pub struct Pieces(Vec<Vec<u8>>);

impl Pieces {
    pub fn push(&mut self, record: &[u8]) -> Span {
        let room = |piece: &Vec<u8>| piece.capacity() - piece.len() >= record.len();
        if !self.0.last().is_some_and(room) {
            self.0.push(Vec::with_capacity(PIECE.max(record.len())));
        }
        let number = self.0.len() - 1;
        let piece = &mut self.0[number];
        let span =
            Span { piece: number as u32, start: piece.len() as u32, length: record.len() as u32 };
        piece.extend_from_slice(record);
        span
    }

    pub fn get(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        &self.0[span.piece as usize][start..start + span.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_length_read_back() {
        let mut pieces = Pieces::default();
        let lengths = [0, 1, PIECE / 2, PIECE / 2, PIECE - 1, PIECE + 5, 3, 0];
        let record = |(at, length): (usize, &usize)| vec![at as u8; *length];
        let records: Vec<Vec<u8>> = lengths.iter().enumerate().map(record).collect();
        let spans: Vec<Span> = records.iter().map(|record| pieces.push(record)).collect();
        for (span, record) in spans.into_iter().zip(&records) {
            assert!(pieces.get(span) == record, "{} bytes", record.len());
        }
    }
}
