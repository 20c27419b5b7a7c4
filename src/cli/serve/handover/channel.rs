//! The channel of a handover: a stream of lines between two processes, over which sockets and files are passed. Windows
//! has no such streams: there no channel can be made.

use std::io;
use std::process::Stdio;
use std::time::Duration;

/// A line, and what was passed with it.
#[derive(Debug)]
pub struct Received {
    pub line: String,
    pub descriptors: Vec<Descriptor>,
}

#[cfg(windows)]
mod system {
    use std::fs::File;

    use super::*;
    use crate::cli::serve::systemd::HandedSocket;
    use crate::server::listener::Listener;

    #[derive(Debug)]
    pub enum Descriptor {}

    impl Descriptor {
        pub fn of_listener(_listener: &Listener) -> io::Result<Descriptor> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn of_file(_file: File) -> io::Result<Descriptor> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn try_clone(&self) -> io::Result<Descriptor> {
            match *self {}
        }

        pub fn into_socket(self) -> io::Result<HandedSocket> {
            match self {}
        }

        pub fn into_file(self) -> File {
            match self {}
        }
    }

    #[derive(Debug)]
    pub enum Channel {}

    impl Channel {
        pub fn new() -> io::Result<(Channel, Stdio)> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn of_standard_input() -> io::Result<Channel> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub fn second_handle(&self) -> io::Result<Channel> {
            match *self {}
        }

        pub fn set_time_max(&self, _time_max: Duration) -> io::Result<()> {
            match *self {}
        }

        pub fn close(&self) {
            match *self {}
        }

        pub fn send(&self, _line: &str, _descriptors: &[Descriptor]) -> io::Result<()> {
            match *self {}
        }

        pub fn receive(&self) -> io::Result<Received> {
            match *self {}
        }
    }
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io::{IoSlice, IoSliceMut, Write};
    use std::mem::MaybeUninit;
    use std::net::Shutdown;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    use rustix::io::{Errno, FdFlags, fcntl_setfd};
    use rustix::net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
        SendAncillaryBuffer, SendAncillaryMessage, SendFlags, getsockname, recvmsg, sendmsg,
    };

    use super::*;
    use crate::cli::serve::systemd::{HandedSocket, listening_socket};
    use crate::server::listener::Listener;

    /// Longer than any line.
    const LINE_BYTES_MAX: usize = 64 << 10;

    /// The most sockets and files with a line.
    const DESCRIPTORS_MAX: usize = 64;

    /// An open socket or file.
    #[derive(Debug)]
    pub struct Descriptor(OwnedFd);

    impl Descriptor {
        pub fn of_listener(listener: &Listener) -> io::Result<Descriptor> {
            listener.as_fd().try_clone_to_owned().map(Descriptor)
        }

        pub fn of_file(file: File) -> io::Result<Descriptor> {
            Ok(Descriptor(file.into()))
        }

        pub fn try_clone(&self) -> io::Result<Descriptor> {
            self.0.try_clone().map(Descriptor)
        }

        pub fn into_socket(self) -> io::Result<HandedSocket> {
            listening_socket(self.0)
        }

        pub fn into_file(self) -> File {
            self.0.into()
        }
    }

    #[derive(Debug)]
    pub struct Channel(UnixStream);

    impl Channel {
        /// A channel, and its other end as the standard input of a program.
        pub fn new() -> io::Result<(Channel, Stdio)> {
            let (own, other) = UnixStream::pair()?;
            Ok((Channel(own), OwnedFd::from(other).into()))
        }

        pub fn of_standard_input() -> io::Result<Channel> {
            let input = io::stdin().as_fd().try_clone_to_owned()?;
            if getsockname(&input)?.address_family() != AddressFamily::UNIX {
                return Err(io::Error::other("another kind of socket"));
            }
            Ok(Channel(input.into()))
        }

        pub fn second_handle(&self) -> io::Result<Channel> {
            self.0.try_clone().map(Channel)
        }

        /// How long to wait for the other side.
        pub fn set_time_max(&self, time_max: Duration) -> io::Result<()> {
            self.0.set_read_timeout(Some(time_max))?;
            self.0.set_write_timeout(Some(time_max))
        }

        /// Ends the channel for every handle of it.
        pub fn close(&self) {
            // Fails only if the other side has closed it.
            let _ = self.0.shutdown(Shutdown::Both);
        }

        pub fn send(&self, line: &str, descriptors: &[Descriptor]) -> io::Result<()> {
            let text = format!("{line}\n");
            let passed: Vec<BorrowedFd<'_>> = descriptors.iter().map(|it| it.0.as_fd()).collect();
            if passed.len() > DESCRIPTORS_MAX {
                return Err(io::ErrorKind::ArgumentListTooLong.into());
            }
            let mut space =
                [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !passed.is_empty() {
                control.push(SendAncillaryMessage::ScmRights(&passed));
            }
            let bytes = IoSlice::new(text.as_bytes());
            let sent = sendmsg(&self.0, &[bytes], &mut control, SendFlags::empty())?;
            (&self.0).write_all(&text.as_bytes()[sent..])
        }

        /// Receives a line. It is read byte by byte, so that nothing of the next one is taken.
        pub fn receive(&self) -> io::Result<Received> {
            let mut received = Received { line: String::new(), descriptors: Vec::new() };
            let mut line = Vec::new();
            loop {
                let mut byte = [0];
                let mut space =
                    [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX))];
                let mut control = RecvAncillaryBuffer::new(&mut space);
                let bytes = &mut [IoSliceMut::new(&mut byte)];
                let message = match recvmsg(&self.0, bytes, &mut control, RecvFlags::empty()) {
                    Err(Errno::INTR) => continue,
                    message => message?,
                };
                for passed in control.drain() {
                    let RecvAncillaryMessage::ScmRights(passed) = passed else { continue };
                    for descriptor in passed {
                        // Programs that this one starts must not have it.
                        fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
                        received.descriptors.push(Descriptor(descriptor));
                    }
                }
                if message.flags.contains(ReturnFlags::CTRUNC) || line.len() > LINE_BYTES_MAX {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                match (message.bytes, byte) {
                    (0, _) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    (_, [b'\n']) => break,
                    (_, [other]) => line.push(other),
                }
            }
            received.line = String::from_utf8(line).map_err(io::Error::other)?;
            Ok(received)
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::{Read, Seek};

        use super::*;

        #[test]
        fn lines_and_what_is_passed_with_them_arrive_one_by_one() {
            let (one, other) = UnixStream::pair().expect("a pair");
            let (one, other) = (Channel(one), Channel(other));
            let mut file = tempfile::tempfile().expect("a file");
            file.write_all(b"kept").expect("written");
            let passed = Descriptor::of_file(file.try_clone().expect("a handle")).expect("open");
            one.send("first", &[passed]).expect("sent");
            one.send("second", &[]).expect("sent");
            let Received { line, descriptors } = other.receive().expect("a line");
            assert_eq!((line.as_str(), descriptors.len()), ("first", 1));
            file.rewind().expect("at its beginning");
            let mut text = String::new();
            for descriptor in descriptors {
                descriptor.into_file().read_to_string(&mut text).expect("readable");
            }
            assert_eq!(text, "kept", "the same file");
            assert_eq!(other.receive().expect("a line").line, "second");
            other.set_time_max(Duration::from_millis(1)).expect("set");
            let slow = other.receive().expect_err("nothing was sent");
            assert_eq!(slow.kind(), io::ErrorKind::WouldBlock);
            one.close();
            let ended = other.receive().expect_err("closed");
            assert_eq!(ended.kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}

pub use system::{Channel, Descriptor};
