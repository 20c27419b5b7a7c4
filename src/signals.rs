//! The signals that end this process or make it reload.
//!
//! Windows has Ctrl-C, which is taken as SIGINT, and Ctrl-Break, which is taken as SIGTERM. It has no signal to reload:
//! the dashboard can, and the server looks at its folder by itself.

use std::future::pending;
use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal as Receiver, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, ctrl_break, ctrl_c};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Interrupt,
    Terminate,
    HangUp,
    /// SIGUSR2: to hand over to the program that is installed now.
    Replace,
}

impl Signal {
    /// Its number, the same on every Unix but for SIGUSR2; shells add it to the exit code of a process that it ended.
    pub fn number(self) -> i32 {
        match self {
            Signal::HangUp => 1,
            Signal::Interrupt => 2,
            Signal::Terminate => 15,
            Signal::Replace => REPLACE_NUMBER,
        }
    }
}

#[cfg(unix)]
const REPLACE_NUMBER: i32 = rustix::process::Signal::USR2.as_raw();
#[cfg(windows)]
const REPLACE_NUMBER: i32 = 12;

/// Signals that no longer end the process by themselves.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    interrupt: Receiver,
    terminate: Receiver,
    /// SIGHUP and SIGUSR2; `None` where they end the process, as usual.
    hang_up: Option<Receiver>,
    replace: Option<Receiver>,
}

#[cfg(windows)]
#[derive(Debug)]
pub struct Signals {
    interrupt: CtrlC,
    terminate: CtrlBreak,
}

impl Signals {
    /// SIGINT and SIGTERM. Must run within a runtime.
    pub fn to_end() -> io::Result<Signals> {
        #[cfg(unix)]
        return Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: None,
            replace: None,
        });
        #[cfg(windows)]
        return Ok(Signals { interrupt: ctrl_c()?, terminate: ctrl_break()? });
    }

    /// SIGHUP and SIGUSR2 too, where they exist.
    pub fn to_end_or_reload() -> io::Result<Signals> {
        #[cfg(unix)]
        return Ok(Signals {
            hang_up: Some(signal(SignalKind::hangup())?),
            replace: Some(signal(SignalKind::user_defined2())?),
            ..Signals::to_end()?
        });
        #[cfg(windows)]
        return Signals::to_end();
    }

    /// Waits for the next signal. Cancel-safe: loses none if the wait is dropped.
    pub async fn next(&mut self) -> Signal {
        #[cfg(unix)]
        let (hang_up, replace) = (received(&mut self.hang_up), received(&mut self.replace));
        #[cfg(windows)]
        let (hang_up, replace) = (pending::<Option<()>>(), pending::<Option<()>>());
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = hang_up => Signal::HangUp,
            _ = replace => Signal::Replace,
        }
    }
}

/// Waits for a signal; for ever if it is not received.
#[cfg(unix)]
async fn received(receiver: &mut Option<Receiver>) -> Option<()> {
    match receiver {
        Some(receiver) => receiver.recv().await,
        None => pending().await,
    }
}

/// Makes a write beyond the limit of file sizes fail, as on a full disk: by default SIGXFSZ ends the process. Must run
/// within a runtime. Windows has neither this limit nor the signal.
pub fn ignore_file_size_limit() -> io::Result<()> {
    // Once registered, its handler stays even if nothing listens.
    #[cfg(unix)]
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_the_numbers_of_the_system() {
        for (signal, expected) in [
            (Signal::HangUp, SignalKind::hangup()),
            (Signal::Interrupt, SignalKind::interrupt()),
            (Signal::Terminate, SignalKind::terminate()),
            (Signal::Replace, SignalKind::user_defined2()),
        ] {
            assert_eq!(signal.number(), expected.as_raw_value(), "{signal:?}");
        }
    }
}
