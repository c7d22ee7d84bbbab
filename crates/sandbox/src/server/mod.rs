//! HTTP/1.1 server of the simulated acquirer and authority, based on hyper. Tests can cut its connections.

mod connection;
mod interruption;
mod message;

pub(crate) use interruption::Interruptions;
pub use interruption::{Cut, Interruption};
pub(crate) use message::{Request, Response};

use std::{future, io, net::SocketAddr, sync::Arc, time::Duration};

use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use ports::Clock;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
    time::timeout,
};
use tokio_rustls::{TlsAcceptor, rustls::pki_types::CertificateDer};

use connection::{Connection, Scissors};

/// Timeout of a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Timeout for the head of the next request of a connection. Clients close idle connections earlier.
const HEAD: Duration = Duration::from_secs(60);

/// Handler of a service's requests.
pub(crate) trait Handler: Send + Sync + 'static {
    /// Returns the reply to a request of a client with this certificate.
    fn reply(
        &self,
        request: &Request,
        certificate: Option<&CertificateDer<'static>>,
    ) -> impl Future<Output = Reply> + Send;
}

/// A response, and the point at which its connection is cut.
pub(crate) enum Reply {
    Whole(Response),
    Cut(Cut, Response),
}

/// Settings of a server.
pub(crate) struct Server<H> {
    pub(crate) handler: H,
    pub(crate) interruptions: Arc<Interruptions>,
    pub(crate) acceptor: Option<TlsAcceptor>,
    /// Whether connections stay open for further requests.
    pub(crate) keeps_connections: bool,
    /// In bytes.
    pub(crate) longest_body: usize,
    /// Clock of the `Date` of responses.
    pub(crate) clock: Arc<dyn Clock>,
}

/// A running service; dropping it stops the server.
pub struct RunningServer {
    address: SocketAddr,
    interruptions: Arc<Interruptions>,
    task: AbortHandle,
}

impl RunningServer {
    /// Address of the listener.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds a fault after the pending ones.
    pub fn interrupt(&self, interruption: Interruption) {
        self.interruptions.add(interruption);
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<H: Handler> Server<H> {
    /// Serves the connections of `listener`.
    pub(crate) fn start(self, listener: TcpListener) -> io::Result<RunningServer> {
        let (address, interruptions) = (listener.local_addr()?, Arc::clone(&self.interruptions));
        let task = tokio::spawn(Arc::new(self).accept(listener)).abort_handle();
        Ok(RunningServer { address, interruptions, task })
    }

    async fn accept(self: Arc<Self>, listener: TcpListener) {
        // The connections end with this task.
        let mut connections = JoinSet::new();
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            let Ok((stream, _)) = stream else { continue };
            // Head and body may be sent separately: without Nagle's delay the second does not wait for an
            // acknowledgement.
            if stream.set_nodelay(true).is_err() {
                continue;
            }
            if self.interruptions.take_early(Cut::AtConnect).is_none() {
                connections.spawn(Arc::clone(&self).connect(stream));
            }
        }
    }

    async fn connect(self: Arc<Self>, stream: TcpStream) {
        match &self.acceptor {
            None => self.serve(stream, None).await,
            Some(acceptor) => {
                if let Ok(Ok(stream)) = timeout(HANDSHAKE, acceptor.accept(stream)).await {
                    let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first).cloned();
                    self.serve(stream, shown).await;
                }
            }
        }
    }

    async fn serve(&self, stream: impl AsyncRead + AsyncWrite + Unpin, certificate: Option<CertificateDer<'static>>) {
        if self.interruptions.take_early(Cut::BeforeRequest).is_some() {
            return;
        }
        let scissors = Scissors::default();
        let service = service_fn(|request| self.respond(request, certificate.as_ref(), &scissors));
        let connection = Connection { stream, scissors: scissors.clone() };
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .keep_alive(self.keeps_connections)
            .auto_date_header(false)
            .serve_connection(TokioIo::new(connection), service)
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection broke");
        }
    }

    async fn respond(
        &self,
        request: hyper::Request<Incoming>,
        certificate: Option<&CertificateDer<'static>>,
        scissors: &Scissors,
    ) -> io::Result<hyper::Response<Full<Bytes>>> {
        let (response, closes) = match Request::read(request, self.longest_body).await {
            Ok(request) => match self.handler.reply(&request, certificate).await {
                Reply::Whole(response) => (response, false),
                Reply::Cut(Cut::Silence, _) => future::pending().await,
                Reply::Cut(Cut::ServerError, _) => (Response::page(500, "Server Error"), true),
                Reply::Cut(cut, response) => {
                    cut.allowance(response.body.len()).into_iter().for_each(|it| scissors.cut_after(it));
                    (response, false)
                }
            },
            Err(Some(refusal)) => (refusal, true),
            Err(None) => return Err(io::ErrorKind::BrokenPipe.into()),
        };
        Ok(response.into_http(closes, self.clock.now()))
    }
}
