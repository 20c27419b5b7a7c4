//! The side of the running server: it starts the installed program, passes on what that needs, and learns whether it is
//! ready.
//!
//! The installed program is the one at the path by which this server was started; a package replaces the file there.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::channel::{Channel, Descriptor};
use super::{FORMAT, MESSAGE_TIME_MAX, READY, RELEASED, SERVE, VARIABLE};
use crate::cli::serve::activation::ListenAt;
use crate::cli::serve::systemd::HANDS_OVER_SOCKETS;
use crate::server::listener::Listener;
use crate::server::unix_socket::SocketFile;

/// How long the other program may take until it is ready. It reads data that are in memory already; systemd waits for 90 s
/// by default.
const READY_TIME_MAX: Duration = Duration::from_secs(75);

/// How long a program that gave up may take to end.
const END_TIME_MAX: Duration = Duration::from_secs(2);

/// Set for this process by systemd, or meant for its first start.
const OWN_VARIABLES: [&str; 4] = ["LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "WATCHDOG_PID"];

/// Why the other program did not take over.
#[derive(Debug, thiserror::Error)]
pub enum HandoverFault {
    #[error(
        "this is the first process of its container, which ends with it; replace the container instead"
    )]
    FirstProcess,
    #[error("expected to start {program}; found: {cause}; install the program there", program = .program.display())]
    NotStarted { program: PathBuf, cause: io::Error },
    #[error(
        "expected process {process} to take over; found that it ended ({status}); the log has its error"
    )]
    Ended { process: u32, status: ExitStatus },
    #[error(
        "expected process {process} to be ready within {seconds} seconds; found that it was not, and ended it; the log has \
         what it did"
    )]
    Slow { process: u32, seconds: f32 },
    #[error("expected the listening sockets to be passed on; found: {0}; restart the server")]
    Channel(#[from] io::Error),
}

/// What the running server passes on.
#[derive(Debug, Default)]
pub struct Outgoing {
    sockets: Vec<OutgoingSocket>,
    /// The lock of the cache of releases.
    cache_lock: Option<File>,
}

#[derive(Debug)]
struct OutgoingSocket {
    descriptor: Descriptor,
    /// How the other program finds it.
    place: Value,
    file: Option<Arc<SocketFile>>,
}

impl Outgoing {
    pub fn with_cache_lock(cache_lock: Option<File>) -> Outgoing {
        Outgoing { sockets: Vec::new(), cache_lock }
    }

    /// Adds a socket, which was opened for this place. `served` is what is served there: `api`, `dashboard` or `metrics`.
    pub fn add(&mut self, listener: &Listener, place: &ListenAt, served: &str) -> io::Result<()> {
        if HANDS_OVER_SOCKETS {
            let place = match place {
                ListenAt::Address(address) => json!({ "address": address.to_string() }),
                ListenAt::Handed(_) => json!({ "served": served }),
            };
            let descriptor = Descriptor::of_listener(listener)?;
            let file = listener.socket_file();
            self.sockets.push(OutgoingSocket { descriptor, place, file });
        }
        Ok(())
    }

    /// Starts the other program. `datasets` are the names of those that this server has data of.
    pub fn start(&self, datasets: Vec<String>) -> Result<Attempt, HandoverFault> {
        // A container, or the namespace of its processes, ends with its first process.
        if std::process::id() == 1 {
            return Err(HandoverFault::FirstProcess);
        }
        let places: Vec<&Value> = self.sockets.iter().map(|it| &it.place).collect();
        let has_lock = self.cache_lock.is_some();
        let message =
            json!({ "sockets": places, "has_cache_lock": has_lock, "datasets": datasets });
        let sockets = self.sockets.iter().map(|socket| socket.descriptor.try_clone());
        let mut passed = sockets.collect::<io::Result<Vec<Descriptor>>>()?;
        if let Some(lock) = &self.cache_lock {
            passed.push(Descriptor::of_file(lock.try_clone()?)?);
        }
        let (channel, end) = Channel::new()?;
        let second = channel.second_handle()?;
        let is_aborted = Arc::new(AtomicBool::new(false));
        let aborted = Arc::clone(&is_aborted);
        let (sender, outcome) = oneshot::channel();
        thread::Builder::new().name("handover".to_owned()).spawn(move || {
            let start = Start { program: installed_program(), channel, end, is_aborted: aborted };
            // Fails only if the server has ended meanwhile.
            let _ = sender.send(start.until_ready(&message.to_string(), &passed, READY_TIME_MAX));
        })?;
        Ok(Attempt { channel: second, outcome, is_aborted })
    }

    /// Takes the files of Unix sockets from the server before this one.
    pub fn take_files(&self) {
        self.sockets.iter().filter_map(|socket| socket.file.as_ref()).for_each(|it| it.take());
    }

    /// Leaves the files of Unix sockets to the server that took over.
    pub fn leave_files(&self) {
        self.sockets.iter().filter_map(|socket| socket.file.as_ref()).for_each(|it| it.leave());
    }
}

/// A program that was started and is not ready yet.
#[derive(Debug)]
pub struct Attempt {
    channel: Channel,
    outcome: oneshot::Receiver<Result<Successor, HandoverFault>>,
    is_aborted: Arc<AtomicBool>,
}

impl Attempt {
    /// Waits for the program. Cancel-safe; not to be called again after it has returned.
    pub async fn outcome(&mut self) -> Result<Successor, HandoverFault> {
        let gone = || Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        (&mut self.outcome).await.unwrap_or_else(|_panicked| gone())
    }

    /// Ends the program.
    pub async fn abort(mut self) {
        self.is_aborted.store(true, Relaxed);
        self.channel.close();
        // One that became ready at this moment ends by itself, because its channel has ended.
        drop(self.outcome().await);
    }
}

/// A program that is ready to serve.
#[derive(Debug)]
pub struct Successor {
    pub process: u32,
    child: Child,
    channel: Channel,
}

impl Successor {
    /// Lets it accept connections.
    pub fn serve(&mut self) -> Result<(), HandoverFault> {
        if let Some(status) = self.child.try_wait()? {
            return Err(HandoverFault::Ended { process: self.process, status });
        }
        Ok(self.channel.send(SERVE, &[])?)
    }

    /// Lets it start what only one server may do. Then watches it for as long as this process lives.
    pub fn release(self) {
        let Successor { process, mut child, channel } = self;
        // Fails only if it has ended.
        let _ = channel.send(RELEASED, &[]);
        let watch = move || {
            let Ok(status) = child.wait() else { return };
            // It may have handed over in its turn, while connections of this process were still open.
            if status.success() {
                tracing::info!(process, "the server that took over has ended in order");
            } else {
                tracing::error!(process, %status, "the server that took over has ended");
            }
        };
        if let Err(error) = thread::Builder::new().name("successor".to_owned()).spawn(watch) {
            tracing::warn!(%error, "cannot watch the server that took over");
        }
    }
}

/// The start of the other program.
struct Start {
    program: PathBuf,
    channel: Channel,
    /// The other end of the channel.
    end: Stdio,
    is_aborted: Arc<AtomicBool>,
}

impl Start {
    /// Starts the program, passes everything on, and waits until it is ready. Ends it otherwise.
    fn until_ready(
        self,
        message: &str,
        passed: &[Descriptor],
        time_max: Duration,
    ) -> Result<Successor, HandoverFault> {
        let Start { program, channel, end, is_aborted } = self;
        let mut child = command(&program, end)
            .spawn()
            .map_err(|cause| HandoverFault::NotStarted { program, cause })?;
        let process = child.id();
        tracing::info!(process, "started the installed program, which is to take over");
        let answer = channel
            .set_time_max(MESSAGE_TIME_MAX)
            .and_then(|()| channel.send(message, passed))
            .and_then(|()| channel.set_time_max(time_max))
            .and_then(|()| channel.receive());
        match answer {
            Ok(answer) if answer.line == READY => Ok(Successor { process, child, channel }),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                end_program(&mut child, Duration::ZERO)?;
                Err(HandoverFault::Slow { process, seconds: time_max.as_secs_f32() })
            }
            Ok(_) | Err(_) => {
                let is_aborted = is_aborted.load(Relaxed);
                let time_max = if is_aborted { Duration::ZERO } else { END_TIME_MAX };
                let status = end_program(&mut child, time_max)?;
                Err(HandoverFault::Ended { process, status })
            }
        }
    }
}

/// Ends a program that does not end by itself in this time.
fn end_program(child: &mut Child, time_max: Duration) -> io::Result<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < time_max {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()
}

/// The path by which this process was started; a name without a folder is looked up again.
fn installed_program() -> PathBuf {
    let own = || std::env::current_exe().unwrap_or_default().into_os_string();
    let started: OsString =
        std::env::args_os().next().filter(|it| !it.is_empty()).unwrap_or_else(own);
    let path = PathBuf::from(started);
    match path.parent() {
        Some(folder) if folder != Path::new("") => std::path::absolute(&path).unwrap_or(path),
        _ => path,
    }
}

/// The command of this process, with the end of the channel as its standard input. The environment has no password: see
/// `DashboardArgs::hide_password`.
fn command(program: &Path, end: Stdio) -> Command {
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(VARIABLE, FORMAT).stdin(end);
    for variable in OWN_VARIABLES {
        command.env_remove(variable);
    }
    command
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_program_that_takes_too_long_is_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("daicho");
        fs::write(&program, "#!/bin/sh\nexec sleep 600\n").expect("written");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("executable");
        let (channel, end) = Channel::new().expect("a channel");
        let start = Start { program, channel, end, is_aborted: Arc::default() };
        let fault = start.until_ready("{}", &[], Duration::from_millis(100)).expect_err("slow");
        assert!(matches!(fault, HandoverFault::Slow { .. }), "{fault}");
        assert!(fault.to_string().contains("within 0.1 seconds"), "{fault}");
    }
}
