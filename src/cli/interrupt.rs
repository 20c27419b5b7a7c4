//! Signals while a command writes files. SIGINT and SIGTERM remove unfinished files and end the process.
//! SIGXFSZ, sent for a write beyond the file size limit, is ignored, so that the write fails as on a full disk.

use std::{io, process::exit, sync::OnceLock, thread};

use rustix::process::Signal;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::error::CommandError;
use crate::snapshot::unfinished;

/// Shells report a process killed by a signal with the exit code of this plus the signal number.
const SIGNAL_EXIT_CODE_BASE: i32 = 128;

pub fn clean_up_on_signals() -> Result<(), CommandError> {
    static INSTALLED: OnceLock<Result<(), String>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| install_handlers().map_err(|error| error.to_string()));
    installed
        .clone()
        .map_err(|error| CommandError::Failed(format!("cannot install a signal handler: {error}")))
}

fn install_handlers() -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        // By default the signal ends the process. Once registered, its handler stays even if nothing listens.
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
        exit(SIGNAL_EXIT_CODE_BASE + kind.as_raw_value());
    })?;
    Ok(())
}
