use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use http_body_util::Full;
use hyper::{
    Request, Response,
    body::{Bytes, Incoming},
    client::conn::http1::{self, SendRequest},
};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

pub(crate) type WebhookRequest = Request<Full<Bytes>>;

/// Maximum length of the head of a response.
const MAX_HEAD: usize = 64 * 1024;

/// Bytes in both directions, with or without TLS.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Transport for T {}

/// HTTP/1.1 connection for one request after another.
pub(crate) struct Connection {
    requests: SendRequest<Full<Bytes>>,
    pub(crate) opened_at: Instant,
    has_bytes: Arc<AtomicBool>,
}

/// The connection broke before the head of the response was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Whether a part of the response was received.
    pub(crate) has_response: bool,
}

impl Connection {
    /// Returns a connection over an open transport.
    pub(crate) async fn over(transport: Box<dyn Transport>) -> Option<Self> {
        let has_bytes = Arc::<AtomicBool>::default();
        let io = TokioIo::new(Observed { transport, has_bytes: has_bytes.clone() });
        let (requests, connection) = http1::Builder::new().max_buf_size(MAX_HEAD).handshake(io).await.ok()?;
        // Ends when the receiver closes the connection, or `requests` is dropped.
        tokio::spawn(connection);
        Some(Self { requests, opened_at: Instant::now(), has_bytes })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Sends a request. Returns the response without the body, which must be read before the next request.
    pub(crate) async fn send(&mut self, request: WebhookRequest) -> Result<Response<Incoming>, Broken> {
        self.has_bytes.store(false, Ordering::Release);
        let sent = async {
            self.requests.ready().await?;
            self.requests.send_request(request).await
        };
        sent.await.map_err(|_| Broken { has_response: self.has_bytes.load(Ordering::Acquire) })
    }
}

/// Transport that records whether bytes were received.
struct Observed {
    transport: Box<dyn Transport>,
    has_bytes: Arc<AtomicBool>,
}

impl AsyncRead for Observed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.transport).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.has_bytes.store(true, Ordering::Release);
        }
        polled
    }
}

impl AsyncWrite for Observed {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.transport).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.transport).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }
}
