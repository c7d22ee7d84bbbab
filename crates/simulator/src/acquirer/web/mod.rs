//! The acquirer as its web services: the protocol of AZUL, with all its pitfalls.
//!
//! Nothing is deduplicated; a look-up finds the newest transaction of a name; captures and voids
//! inherit the name of what they are about. Where AZUL's documentation is silent, the order of checks
//! is a guess.

pub(crate) mod control;
mod desk;
mod form;
pub(crate) mod http;
pub(crate) mod interruption;
mod secure;
mod spelling;
mod tls;
mod vault;

pub use interruption::{Cut, Interruption};
pub use spelling::FoundSpelling;
pub use tls::{Tls, TlsUnusable};

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::{AbortHandle, JoinSet},
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use self::{
    desk::{Desk, Reply},
    http::{Request, Response},
    interruption::Interruptions,
};
use super::{
    Acquirer,
    issuer::{self, issuer_page},
};
use crate::MovableClock;

/// How long a client may take to make itself known.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// A merchant as the acquirer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The merchant's number.
    pub store: String,
    /// Its channel.
    pub channel: String,
    /// The first half of its password.
    pub auth1: String,
    /// The second half of its password.
    pub auth2: String,
    /// The serial number of its certificate, in small hexadecimal letters; none is asked for if it has none.
    pub certificate_serial: Option<String>,
    /// Whether funds may be reserved.
    pub may_hold: bool,
    /// Whether cards may be kept.
    pub may_keep: bool,
    /// Whether its purchases go through 3-D Secure unless they ask not to.
    pub has_3ds: bool,
    /// Whether it was switched off.
    pub is_disabled: bool,
}

/// How the acquirer is reached.
pub struct Service {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The merchants that it knows.
    pub profiles: Vec<Profile>,
    /// TLS, if it has it.
    pub tls: Option<Tls>,
    /// Whether connections stay for another request.
    pub keeps_connections: bool,
    /// How it spells what is found.
    pub found: FoundSpelling,
    /// The clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

/// An acquirer that listens, until this is dropped.
pub struct Listening {
    address: SocketAddr,
    interruptions: Arc<Interruptions>,
    task: AbortHandle,
}

/// The acquirer does not listen.
#[derive(Debug, thiserror::Error)]
pub enum NotListening {
    /// It cannot have the address.
    #[error("the acquirer cannot listen: {0}")]
    Address(#[from] io::Error),
    /// Its certificates are no good.
    #[error(transparent)]
    Tls(#[from] TlsUnusable),
}

impl Listening {
    pub(crate) const fn new(address: SocketAddr, interruptions: Arc<Interruptions>, task: AbortHandle) -> Self {
        Self { address, interruptions, task }
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets an exchange be cut, after those that wait for it already.
    pub fn interrupt(&self, interruption: Interruption) {
        self.interruptions.add(interruption);
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Acquirer {
    /// Listens for the requests of merchants. Several may listen for one acquirer.
    ///
    /// # Errors
    ///
    /// [`NotListening`] if the address or the certificates cannot be used.
    pub async fn listen(&self, service: Service) -> Result<Listening, NotListening> {
        let acceptor = service.tls.as_ref().map(Tls::acceptor).transpose()?;
        let listener = TcpListener::bind(service.listen).await?;
        let address = listener.local_addr()?;
        let interruptions = Arc::new(Interruptions::default());
        let counter = Arc::new(Counter {
            desk: Desk {
                ledger: Arc::clone(&self.ledger),
                clock: Arc::clone(&self.clock),
                profiles: service.profiles,
                found: service.found,
                address: format!("{}://{address}", if acceptor.is_some() { "https" } else { "http" }),
            },
            interruptions: Arc::clone(&interruptions),
            keeps_connections: service.keeps_connections,
            clock: service.clock,
        });
        let task = tokio::spawn(accept(listener, acceptor, counter)).abort_handle();
        Ok(Listening::new(address, interruptions, task))
    }
}

struct Counter {
    desk: Desk,
    interruptions: Arc<Interruptions>,
    keeps_connections: bool,
    clock: Option<Arc<MovableClock>>,
}

async fn accept(listener: TcpListener, acceptor: Option<TlsAcceptor>, counter: Arc<Counter>) {
    // They end with this task.
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = stream else { continue };
        // Head and body go out apart: the second does not wait until the first was acknowledged.
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        if counter.interruptions.take_early(Cut::AtConnect).is_none() {
            connections.spawn(connect(stream, acceptor.clone(), Arc::clone(&counter)));
        }
    }
}

async fn connect(stream: TcpStream, acceptor: Option<TlsAcceptor>, counter: Arc<Counter>) {
    let ended = match acceptor {
        None => counter.serve(stream, None).await,
        Some(acceptor) => match timeout(HANDSHAKE, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => {
                let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
                let serial = shown.and_then(tls::serial);
                counter.serve(stream, serial.as_deref()).await
            }
            _ => return,
        },
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

impl Counter {
    async fn serve(&self, mut stream: impl AsyncRead + AsyncWrite + Unpin, serial: Option<&str>) -> io::Result<()> {
        if self.interruptions.take_early(Cut::BeforeRequest).is_some() {
            return Ok(());
        }
        let mut buffer = Vec::new();
        while let Some(request) = http::read(&mut stream, &mut buffer).await? {
            match self.reply(&request, serial).await {
                Reply::Whole(response) => {
                    let (head, body) = response.spelled(!self.keeps_connections, Some(self.desk.clock.now()));
                    http::write(&mut stream, &[&head, body]).await?;
                }
                Reply::Cut(cut, response) => {
                    let now = Some(self.desk.clock.now());
                    return cut.send(&mut stream, &response, !self.keeps_connections, now).await;
                }
            }
            if !self.keeps_connections {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn reply(&self, request: &Request, serial: Option<&str>) -> Reply {
        if let Some(answer) = control::answer(request, &self.desk.ledger, &self.interruptions, self.clock.as_deref()) {
            return Reply::Whole(answer);
        }
        if issuer::PAGES.contains(&request.path.as_str()) {
            let page = issuer_page(&request.path, &request.body).map(String::into_bytes);
            let page = page.map(|body| Response { body, ..Response::page(200, "") });
            return Reply::Whole(page.unwrap_or_else(|| Response::page(400, "Bad Request")));
        }
        let Some(operation) = desk::operation(request) else {
            return Reply::Whole(Response::page(500, "NotImplementedException"));
        };
        let Some(interruption) = self.interruptions.take(&operation) else {
            return self.desk.answer(&operation, request, serial).await;
        };
        let answer = if interruption.takes_effect {
            match self.desk.answer(&operation, request, serial).await {
                Reply::Whole(answer) | Reply::Cut(_, answer) => answer,
            }
        } else {
            desk::not_processed(self.desk.clock.now())
        };
        Reply::Cut(interruption.cut, answer)
    }
}
