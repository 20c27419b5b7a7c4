//! An arena of packed records, in chunks of fixed size: unlike a vector, growing copies nothing and needs no second
//! buffer.

/// The capacity of a chunk; a longer record gets a chunk of its own length.
const CHUNK_BYTES: usize = 1 << 24;

#[derive(Debug, Clone, Copy)]
pub struct Span {
    chunk: u32,
    start: u32,
    length: u32,
}

#[derive(Debug, Default)]
pub struct RecordArena {
    chunks: Vec<Vec<u8>>,
}

impl RecordArena {
    pub fn push(&mut self, record: &[u8]) -> Span {
        let has_room = |chunk: &Vec<u8>| chunk.capacity() - chunk.len() >= record.len();
        if !self.chunks.last().is_some_and(has_room) {
            self.chunks.push(Vec::with_capacity(CHUNK_BYTES.max(record.len())));
        }
        let index = self.chunks.len() - 1;
        let chunk = &mut self.chunks[index];
        let span =
            Span { chunk: index as u32, start: chunk.len() as u32, length: record.len() as u32 };
        chunk.extend_from_slice(record);
        span
    }

    pub fn get(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        &self.chunks[span.chunk as usize][start..start + span.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_length_read_back() {
        let mut arena = RecordArena::default();
        let lengths =
            [0, 1, CHUNK_BYTES / 2, CHUNK_BYTES / 2, CHUNK_BYTES - 1, CHUNK_BYTES + 5, 3, 0];
        let record = |(fill, length): (u8, usize)| vec![fill; length];
        let records: Vec<Vec<u8>> = (0..).zip(lengths).map(record).collect();
        let spans: Vec<Span> = records.iter().map(|record| arena.push(record)).collect();
        for (span, record) in spans.into_iter().zip(&records) {
            assert!(arena.get(span) == record, "{} bytes", record.len());
        }
    }
}
