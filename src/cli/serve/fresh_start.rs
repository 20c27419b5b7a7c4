//! Starts the program once more without the operator's password in its environment.
//!
//! `/proc/PID/environ` shows the environment that a program began with, whatever it removes later, and so do a core
//! dump and every program that it starts. Only a start without the variable hides it. The process keeps its number, its
//! arguments and its open files, sockets that systemd opened among them; the password comes on standard input.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::account::Password;

/// Replaces this program by itself without the variable `hidden`, and with `-` as the variable `file`, where the
/// password is given. Comes back only where that fails, with the reason.
pub fn start_without(hidden: &str, password: Option<(&Password, &str)>) -> io::Error {
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
        // A password is below 1 KB, a pipe holds 4 KB and more: nobody waits.
        writeln!(writer, "{}", password.reveal())?;
        command.env(file, "-").stdin(reader);
    }
    Ok(command)
}
