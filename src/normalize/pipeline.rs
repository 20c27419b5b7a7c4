//! Normalises rows on all cores and writes them in order.
//!
//! The number of chunks is fixed, so that neither a slow chunk nor a slow reader of the output makes
//! memory grow, and their buffers are reused.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::{collections::BTreeMap, ops::ControlFlow};

use super::table::Table;
use super::{chunk::Chunk, error::NormalizeError, input::Input, row::RowWriter, split::Shape};
use crate::query::PostalData;

/// Chunks in flight for each thread.
const CHUNKS_PER_THREAD: usize = 3;

#[derive(Clone)]
pub struct Job {
    pub data: Arc<PostalData>,
    pub table: Arc<Table>,
    pub as_json: bool,
    pub threads: usize,
}

type ChunkResult = Result<Chunk, NormalizeError>;

/// Runs the input through; `write` gets each chunk in order, and may end the run.
pub fn run<E: From<NormalizeError>>(
    input: Input,
    job: &Job,
    mut write: impl FnMut(&mut Chunk) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let chunks = job.threads * CHUNKS_PER_THREAD + 2;
    let (free, empty) = sync_channel(chunks);
    let (filled, to_make) = sync_channel(chunks);
    let (made, to_write) = sync_channel(chunks);
    for _ in 0..chunks {
        // Never full: the channel has room for all chunks.
        let _ = free.send(Chunk::default());
    }
    let shape = job.table.shape;
    let mut threads = vec![thread::spawn(move || read(input, shape, &empty, &filled))];
    let to_make = Arc::new(Mutex::new(to_make));
    for _ in 0..job.threads {
        let (job, to_make, made) = (job.clone(), Arc::clone(&to_make), made.clone());
        threads.push(thread::spawn(move || make(&job, &to_make, &made)));
    }
    drop((to_make, made));
    let mut early = BTreeMap::new();
    let mut next = 0;
    for chunk in to_write {
        let chunk = chunk?;
        early.insert(chunk.number, chunk);
        while let Some(mut chunk) = early.remove(&next) {
            next += 1;
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

fn read(input: Input, shape: Shape, empty: &Receiver<Chunk>, filled: &SyncSender<ChunkResult>) {
    let mut number = 0;
    let send = |mut chunk: Chunk| {
        chunk.number = number;
        number += 1;
        filled.send(Ok(chunk)).is_ok()
    };
    if let Err(error) = input.read_chunks(shape, || empty.recv().ok(), send) {
        // The receiver is gone if the run has ended.
        let _ = filled.send(Err(error));
    }
}

fn make(job: &Job, to_make: &Mutex<Receiver<ChunkResult>>, made: &SyncSender<ChunkResult>) {
    let mut writer = RowWriter::with(&job.data, &job.table, job.as_json);
    loop {
        let next = to_make.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { return };
        let result = next.and_then(|mut chunk| {
            let Chunk { input, output, tally, .. } = &mut chunk;
            writer.rows(input, output, tally)?;
            Ok(chunk)
        });
        let ends = result.is_err();
        if made.send(result).is_err() || ends {
            return;
        }
    }
}
