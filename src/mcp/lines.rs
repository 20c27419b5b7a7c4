//! The transport of `daicho mcp`: messages on standard input and output, each a line of JSON.
//!
//! At most [`AT_WORK_MAX`] requests are at work: read, and not yet answered. `rmcp` starts a task for every message that it
//! receives, so the limit is here: further lines wait unread. Nor is more read from a client that does not read its answers.
//! Notifications have no answer, and take no place.
//!
//! A line that is not JSON or is too long is logged without its text, which may be somebody's address. It gets no
//! answer, because the id of its request is unknown.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ErrorData, GetExtensions, JsonRpcMessage, JsonRpcRequest, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use crate::server::limits::BODY_BYTES_MAX;

/// Longest line, in bytes. The texts of tools are shorter, but here a longer one hurts nobody else, and gets the error of its
/// tool.
const LINE_BYTES_MAX: usize = BODY_BYTES_MAX;

/// Most requests at work, as on a connection of HTTP/2. A search takes some 85 KB.
const AT_WORK_MAX: usize = 32;

/// A place among the requests at work: shared by the task that answers the request and the table of unanswered ones.
type Place = Arc<OwnedSemaphorePermit>;

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

pub struct Lines<R, W> {
    input: BufReader<R>,
    /// What was read of the current line.
    line: Vec<u8>,
    /// Whether the rest of the current line is skipped, because it is too long.
    is_skipping: bool,
    output: Arc<Mutex<W>>,
    room: Arc<Semaphore>,
    unanswered: HashMap<RequestId, Place>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    pub fn new(input: R, output: W) -> Lines<R, W> {
        Lines {
            input: BufReader::new(input),
            line: Vec::new(),
            is_skipping: false,
            output: Arc::new(Mutex::new(output)),
            room: Arc::new(Semaphore::new(AT_WORK_MAX)),
            unanswered: HashMap::new(),
        }
    }

    /// Reads the next line that is not too long. `None` at the end of the input, or if it cannot be read. The future
    /// may be dropped: the next one continues with the same line.
    async fn read_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let read = match self.input.fill_buf().await {
                Ok(read) => read,
                Err(error) => {
                    tracing::error!(%error, "cannot read standard input");
                    return None;
                }
            };
            if read.is_empty() {
                // A last line without an end counts too.
                return Some(std::mem::take(&mut self.line)).filter(|line| !line.is_empty());
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            if !self.is_skipping && self.line.len() + part.len() > LINE_BYTES_MAX {
                tracing::warn!(
                    "a line is too long: expected at most {LINE_BYTES_MAX} bytes, found more; it gets no answer"
                );
                self.is_skipping = true;
                self.line.clear();
            }
            if !self.is_skipping {
                self.line.extend_from_slice(part);
            }
            let read_bytes = part.len() + usize::from(end.is_some());
            self.input.consume(read_bytes);
            if end.is_some() && !std::mem::take(&mut self.is_skipping) {
                return Some(std::mem::take(&mut self.line));
            }
        }
    }

    /// Gives a request its place, until its answer is written. One that is cancelled gets no answer: its place is free
    /// when its task has ended.
    fn begin(&mut self, mut message: Received, place: OwnedSemaphorePermit) -> Received {
        match &mut message {
            JsonRpcMessage::Request(JsonRpcRequest { id, request, .. }) => {
                let place = Arc::new(place);
                request.extensions_mut().insert(Arc::clone(&place));
                self.unanswered.insert(id.clone(), place);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.unanswered.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        message
    }

    fn write(
        &self,
        message: Sent,
        place: Option<Place>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await?;
            drop(place);
            Ok(())
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let place = id.and_then(|id| self.unanswered.remove(id));
        self.write(message, place)
    }

    async fn receive(&mut self) -> Option<Received> {
        loop {
            let place = Arc::clone(&self.room).acquire_owned().await.ok()?;
            let line = self.read_line().await?;
            match parse(&line) {
                Line::Message(message) => return Some(self.begin(*message, place)),
                Line::Ignored => {}
                Line::Invalid => {
                    let error = ErrorData::invalid_request("Invalid request", None);
                    let error = JsonRpcMessage::error(error, None);
                    tokio::spawn(self.write(error, Some(Arc::new(place))));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.shutdown().await
    }
}

/// What a line holds.
enum Line {
    Message(Box<Received>),
    /// Nothing that gets an answer.
    Ignored,
    /// JSON that is no message.
    Invalid,
}

fn parse(line: &[u8]) -> Line {
    // Some programs on Windows begin their output with this mark.
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Line::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Line::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Err(error) => {
            tracing::warn!("a line is not JSON: {error}; it gets no answer");
            Line::Ignored
        }
        // A notification that is not of the protocol.
        Ok(value) if value.get("method").is_some() && value.get("id").is_none() => Line::Ignored,
        Ok(_) => Line::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use tokio::io::{AsyncReadExt, DuplexStream};

    use super::*;

    /// The transport, and the client's end of both directions.
    fn transport() -> (Lines<DuplexStream, DuplexStream>, DuplexStream, DuplexStream) {
        let (input, to_server) = tokio::io::duplex(1024 * 1024);
        let (output, from_server) = tokio::io::duplex(64);
        (Lines::new(input, output), to_server, from_server)
    }

    async fn say(client: &mut DuplexStream, line: &str) {
        client.write_all(format!("{line}\n").as_bytes()).await.expect("room");
    }

    async fn ping(client: &mut DuplexStream, id: usize) {
        say(client, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
    }

    /// The result of a future if it needs no waiting.
    fn now<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let mut context = Context::from_waker(Waker::noop());
        // Else tokio makes a task wait after many steps.
        match pin!(tokio::task::unconstrained(future)).poll(&mut context) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    }

    /// The messages that can be received now.
    fn received(lines: &mut Lines<DuplexStream, DuplexStream>) -> Vec<Received> {
        std::iter::from_fn(|| now(pin!(lines.receive())).flatten()).collect()
    }

    fn answer(message: &Received) -> Sent {
        let JsonRpcMessage::Request(request) = message else { panic!("a request: {message:?}") };
        let error = ErrorData::internal_error("x".repeat(100), None);
        JsonRpcMessage::error(error, Some(request.id.clone()))
    }

    #[tokio::test]
    async fn a_further_request_is_read_when_an_answer_is_written() {
        let (mut lines, mut client, mut from_server) = transport();
        for id in 0..100 {
            ping(&mut client, id).await;
        }
        let first = received(&mut lines);
        assert_eq!(first.len(), AT_WORK_MAX);
        // The client does not read: its buffer takes a part of the first answer.
        let mut sends = Vec::new();
        for message in &first {
            sends.push(Box::pin(lines.send(answer(message))));
        }
        drop(first);
        assert!(sends.iter_mut().all(|send| now(send.as_mut()).is_none()));
        assert!(received(&mut lines).is_empty(), "no answer is written");
        let mut read = [0; 64];
        while sends.len() > AT_WORK_MAX - 3 {
            from_server.read_exact(&mut read).await.expect("an answer");
            sends.retain_mut(|send| now(send.as_mut()).is_none());
        }
        assert_eq!(received(&mut lines).len(), 3);
    }

    #[tokio::test]
    async fn a_request_without_an_answer_gives_its_place_back() {
        let (mut lines, mut client, _from_server) = transport();
        for id in 0..AT_WORK_MAX - 1 {
            ping(&mut client, id).await;
        }
        let first = received(&mut lines);
        assert_eq!(first.len(), AT_WORK_MAX - 1);
        for id in 0..AT_WORK_MAX - 1 {
            let params = format!(r#"{{"requestId":{id}}}"#);
            let method = "notifications/cancelled";
            let line = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
            say(&mut client, &line).await;
        }
        assert_eq!(received(&mut lines).len(), AT_WORK_MAX - 1);
        assert_eq!(lines.room.available_permits(), 1, "their tasks still run");
        drop(first);
        assert_eq!(lines.room.available_permits(), AT_WORK_MAX);
        // The same id twice: the answer to the first belongs to either.
        for _ in 0..2 {
            ping(&mut client, 7).await;
        }
        drop(received(&mut lines));
        assert_eq!(lines.room.available_permits(), AT_WORK_MAX - 1);
    }

    #[tokio::test]
    async fn lines_that_are_no_messages_are_skipped() {
        for line in [
            "",
            "\r",
            "{",
            "not JSON\r",
            r#"{"jsonrpc":"2.0","method":"textDocument/didOpen"}"#,
            &"x".repeat(LINE_BYTES_MAX + 1),
            &"x".repeat(5 * LINE_BYTES_MAX),
            r#"{"hello":1}"#,
            "\u{feff}[]",
        ] {
            let (mut lines, mut client, _from_server) = transport();
            say(&mut client, line).await;
            ping(&mut client, 1).await;
            let found = received(&mut lines);
            let is_ping = |message: &Received| matches!(message, JsonRpcMessage::Request(_));
            assert!(found.last().is_some_and(is_ping), "{line:.40}: {found:?}");
        }
    }

    #[tokio::test]
    async fn json_that_is_no_message_gets_an_error() {
        let (mut lines, mut client, mut from_server) = transport();
        say(&mut client, r#"{"hello":1}"#).await;
        assert!(received(&mut lines).is_empty());
        let mut read = vec![0; 200];
        let length = from_server.read(&mut read).await.expect("an answer");
        let text = String::from_utf8_lossy(&read[..length]);
        assert!(text.contains("-32600"), "{text}");
    }

    #[tokio::test]
    async fn a_last_line_may_lack_its_end() {
        let (mut lines, mut client, _from_server) = transport();
        client.write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await.expect("room");
        assert!(received(&mut lines).is_empty());
        drop(client);
        assert!(lines.receive().await.is_some());
        assert!(lines.receive().await.is_none());
    }
}
