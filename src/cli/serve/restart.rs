//! Restarts the program without the operator's password in its environment.
//!
//! `/proc/PID/environ` shows the initial environment of a process even after variables were removed; core dumps
//! and child processes contain it too. Only a restart without the variable hides it. The process keeps its
//! number, its arguments and its open files, including sockets from systemd; the password is passed on standard
//! input.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::account::Password;

/// Replaces this process with the same program, without the variable `hidden`, and with the variable `file` set
/// to `-` if a password is given. Returns only on failure, with the error.
pub fn restart_without(hidden: &str, password: Option<(&Password, &str)>) -> io::Error {
    match prepare(hidden, password) {
        Ok(mut command) => command.exec(),
        Err(error) => error,
    }
}

fn prepare(hidden: &str, password: Option<(&Password, &str)>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut arguments = std::env::args_os();
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    command.args(arguments).env_remove(hidden);
    if let Some((password, file)) = password {
        let (reader, mut writer) = io::pipe()?;
        // Does not block: a password is shorter than 1 KB, and a pipe buffers at least 4 KB.
        writeln!(writer, "{}", password.reveal())?;
        command.env(file, "-").stdin(reader);
    }
    Ok(command)
}
