//! The host name of this machine.

/// The host name.
pub fn machine() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
