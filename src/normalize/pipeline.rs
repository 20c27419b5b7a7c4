//! Normalises rows on all cores and writes them in order.
//!
//! One thread reads the input into chunks, several normalise them, and the calling thread writes them. A written chunk
//! goes back to the reader, so the number of chunks is fixed: neither a slow chunk nor a slow reader of the output makes
//! memory grow, and their buffers are reused.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::{collections::BTreeMap, ops::ControlFlow};

use super::table::Table;
use super::{chunk::Chunk, error::NormalizeError, input::Input, row::RowWriter, split::Shape};
use crate::query::PostalData;

/// Chunks for each thread: one in work, the others waiting before or after it.
const CHUNKS_PER_THREAD: usize = 3;

/// What all threads share.
#[derive(Clone)]
pub struct Job {
    pub data: Arc<PostalData>,
    pub table: Arc<Table>,
    /// Whether a row is written as a JSON object instead of fields.
    pub as_json: bool,
    pub threads: usize,
}

type ChunkResult = Result<Chunk, NormalizeError>;

/// Normalises the whole input. `write` receives each chunk in order and may end the run; its chunk has the input, the
/// output and the counts.
pub fn run<E: From<NormalizeError>>(
    input: Input,
    job: &Job,
    mut write: impl FnMut(&mut Chunk) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let chunks = job.threads * CHUNKS_PER_THREAD + 2;
    let (free, free_chunks) = sync_channel(chunks);
    let (raw, raw_chunks) = sync_channel(chunks);
    let (done, done_chunks) = sync_channel(chunks);
    for _ in 0..chunks {
        // Never full: the channel has room for all chunks.
        let _ = free.send(Chunk::default());
    }
    let shape = job.table.shape;
    let mut threads = vec![thread::spawn(move || read_chunks(input, shape, &free_chunks, &raw))];
    let raw_chunks = Arc::new(Mutex::new(raw_chunks));
    for _ in 0..job.threads {
        let (job, raw_chunks, done) = (job.clone(), Arc::clone(&raw_chunks), done.clone());
        threads.push(thread::spawn(move || normalize_chunks(&job, &raw_chunks, &done)));
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

/// Normalises raw chunks until there are no more; several threads run this.
fn normalize_chunks(
    job: &Job,
    raw_chunks: &Mutex<Receiver<ChunkResult>>,
    done: &SyncSender<ChunkResult>,
) {
    let mut writer = RowWriter::new(&job.data, &job.table, job.as_json);
    loop {
        let next = raw_chunks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { return };
        let result = next.and_then(|mut chunk| {
            let Chunk { input, output, tally, .. } = &mut chunk;
            writer.write_rows(input, output, tally)?;
            Ok(chunk)
        });
        let has_failed = result.is_err();
        if done.send(result).is_err() || has_failed {
            return;
        }
    }
}
