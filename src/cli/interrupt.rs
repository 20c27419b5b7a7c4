//! Signals while a command writes files. SIGINT and SIGTERM: what is unfinished is removed, and the process ends. SIGXFSZ,
//! which comes with a write past the limit of file sizes: the write fails as on a full disk.

use std::process::exit;
use std::sync::OnceLock;
use std::{io, thread};

use rustix::process::Signal;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::error::CommandError;
use crate::snapshot::unfinished;

/// A shell says that a signal ended a program by this and the signal's number.
const ENDED_BY_SIGNAL: i32 = 128;

/// From now on a signal ends the process without leaving unfinished files.
pub fn clean_up_on_signals() -> Result<(), CommandError> {
    static WATCHED: OnceLock<Result<(), String>> = OnceLock::new();
    let watched = WATCHED.get_or_init(|| watch().map_err(|error| error.to_string()));
    watched.clone().map_err(|error| {
        CommandError::BadInput(format!("cannot install a signal handler: {error}"))
    })
}

fn watch() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        // Left alone it would end the process. Once asked for it never does, though nobody waits for it.
        drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))?);
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    let wait = async move {
        tokio::select! {
            _ = interrupt.recv() => SignalKind::interrupt(),
            _ = terminate.recv() => SignalKind::terminate(),
        }
    };
    let thread = thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        let kind = runtime.block_on(wait);
        unfinished::remove_all();
        exit(ENDED_BY_SIGNAL + kind.as_raw_value());
    })?;
    Ok(())
}
