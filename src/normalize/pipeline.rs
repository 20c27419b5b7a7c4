//! Works on the rows of a table on all cores and writes them in order.
//!
//! One thread reads the input into chunks, several make their outputs, and the calling thread writes them. A written chunk
//! goes back to the reader, so the number of chunks is fixed: neither a slow chunk nor a slow reader of the output makes
//! memory grow, and their buffers are reused.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::BTreeMap, ops::ControlFlow, thread};

use super::row_writer::{RowJob, RowWriter};
use super::table::Table;
use super::{chunk::Chunk, error::NormalizeError, input::Input, split::Shape};

/// Chunks for each thread: one in work, the others waiting before or after it.
const CHUNKS_PER_THREAD: usize = 3;

/// A table, and what each of its rows gets. All threads share it.
#[derive(Clone)]
pub struct TableJob<J> {
    pub table: Arc<Table>,
    /// Whether a row is written as a JSON object instead of fields.
    pub as_json: bool,
    /// How many threads make outputs.
    pub threads: usize,
    pub addition: J,
}

type ChunkResult = Result<Chunk, NormalizeError>;

/// Does a job with the whole input. `write` receives each chunk in order and may end the run; its chunk has the input, the
/// output and the counts.
pub fn run<E: From<NormalizeError>, J: RowJob>(
    input: Input,
    job: &TableJob<J>,
    write: impl FnMut(&mut Chunk) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let (shape, threads, job) = (job.table.shape, job.threads, job.clone());
    let work = move |raw_chunks: &Mutex<Receiver<_>>, done: &SyncSender<_>| {
        let TableJob { table, as_json, addition, .. } = &job;
        let mut writer = RowWriter::new(table, *as_json, addition.finder(table));
        transform_chunks(raw_chunks, done, |chunk| writer.write_rows(chunk));
    };
    run_workers(input, shape, threads, work, write)
}

/// Runs the pipeline with this many threads of `work`, which receives the raw chunks and the channel for done ones.
fn run_workers<E: From<NormalizeError>>(
    input: Input,
    shape: Shape,
    worker_count: usize,
    work: impl Fn(&Mutex<Receiver<ChunkResult>>, &SyncSender<ChunkResult>) + Clone + Send + 'static,
    mut write: impl FnMut(&mut Chunk) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let chunks = worker_count * CHUNKS_PER_THREAD + 2;
    let (free, free_chunks) = sync_channel(chunks);
    let (raw, raw_chunks) = sync_channel(chunks);
    let (done, done_chunks) = sync_channel(chunks);
    for _ in 0..chunks {
        // Never full: the channel has room for all chunks.
        let _ = free.send(Chunk::default());
    }
    let mut threads = vec![thread::spawn(move || read_chunks(input, shape, &free_chunks, &raw))];
    let raw_chunks = Arc::new(Mutex::new(raw_chunks));
    for _ in 0..worker_count {
        let (work, raw_chunks, done) = (work.clone(), Arc::clone(&raw_chunks), done.clone());
        threads.push(thread::spawn(move || work(&raw_chunks, &done)));
    }
    drop((raw_chunks, done));
    // Chunks that are done before an earlier one.
    let mut waiting = BTreeMap::new();
    let mut next_index = 0;
    for chunk in done_chunks {
        let chunk = chunk?;
        waiting.insert(chunk.index, chunk);
        while let Some(mut chunk) = waiting.remove(&next_index) {
            next_index += 1;
            if write(&mut chunk)?.is_break() {
                // Not joined: the reader may wait for input that never comes.
                return Ok(());
            }
            chunk.output.clear();
            chunk.review.clear();
            // The reader may have ended already.
            let _ = free.send(chunk);
        }
    }
    for thread in threads {
        thread.join().map_err(|_panic| NormalizeError::Panicked)?;
    }
    Ok(())
}

/// Reads the input into free chunks and sends them on as raw ones.
fn read_chunks(
    input: Input,
    shape: Shape,
    free_chunks: &Receiver<Chunk>,
    raw: &SyncSender<ChunkResult>,
) {
    let mut index = 0;
    let send = |mut chunk: Chunk| {
        chunk.index = index;
        index += 1;
        raw.send(Ok(chunk)).is_ok()
    };
    if let Err(error) = input.read_chunks(shape, || free_chunks.recv().ok(), send) {
        // The receiver is gone if the run has ended.
        let _ = raw.send(Err(error));
    }
}

/// Reports the panic of a worker. Without it the run would wait forever for the chunk that the worker had taken: no
/// later chunk can be written, so none returns to the reader.
struct PanicReport<'a>(&'a SyncSender<ChunkResult>);

impl Drop for PanicReport<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            // The receiver is gone if the run has ended.
            let _ = self.0.send(Err(NormalizeError::Panicked));
        }
    }
}

/// Transforms raw chunks until there are no more; several threads run this.
fn transform_chunks(
    raw_chunks: &Mutex<Receiver<ChunkResult>>,
    done: &SyncSender<ChunkResult>,
    mut transform: impl FnMut(&mut Chunk) -> Result<(), NormalizeError>,
) {
    let _report = PanicReport(done);
    loop {
        let next = raw_chunks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { return };
        let result = next.and_then(|mut chunk| {
            transform(&mut chunk)?;
            Ok(chunk)
        });
        let has_failed = result.is_err();
        if done.send(result).is_err() || has_failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::input::{InputKind, READ_BYTES};

    /// Runs copies of `chunk_count` chunks with two workers and returns how many were written.
    fn run_copies(
        chunk_count: usize,
        panics: fn(&Chunk) -> bool,
    ) -> (Result<(), NormalizeError>, u64) {
        let lines = "a line of the input\n".repeat(READ_BYTES / 20 * chunk_count);
        let source = Box::new(std::io::Cursor::new(lines));
        let input =
            Input::open(source, "lines".to_owned(), InputKind::Terminal, None).expect("text");
        let work = move |raw_chunks: &Mutex<Receiver<_>>, done: &SyncSender<_>| {
            transform_chunks(raw_chunks, done, |chunk| {
                assert!(!panics(chunk), "the test panics here");
                chunk.output.extend_from_slice(&chunk.input);
                Ok(())
            });
        };
        let mut written = 0;
        let result = run_workers(input, Shape::LINES, 2, work, |chunk| {
            assert_eq!((chunk.index, &chunk.input), (written, &chunk.output));
            written += 1;
            Ok(ControlFlow::Continue(()))
        });
        (result, written)
    }

    #[test]
    fn chunks_are_written_in_order() {
        let (result, written) = run_copies(30, |_| false);
        result.expect("no worker panics");
        assert!(written >= 30, "{written}");
    }

    #[test]
    fn the_panic_of_a_worker_ends_the_run() {
        for panics in [|chunk: &Chunk| chunk.index == 3, |_: &Chunk| true] {
            let (result, written) = run_copies(30, panics);
            assert!(matches!(result, Err(NormalizeError::Panicked)), "{result:?}");
            assert!(written <= 3, "{written}");
        }
    }
}
