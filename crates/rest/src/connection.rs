//! Connections that respond when a chunked body breaks off. The HTTP library would close them without a response.

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

use crate::{connection_limits::CountedConnection, trailers::Trailers};

/// Response to send if the body of the current request breaks off, set only until the body is complete: before,
/// the request has no effect.
#[derive(Clone, Default)]
pub(crate) struct PendingBody(Rc<RefCell<Option<Vec<u8>>>>);

/// Connection to a client.
pub(crate) struct ClientConnection {
    stream: TcpStream,
    pending: PendingBody,
    trailers: Trailers,
    /// Whether the client closed the connection.
    is_closed: bool,
    counted: CountedConnection,
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
    Writing,
    /// The response is sent: the connection is idle.
    Idle,
}

/// Idle time after which a connection is closed if connections are scarce.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

impl PendingBody {
    /// Sets the response for a body that breaks off.
    pub(crate) fn set_error(&self, response: HttpResponse) {
        self.0.replace(Some(to_bytes(response)));
    }

    /// Clears the response: the body is complete, or the server responded.
    pub(crate) fn clear(&self) {
        self.0.take();
    }
}

/// Returns the bytes of a response that closes its connection.
fn to_bytes(response: HttpResponse) -> Vec<u8> {
    let (head, body) = response.into_parts();
    let body = body.try_into_bytes().unwrap_or_default();
    let mut bytes = format!("HTTP/1.1 {}\r\n", head.status()).into_bytes();
    for (name, value) in head.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len()).into_bytes());
    bytes.extend(body);
    bytes
}

impl ClientConnection {
    pub(crate) fn new(stream: TcpStream, counted: CountedConnection) -> Self {
        Self {
            stream,
            pending: PendingBody::default(),
            trailers: Trailers::default(),
            is_closed: false,
            counted,
            progress: Progress::Reading,
            idle: None,
        }
    }

    /// Whether an idle connection must be closed now, because other clients wait for one.
    fn must_close(&mut self, cx: &mut Context<'_>) -> bool {
        if self.progress != Progress::Idle {
            return false;
        }
        let idle = self.idle.get_or_insert_with(|| Box::pin(sleep(IDLE_TIMEOUT)));
        while idle.as_mut().poll(cx).is_ready() {
            if self.counted.is_pressed() {
                return true;
            }
            idle.as_mut().reset(Instant::now() + IDLE_TIMEOUT);
        }
        false
    }

    pub(crate) fn pending(&self) -> PendingBody {
        self.pending.clone()
    }

    fn stream(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        Pin::new(&mut self.get_mut().stream)
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        if let Some(response) = self.pending.0.take().filter(|_| !self.is_closed) {
            // Best effort: if the socket accepts no bytes, the client sees a closed connection.
            let _ = self.stream.try_write(&response);
        }
    }
}

impl AsyncRead for ClientConnection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let (before, room) = (into.filled().len(), into.remaining());
        loop {
            let read = self.as_mut().stream().poll_read(cx, into);
            let Poll::Ready(result) = &read else {
                // The HTTP library sees this as a disconnect by the client.
                return if self.must_close(cx) { Poll::Ready(Ok(())) } else { read };
            };
            (self.progress, self.idle) = (Progress::Reading, None);
            if result.is_err() || into.filled().len() == before {
                self.is_closed |= result.is_err() || room > 0;
                return read;
            }
            let retained = self.trailers.drop_from(&mut into.filled_mut()[before..]);
            into.set_filled(before + retained);
            // Zero bytes would mean the end of the connection.
            if retained > 0 {
                return read;
            }
        }
    }
}

impl AsyncWrite for ClientConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.pending.clear();
        self.progress = Progress::Writing;
        self.stream().poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = self.as_mut().stream().poll_flush(cx);
        if flushed.is_ready() && self.progress == Progress::Writing {
            self.progress = Progress::Idle;
            // The connection is polled only when bytes arrive: the timer has to wake the task.
            self.must_close(cx);
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}
