//! The connection of `daicho health` to a server on a Unix socket, or to one that expects the PROXY protocol.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};
use ureq::{Error, Timeout};

use crate::server::proxy_header::LOCAL;
use crate::server::unix_socket::BlockingUnixStream;

/// Connects to a Unix socket instead of the host of the URL.
#[derive(Debug)]
pub struct UnixConnector {
    /// `None` connects to the host of the URL.
    pub path: Option<PathBuf>,
    pub time_max: Duration,
}

impl<In: Transport> Connector<In> for UnixConnector {
    type Out = Either<In, UnixTransport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(path) = &self.path else { return Ok(chained.map(Either::A)) };
        let stream = BlockingUnixStream::connect(path)?;
        stream.set_read_timeout(Some(self.time_max))?;
        stream.set_write_timeout(Some(self.time_max))?;
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Either::B(UnixTransport { stream, buffers })))
    }
}

#[derive(Debug)]
pub struct UnixTransport {
    stream: BlockingUnixStream,
    buffers: LazyBuffers,
}

impl Transport for UnixTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _timeout: NextTimeout) -> Result<(), Error> {
        let output = &self.buffers.output()[..amount];
        self.stream.write_all(output).map_err(timed_out)
    }

    fn await_input(&mut self, _timeout: NextTimeout) -> Result<bool, Error> {
        let count = self.stream.read(self.buffers.input_append_buf()).map_err(timed_out)?;
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    fn is_open(&mut self) -> bool {
        true
    }
}

fn timed_out(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::Timeout(Timeout::Global),
        _ => error.into(),
    }
}

/// Begins the connection with the header of the PROXY protocol that stands for the sender itself.
#[derive(Debug)]
pub struct LocalHeader {
    pub is_expected: bool,
}

impl<In: Transport> Connector<In> for LocalHeader {
    type Out = In;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<In>, Error> {
        let Some(mut transport) = chained else { return Ok(None) };
        if self.is_expected {
            transport.buffers().output()[..LOCAL.len()].copy_from_slice(&LOCAL);
            transport.transmit_output(LOCAL.len(), details.timeout)?;
        }
        Ok(Some(transport))
    }
}
