//! Work on many rows by several threads, chunk by chunk, in bounded memory. The result does not depend on the number of
//! threads.

use std::num::NonZero;
use std::ops::Range;
use std::thread;

use crate::compile::Result;

/// Rows of a chunk: some megabytes of records.
const CHUNK_ROWS: usize = 1 << 15;

/// Divides this many rows into chunks. Threads `make` a round of chunks while this one `uses` those of the round before,
/// in their order. `make` gets a used chunk, whose buffers it fills again: memory that one thread allocates and another
/// frees would stay with the allocator.
pub fn in_rounds<C: Default + Send>(
    rows: usize,
    make: impl Fn(Range<usize>, &mut C) -> Result<()> + Sync,
    mut uses: impl FnMut(&mut C) -> Result<()>,
) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let starts = (0..rows).step_by(CHUNK_ROWS);
    let mut ranges = starts.map(|start| start..rows.min(start + CHUNK_ROWS));
    let (make, mut made, mut used) = (&make, Vec::new(), Vec::new());
    loop {
        let round: Vec<_> = ranges.by_ref().take(threads).collect();
        if round.is_empty() && made.is_empty() {
            return Ok(());
        }
        let next = thread::scope(|scope| {
            let start = |range| {
                let mut chunk: C = used.pop().unwrap_or_default();
                scope.spawn(move || make(range, &mut chunk).map(|()| chunk))
            };
            let running: Vec<_> = round.into_iter().map(start).collect();
            made.iter_mut().try_for_each(&mut uses)?;
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().expect("chunks are made without panic")
            };
            running.into_iter().map(join).collect::<Result<Vec<C>>>()
        })?;
        used = std::mem::replace(&mut made, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::CompileError;

    #[test]
    fn chunks_come_in_order_and_errors_of_both_sides_are_returned() {
        let fill = |range: Range<usize>, chunk: &mut Vec<usize>| {
            chunk.clear();
            chunk.extend(range);
            Ok(())
        };
        for rows in [0, 1, CHUNK_ROWS, CHUNK_ROWS + 1, 7 * CHUNK_ROWS - 1] {
            let mut all = Vec::new();
            in_rounds(rows, fill, |chunk| {
                all.extend_from_slice(chunk);
                Ok(())
            })
            .expect("no error");
            assert!(all.into_iter().eq(0..rows), "{rows} rows");
        }
        let refuse =
            |at| move |is: usize| if is == at { Err(CompileError::NoCorporation) } else { Ok(()) };
        let refused = in_rounds(
            3 * CHUNK_ROWS,
            |range, _: &mut Vec<usize>| refuse(2 * CHUNK_ROWS)(range.start),
            |_| Ok(()),
        );
        assert!(matches!(refused, Err(CompileError::NoCorporation)));
        let refused = in_rounds(3 * CHUNK_ROWS, fill, |chunk| refuse(0)(chunk[0]));
        assert!(matches!(refused, Err(CompileError::NoCorporation)));
    }
}
