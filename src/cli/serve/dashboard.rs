//! Whether and where the dashboard is served, and the operator's password.
//!
//! It is off until a password is set (`DAICHO_ADMIN_PASSWORD`, `--admin-password-file`) or generated
//! (`--dashboard on`). A different password replaces the old one and ends the operator's sessions. A password that the
//! operator chose at the dashboard stays until the server is given another one than before.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use clap::{Args, ValueEnum, builder::FalseyValueParser};
use data_encoding::BASE32_NOPAD;
use jiff::Timestamp;
use tempfile::NamedTempFile;

use super::activation::{ListenAt, places};
use crate::account::{Password, random_bytes, store::Store};
use crate::cli::error::CommandError;
use crate::cli::password::{hash, parse_password, read_password, variable};
use crate::cli::store::KeysMaxArg;
use crate::server::proxies::TrustedProxies;
use crate::system::process::replace_by;

pub const PASSWORD_VARIABLE: &str = "DAICHO_ADMIN_PASSWORD";
const PASSWORD_FILE_VARIABLE: &str = "DAICHO_ADMIN_PASSWORD_FILE";

/// In the folder of the state file.
const PASSWORD_FILE: &str = "admin-password";

/// Letters and digits of a generated password: 100 random bits.
const GENERATED_LENGTH: usize = 20;

/// Random bytes that make at least that many letters and digits of five bits each.
const GENERATED_BYTES: usize = 13;

#[derive(Debug, Args)]
pub struct DashboardArgs {
    /// Serve the web dashboard at /dashboard [default: on if an operator password is set]. With `on`
    /// and no password yet, the server generates one and writes it to the file admin-password beside
    /// the state file
    #[arg(long, value_enum, env = "DAICHO_DASHBOARD")]
    dashboard: Option<Switch>,
    /// File with the operator's password, `-` for standard input; or set DAICHO_ADMIN_PASSWORD, which
    /// the server removes from its environment after reading it. The password is stored as a hash:
    /// the next start does not need it
    #[arg(long, value_name = "FILE", env = PASSWORD_FILE_VARIABLE)]
    admin_password_file: Option<PathBuf>,
    /// Serve the dashboard at this address instead of the API's
    #[arg(long, value_name = "ADDR", env = "DAICHO_DASHBOARD_LISTEN")]
    dashboard_listen: Option<String>,
    /// The dashboard is behind an HTTPS proxy: mark its cookies as Secure. Needs --trusted-proxy, so
    /// that failed sign-ins are counted per client and not for the proxy
    #[arg(long, env = "DAICHO_DASHBOARD_BEHIND_PROXY", value_parser = FalseyValueParser::new())]
    dashboard_behind_proxy: bool,
    #[command(flatten)]
    keys_max: KeysMaxArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug)]
pub struct DashboardConfig {
    switch: Option<Switch>,
    password: Option<Password>,
    pub addresses: Vec<ListenAt>,
    /// Whether a proxy in front of it speaks HTTPS.
    pub is_behind_https: bool,
    /// Maximum number of live keys of an account.
    pub keys_max: u64,
}

#[derive(Default)]
pub struct DashboardSetup {
    pub is_on: bool,
    pub password_file: Option<PathBuf>,
}

impl DashboardArgs {
    /// Restarts the program if the environment contains the password, so that it is no longer visible there:
    /// `/proc/PID/environ` shows the initial environment of a process even after variables were removed, and core
    /// dumps and child processes contain it too. The process keeps its number, its arguments and its open files,
    /// including sockets from systemd. Returns if there is none, or if the restart failed, with the error.
    pub fn hide_password(&self) -> Result<Option<io::Error>, CommandError> {
        if std::env::var_os(PASSWORD_VARIABLE).is_none() {
            return Ok(None);
        }
        // A password file overrides the variable.
        let password = match &self.admin_password_file {
            Some(_) => None,
            None => password_from_environment()?,
        };
        Ok(Some(match command_without_password(password.as_ref()) {
            Ok(mut command) => replace_by(&mut command),
            Err(error) => error,
        }))
    }

    pub fn check(
        &self,
        proxies: &TrustedProxies,
        handed: Vec<ListenAt>,
        is_takeover: bool,
    ) -> Result<DashboardConfig, CommandError> {
        if self.dashboard_behind_proxy && proxies.0.is_empty() {
            return Err(CommandError::usage(
                "--dashboard-behind-proxy needs the address of the proxy; found none; name it with \
                 --trusted-proxy, such as --trusted-proxy 127.0.0.1",
            ));
        }
        let password = match &self.admin_password_file {
            // Standard input had it at the first start; its hash is stored since.
            Some(file) if is_takeover && file.as_os_str() == "-" => None,
            Some(file) => Some(read_password("--admin-password-file", file)?),
            None => password_from_environment()?,
        };
        let addresses = places("--dashboard-listen", self.dashboard_listen.as_deref(), handed)?;
        Ok(DashboardConfig {
            switch: self.dashboard,
            password,
            addresses,
            is_behind_https: self.dashboard_behind_proxy,
            keys_max: self.keys_max.account_keys_max,
        })
    }
}

impl DashboardConfig {
    /// Decides whether the dashboard is on, and stores a new password of the operator. A generated one is written
    /// to a file in `folder`.
    pub fn set_up(&self, store: &mut Store, folder: &Path) -> Result<DashboardSetup, CommandError> {
        if self.is_off() {
            return Ok(DashboardSetup::default());
        }
        let stored_hash = store.operator_password()?;
        let mut password_file = None;
        match (&self.password, stored_hash) {
            (Some(given), Some(stored)) if stored.matches(given.reveal()) => {}
            // The operator chose another one at the dashboard since this one was given.
            (Some(given), Some(_)) if was_given_before(store, given)? => {}
            (Some(given), _) => {
                store_password(store, given)?;
                store.set_given_password(&hash(given)?, Timestamp::now())?;
            }
            (None, Some(_)) => {}
            (None, None) if self.switch == Some(Switch::On) => {
                let password = generate_password()?;
                password_file = Some(write_password(&password, folder)?);
                store_password(store, &password)?;
            }
            (None, None) if self.addresses.is_empty() => return Ok(DashboardSetup::default()),
            (None, None) => {
                let message = format!(
                    "--dashboard-listen needs the operator's password; found none; set \
                     {PASSWORD_VARIABLE}, name a file with --admin-password-file, or let the server \
                     generate one with --dashboard on"
                );
                return Err(CommandError::Usage(message));
            }
        }
        Ok(DashboardSetup { is_on: true, password_file })
    }

    pub fn is_off(&self) -> bool {
        self.switch == Some(Switch::Off)
    }

    /// Whether the options alone turn it on, whatever the store contains.
    pub fn is_requested(&self) -> bool {
        let has_address = !self.addresses.is_empty();
        !self.is_off() && (self.switch.is_some() || self.password.is_some() || has_address)
    }

    /// Does the work of `set_up` later, if the store was unreachable at the start.
    pub fn set_up_late(&self, store: &mut Store, folder: &Path, is_on: &AtomicBool) {
        match self.set_up(store, folder) {
            Ok(setup) => {
                is_on.store(setup.is_on, Relaxed);
                if let Some(file) = setup.password_file {
                    let file = file.display();
                    tracing::info!(%file, "generated the operator's password for /dashboard");
                }
            }
            Err(error) => tracing::error!(%error, "cannot set up the operator of the dashboard"),
        }
    }
}

/// This command without the variable of the password, which is passed on standard input.
fn command_without_password(password: Option<&Password>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).env_remove(PASSWORD_VARIABLE);
    if let Some(password) = password {
        let (reader, mut writer) = io::pipe()?;
        // Does not block: a password is shorter than 1 KB, and a pipe buffers at least 4 KB.
        writeln!(writer, "{}", password.reveal())?;
        command.env(PASSWORD_FILE_VARIABLE, "-").stdin(reader);
    }
    Ok(command)
}

fn password_from_environment() -> Result<Option<Password>, CommandError> {
    let text = variable(PASSWORD_VARIABLE)?;
    text.map(|text| parse_password(PASSWORD_VARIABLE, &text)).transpose()
}

fn was_given_before(store: &mut Store, password: &Password) -> Result<bool, CommandError> {
    let given = store.given_password()?;
    Ok(given.is_some_and(|given| given.matches(password.reveal())))
}

fn store_password(store: &mut Store, password: &Password) -> Result<(), CommandError> {
    store.set_operator_password(&hash(password)?, None, Timestamp::now())?;
    tracing::info!("the operator's password was set");
    Ok(())
}

/// Writes a password to a file that only this user can read; standard output may go to a journal that others
/// read.
fn write_password(password: &Password, folder: &Path) -> Result<PathBuf, CommandError> {
    let path = folder.join(PASSWORD_FILE);
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        writeln!(file, "{}", password.reveal())?;
        file.persist(&path).map_err(|refused| refused.error)
    });
    written.map_err(|error| {
        CommandError::Failed(format!(
            "cannot write the operator's password to {}: {error}; make the folder writable, or \
             set the password with {PASSWORD_VARIABLE}",
            path.display()
        ))
    })?;
    Ok(path)
}

/// A password of letters and digits that are hard to confuse.
fn generate_password() -> Result<Password, CommandError> {
    let text = BASE32_NOPAD.encode(&random_bytes::<GENERATED_BYTES>()?).to_ascii_lowercase();
    let text: String = text.chars().take(GENERATED_LENGTH).collect();
    Password::parse(&text).map_err(CommandError::failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_password_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let password = generate_password().expect("made");
        for _ in 0..2 {
            let path = write_password(&password, folder.path()).expect("written");
            let mode = path.metadata().expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            let read = read_password("--admin-password-file", &path).expect("read");
            assert_eq!(read, password);
        }
        let missing = write_password(&password, &folder.path().join("none"));
        let message = missing.expect_err("no folder").to_string();
        assert!(message.contains("none/admin-password") && message.contains(PASSWORD_VARIABLE));
        assert!(!message.contains(password.reveal()), "{message}");
    }

    #[test]
    fn generated_passwords_are_valid_and_differ() {
        let (one, other) = (generate_password().expect("made"), generate_password().expect("made"));
        assert_eq!(one.reveal().len(), GENERATED_LENGTH);
        assert_ne!(one, other);
    }
}
