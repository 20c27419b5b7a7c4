//! The side of the program that takes over: what it was passed, and when it may serve.

use std::fs::File;
use std::io;

use serde_json::Value;

use super::channel::{Channel, Descriptor, Received};
use super::{FORMAT, MESSAGE_TIME_MAX, READY, RELEASED, SERVE, VARIABLE};
use crate::api::data::Data;
use crate::cli::error::CommandError;
use crate::cli::serve::activation::{Handed, ListenAt};
use crate::cli::serve::notify::served_datasets;
use crate::cli::serve::systemd::HandedSocket;
use crate::server::listener::{ListenAddress, Listener};
use crate::server::unix_socket::ListenError;

/// A handover to this program.
#[derive(Debug)]
pub struct Incoming {
    channel: Channel,
    /// Those that were opened for an address of the settings; the address as text.
    sockets: Vec<(String, Descriptor)>,
    /// The datasets that the server before this one has data of.
    datasets: Vec<String>,
}

impl Incoming {
    /// What the server before this one has passed on; `None` if this is the first start. Must run before any other thread
    /// reads standard input.
    pub fn take() -> Result<Option<(Incoming, Handed)>, CommandError> {
        let Some(format) = std::env::var_os(VARIABLE).filter(|it| !it.is_empty()) else {
            return Ok(None);
        };
        if format != FORMAT {
            return Err(CommandError::Usage(format!(
                "{VARIABLE}: expected {FORMAT}; found {format:?}; restart the server instead of handing it over"
            )));
        }
        let channel = Channel::of_standard_input().map_err(|error| {
            CommandError::Usage(format!(
                "{VARIABLE}: expected the channel of a server on standard input; found another file ({error}); unset \
                 the variable"
            ))
        })?;
        let received = channel.set_time_max(MESSAGE_TIME_MAX).and_then(|()| channel.receive());
        let received = received.map_err(|error| lost(&error))?;
        parse(channel, received).map(Some)
    }

    /// The socket of the server before this one that was opened for the same address, if there is one.
    pub fn socket(&mut self, address: &ListenAddress) -> Option<Result<Listener, ListenError>> {
        let text = address.to_string();
        let at = self.sockets.iter().position(|(known, _)| *known == text)?;
        let (_, descriptor) = self.sockets.swap_remove(at);
        Some(adopted(address, descriptor).map_err(ListenError::from))
    }

    /// Fails if this program has no data of a dataset that the server before it has, such as after a change of the snapshot
    /// format.
    pub fn check_data(&self, data: &Data) -> Result<(), CommandError> {
        let own = served_datasets(data);
        let missing: Vec<&str> =
            self.datasets.iter().filter(|it| !own.contains(it)).map(String::as_str).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(CommandError::Failed(format!(
            "expected data of every dataset that the server before this one serves; found none of {}; build them with \
             this program, or restart the server to do without them",
            missing.join(", ")
        )))
    }

    /// Says that this program is ready, and waits until it may serve. Blocks.
    pub fn take_over(&self) -> Result<(), CommandError> {
        let answer = self.channel.send(READY, &[]).and_then(|()| self.channel.receive());
        match answer {
            Ok(answer) if answer.line == SERVE => Ok(()),
            Ok(_) => Err(lost(&io::ErrorKind::InvalidData.into())),
            Err(error) => Err(lost(&error)),
        }
    }

    /// Waits until the server before this one has ended what only one server may do, and closes the sockets that the
    /// settings do not name any more. Blocks. Must run within the runtime of the connections.
    pub fn wait_for_release(self) {
        for (address, descriptor) in self.sockets {
            if let Some(Ok(path)) = ListenAddress::parse_unix(&address) {
                // Its file is removed with it.
                let listener = adopted(&ListenAddress::Unix(path), descriptor).ok();
                listener.and_then(|it| it.socket_file()).inspect(|file| file.take());
            }
            tracing::info!(address, "stopped listening: the settings do not name the address");
        }
        let answer = self.channel.receive();
        if !answer.is_ok_and(|answer| answer.line == RELEASED) {
            tracing::warn!(
                "the server before this one did not say that its background work has ended; starting it"
            );
        }
    }
}

/// The error if the server before this one is gone, or speaks otherwise.
fn lost(error: &io::Error) -> CommandError {
    CommandError::Failed(format!(
        "expected the server before this one to hand over; found that it did not ({error}); start this one again"
    ))
}

fn adopted(address: &ListenAddress, descriptor: Descriptor) -> io::Result<Listener> {
    match (descriptor.into_socket()?, address) {
        (HandedSocket::Tcp(socket), _) => Listener::adopt_tcp(socket),
        (HandedSocket::Unix(socket), ListenAddress::Unix(path)) => {
            Listener::take_over_unix(socket, path)
        }
        (HandedSocket::Unix(socket), ListenAddress::Tcp(_)) => Listener::adopt_unix(socket),
    }
}

fn parse(channel: Channel, received: Received) -> Result<(Incoming, Handed), CommandError> {
    let malformed = || lost(&io::ErrorKind::InvalidData.into());
    let message: Value = serde_json::from_str(&received.line).map_err(|_malformed| malformed())?;
    let mut descriptors = received.descriptors.into_iter();
    let mut handed = Handed { is_takeover: true, ..Handed::default() };
    let mut sockets = Vec::new();
    for place in message["sockets"].as_array().ok_or_else(malformed)? {
        let descriptor = descriptors.next().ok_or_else(malformed)?;
        match (place["address"].as_str(), place["served"].as_str()) {
            (Some(address), _) => sockets.push((address.to_owned(), descriptor)),
            (None, served) => {
                let socket = descriptor.into_socket().map_err(|error| lost(&error))?;
                let socket = ListenAt::Handed(socket);
                match served {
                    Some("dashboard") => handed.dashboard.push(socket),
                    Some("metrics") => handed.metrics.push(socket),
                    _ => handed.api.push(socket),
                }
            }
        }
    }
    if message["has_cache_lock"] == true {
        let lock: File = descriptors.next().ok_or_else(malformed)?.into_file();
        handed.cache_lock = Some(lock);
    }
    let names = message["datasets"].as_array().ok_or_else(malformed)?.iter();
    let datasets = names.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    Ok((Incoming { channel, sockets, datasets }, handed))
}
