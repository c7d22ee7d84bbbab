//! A body in chunks that breaks on its way: the library below hangs up then, which tells the client nothing.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::{HttpResponse, body::MessageBody};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep},
};

use crate::{connections::Connection, trailers::Trailers};

/// What is said if the request that a connection is at breaks: something, while it has still to arrive whole, so that nothing
/// can have come of it.
#[derive(Clone, Default)]
pub(crate) struct Arrival(Rc<RefCell<Option<Vec<u8>>>>);

/// A connection that is not hung up on without a word while the body of a request arrives.
pub(crate) struct Answering {
    stream: TcpStream,
    arrival: Arrival,
    trailers: Trailers,
    is_gone: bool,
    connection: Connection,
    progress: Progress,
    /// Timer that ends some time after the connection has become idle.
    idle: Option<Pin<Box<Sleep>>>,
}

/// Progress of the current request of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// A part of the request is read, and no response is written.
    Reading,
    /// A part of the response is written.
    Answering,
    /// The response is sent: the connection is idle.
    Idle,
}

/// Idle time after which a connection is closed if connections are scarce.
const IDLE: Duration = Duration::from_secs(2);

impl Arrival {
    /// A request is served whose body has still to arrive. If it breaks on its way, `answer` is sent.
    pub(crate) fn begin(&self, answer: HttpResponse) {
        self.0.replace(Some(spelled(answer)));
    }

    /// All of it is there, and may have an effect from now on; or it was answered.
    pub(crate) fn end(&self) {
        self.0.take();
    }
}

/// The answer as it goes over the wire, the last of its connection.
fn spelled(answer: HttpResponse) -> Vec<u8> {
    let (head, body) = answer.into_parts();
    let body = body.try_into_bytes().unwrap_or_default();
    let mut bytes = format!("HTTP/1.1 {}\r\n", head.status()).into_bytes();
    for (name, value) in head.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()).into_bytes());
    bytes.extend(body);
    bytes
}

impl Answering {
    pub(crate) fn new(stream: TcpStream, connection: Connection) -> Self {
        let progress = Progress::Reading;
        Self {
            stream,
            arrival: Arrival::default(),
            trailers: Trailers::default(),
            is_gone: false,
            connection,
            progress,
            idle: None,
        }
    }

    /// Whether an idle connection must be closed now, because other clients wait for one.
    fn makes_room(&mut self, cx: &mut Context<'_>) -> bool {
        if self.progress != Progress::Idle {
            return false;
        }
        let idle = self.idle.get_or_insert_with(|| Box::pin(sleep(IDLE)));
        while idle.as_mut().poll(cx).is_ready() {
            if self.connection.is_pressed() {
                return true;
            }
            idle.as_mut().reset(Instant::now() + IDLE);
        }
        false
    }

    pub(crate) fn arrival(&self) -> Arrival {
        self.arrival.clone()
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if let Some(answer) = self.arrival.0.take().filter(|_| !self.is_gone) {
            // Best effort: a client that does not take some bytes at once learns nothing, as before.
            let _ = self.stream.try_write(&answer);
        }
    }
}

impl AsyncRead for Answering {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (before, room) = (into.filled().len(), into.remaining());
        loop {
            let read = self.as_mut().stream().poll_read(cx, into);
            let Poll::Ready(done) = &read else {
                // The HTTP library sees this as a disconnect by the client.
                return if self.makes_room(cx) { Poll::Ready(Ok(())) } else { read };
            };
            (self.progress, self.idle) = (Progress::Reading, None);
            if done.is_err() || into.filled().len() == before {
                self.is_gone |= done.is_err() || room > 0;
                return read;
            }
            let kept = self.trailers.drop_from(&mut into.filled_mut()[before..]);
            into.set_filled(before + kept);
            // Zero bytes would mean the end of the connection.
            if kept > 0 {
                return read;
            }
        }
    }
}

impl AsyncWrite for Answering {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.arrival.end();
        self.progress = Progress::Answering;
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.as_mut().stream().poll_flush(cx);
        if flushed.is_ready() && self.progress == Progress::Answering {
            self.progress = Progress::Idle;
            // Nothing is read until bytes arrive: the timer has to wake the connection.
            self.makes_room(cx);
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}
