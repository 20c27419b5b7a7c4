//! The host name of this machine, which names its servers and its publishers.

pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
