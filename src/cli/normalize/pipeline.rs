//! Rows through all cores, and out in their order.
//!
//! One thread reads chunks of whole rows, some make the rows of the output, the caller writes them
//! in order. A fixed number of chunks goes round and round, so that neither a slow chunk nor a slow
//! reader of the output makes memory grow, and their buffers are used again.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::input::Input;
use super::row::{Rower, Tally};
use super::table::Table;
use crate::cli::error::CommandError;
use crate::query::PostalData;

/// Chunks that are under way for each thread.
const CHUNKS_PER_THREAD: usize = 3;

/// A part of the input and what becomes of it.
#[derive(Debug, Default)]
pub struct Chunk {
    number: u64,
    /// Whole rows.
    pub input: Vec<u8>,
    /// What they become.
    pub output: Vec<u8>,
    /// What happened to them.
    pub tally: Tally,
}

/// What is done with each row.
#[derive(Clone)]
pub struct Job {
    /// The towns.
    pub data: Arc<PostalData>,
    /// The table that the rows are of.
    pub table: Arc<Table>,
    /// Whether the rows become JSON.
    pub as_json: bool,
    /// How many threads make rows.
    pub threads: usize,
}

/// Whether the writer wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It does.
    Go,
    /// Nobody reads what it writes.
    Stop,
}

type Passed = Result<Chunk, CommandError>;

/// Runs the input through; `write` gets each chunk in order.
pub fn run(
    input: Input,
    job: &Job,
    mut write: impl FnMut(&mut Chunk) -> Result<Next, CommandError>,
) -> Result<(), CommandError> {
    let chunks = job.threads * CHUNKS_PER_THREAD + 2;
    let (free, empty) = sync_channel(chunks);
    let (filled, to_make) = sync_channel(chunks);
    let (made, to_write) = sync_channel(chunks);
    for _ in 0..chunks {
        // The channel holds as many.
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
            if write(&mut chunk)? == Next::Stop {
                // Not joined: the reader may wait for input that never comes.
                return Ok(());
            }
            chunk.output.clear();
            // The reader may have ended already.
            let _ = free.send(chunk);
        }
    }
    joined(threads)
}

fn joined(threads: Vec<JoinHandle<()>>) -> Result<(), CommandError> {
    for thread in threads {
        thread.join().map_err(|_panic| {
            CommandError::Damaged("a thread ended before its work; please report it".to_owned())
        })?;
    }
    Ok(())
}

/// The reading thread.
fn read(
    input: Input,
    shape: super::split::Shape,
    empty: &Receiver<Chunk>,
    filled: &SyncSender<Passed>,
) {
    let mut number = 0;
    let send = |mut chunk: Chunk| {
        chunk.number = number;
        number += 1;
        filled.send(Ok(chunk)).is_ok()
    };
    if let Err(error) = input.read_chunks(shape, || empty.recv().ok(), send) {
        // Where nobody listens any more, the command has ended.
        let _ = filled.send(Err(error));
    }
}

/// A thread that makes rows.
fn make(job: &Job, to_make: &Mutex<Receiver<Passed>>, made: &SyncSender<Passed>) {
    let mut rower = Rower::with(&job.data, &job.table, job.as_json);
    loop {
        let next = to_make.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(next) = next else { return };
        let passed = next.and_then(|mut chunk| {
            let Chunk { input, output, tally, .. } = &mut chunk;
            match rower.rows(input, output, tally) {
                Ok(()) => Ok(chunk),
                Err(error) => Err(CommandError::Damaged(error.to_string())),
            }
        });
        let ends = passed.is_err();
        if made.send(passed).is_err() || ends {
            return;
        }
    }
}
