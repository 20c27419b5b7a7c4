//! This process and its machine: name, user, priority, limits, standard output.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::AsFd as IsOpen;
#[cfg(windows)]
use std::os::windows::io::AsHandle as IsOpen;
use std::process::Command;

/// The name of this machine.
pub fn host_name() -> String {
    #[cfg(unix)]
    return rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(windows)]
    return {
        use winapi_util::sysinfo::{ComputerNameKind, get_computer_name};
        let name = get_computer_name(ComputerNameKind::DnsHostname);
        name.map_or_else(|_unknown| "unknown".to_owned(), |it| it.to_string_lossy().into_owned())
    };
}

/// The name of the user of this process, for a record of who did something. With `sudo`, who called it.
pub fn user_name() -> String {
    let variables: &[&str] =
        if cfg!(unix) { &["SUDO_USER", "USER", "LOGNAME"] } else { &["USERNAME"] };
    let user = variables.iter().find_map(|name| std::env::var(name).ok());
    #[cfg(unix)]
    return user.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw()));
    #[cfg(windows)]
    return user.unwrap_or_else(|| "unknown".to_owned());
}

/// Lowers the priority of the calling thread. Only Linux has a priority of a thread: elsewhere this does nothing.
pub fn lower_thread_priority(niceness: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::nice(niceness)?;
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
    Ok(())
}

/// Runs this program once more. On Linux that is the same program also if another file has replaced it since the start.
pub fn own_command() -> io::Result<Command> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("/proc/self/exe");
        command.arg0(std::env::args_os().next().unwrap_or_else(|| "daicho".into()));
        Ok(command)
    }
    #[cfg(not(target_os = "linux"))]
    std::env::current_exe().map(Command::new)
}

/// Bounds this process so that it cannot harm the one that started it: limits its address space, makes it the first to
/// be ended if the machine has no memory left, and ends it with the thread that started it. Only Linux has all of this:
/// elsewhere it does nothing. A system that refuses one of them does the others.
pub fn bound_to_parent(address_space: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{
            Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
        };
        let maximum = getrlimit(Resource::As).maximum;
        let limit = maximum.map_or(address_space, |maximum| maximum.min(address_space));
        let _ = setrlimit(Resource::As, Rlimit { current: Some(limit), maximum });
        let _ = std::fs::write("/proc/self/oom_score_adj", "500");
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = address_space;
}

/// The limits of open files and sockets of this process; `None` where there is none, as on Windows.
#[derive(Debug, Clone, Copy)]
pub struct OpenFileLimits {
    pub current: Option<u64>,
    /// Up to which this process may raise it.
    pub maximum: Option<u64>,
}

impl OpenFileLimits {
    pub fn read() -> OpenFileLimits {
        #[cfg(unix)]
        {
            let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
            OpenFileLimits { current: limit.current, maximum: limit.maximum }
        }
        #[cfg(windows)]
        OpenFileLimits { current: None, maximum: None }
    }

    /// Raises the limit to `current`.
    pub fn raise(self, current: u64) -> io::Result<()> {
        #[cfg(unix)]
        {
            use rustix::process::{Resource, Rlimit, setrlimit};
            let raised = Rlimit { current: Some(current), maximum: self.maximum };
            setrlimit(Resource::Nofile, raised)?;
        }
        #[cfg(windows)]
        let _ = current;
        Ok(())
    }
}

/// Another handle of standard output or standard error, without the lock and the buffer of the first. A Windows terminal
/// shows its Japanese only with the code page of UTF-8.
pub fn second_handle(stream: &impl IsOpen) -> io::Result<File> {
    #[cfg(unix)]
    return stream.as_fd().try_clone_to_owned().map(File::from);
    #[cfg(windows)]
    return stream.as_handle().try_clone_to_owned().map(File::from);
}

/// Runs another program in this process, under the first of the arguments that this one has. Returns only with an error:
/// always on Windows, where a program cannot replace itself.
pub fn replace_by(command: &mut Command) -> io::Error {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        if let Some(name) = std::env::args_os().next() {
            command.arg0(name);
        }
        command.exec()
    }
    #[cfg(windows)]
    {
        let _ = command;
        io::Error::new(
            io::ErrorKind::Unsupported,
            "Windows cannot restart a program in its process",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_the_user_and_the_limits_are_known() {
        assert!(!host_name().is_empty() && !user_name().is_empty());
        let limits = OpenFileLimits::read();
        let (current, maximum) = (limits.current.unwrap_or(u64::MAX), limits.maximum);
        assert!(current > 0 && maximum.is_none_or(|maximum| current <= maximum));
    }
}
