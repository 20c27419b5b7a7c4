//! Divides the rows of a build among the cores.

use std::num::NonZero;
use std::ops::Range;
use std::thread;

/// Divides this many rows into one chunk of consecutive rows per core, and calls `build` for each on a thread of its
/// own. Returns what was built, in the order of rows, and the number of rows of each chunk; the last may have fewer. A
/// panic of `build` is passed on.
pub fn chunks_by_core<T: Send>(rows: u32, build: impl Fn(Range<u32>) -> T + Sync) -> (Vec<T>, u32) {
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u32;
    let rows_per_chunk = rows.div_ceil(threads).max(1);
    let build = &build;
    let chunks = thread::scope(|scope| {
        let spawn = |first: u32| {
            let end = rows.min(first.saturating_add(rows_per_chunk));
            scope.spawn(move || build(first..end))
        };
        let threads: Vec<_> = (0..rows).step_by(rows_per_chunk as usize).map(spawn).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, T>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    (chunks, rows_per_chunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_chunk_in_order() {
        for count in [0, 1, 2, 3, 7, 1_000] {
            let (chunks, rows_per_chunk) = chunks_by_core(count, |rows| rows.collect::<Vec<u32>>());
            assert!(chunks.iter().rev().skip(1).all(|rows| rows.len() == rows_per_chunk as usize));
            assert_eq!(chunks.concat(), (0..count).collect::<Vec<u32>>());
        }
    }
}
