//! The authority as its web services: the protocol of DGII.
//!
//! One address stands for both of its hosts. A verdict on a document is asked for with the receipt of its reception, one
//! on a summary comes at once. What the real one does not document is a guess: which question finds what under a security
//! code of another document (nothing), and the words of refusals.

mod desk;
mod entry;
mod form;
mod manner;
mod questions;
mod words;

pub use manner::Manner;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::sleep,
};

use self::{
    desk::{Desk, Reply},
    manner::Strings,
};
use super::Authority;
use crate::{
    Cut, Listening, MovableClock,
    acquirer::web::{
        http::{self, Response},
        interruption::Interruptions,
    },
};

/// No document of a thousand lines is longer.
const BODY: usize = 4 * 1024 * 1024;

/// How the authority is reached.
pub struct AuthorityService {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whether connections stay for another request.
    pub keeps_connections: bool,
    /// How it behaves until it is told otherwise.
    pub manner: Manner,
    /// The clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

impl Authority {
    /// Listens for the requests of issuers.
    ///
    /// # Errors
    ///
    /// The error of the address, if it cannot be had.
    pub async fn listen(&self, service: AuthorityService) -> io::Result<Listening> {
        let listener = TcpListener::bind(service.listen).await?;
        let address = listener.local_addr()?;
        let interruptions = Arc::new(Interruptions::default());
        let counter = Arc::new(Counter {
            desk: Desk::new(self.clone(), service.manner),
            interruptions: Arc::clone(&interruptions),
            keeps_connections: service.keeps_connections,
            clock: service.clock,
        });
        let task = tokio::spawn(accept(listener, counter)).abort_handle();
        Ok(Listening::new(address, interruptions, task))
    }
}

struct Counter {
    desk: Desk,
    interruptions: Arc<Interruptions>,
    keeps_connections: bool,
    clock: Option<Arc<MovableClock>>,
}

async fn accept(listener: TcpListener, counter: Arc<Counter>) {
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
            let counter = Arc::clone(&counter);
            connections.spawn(async move {
                if let Err(error) = counter.serve(stream).await {
                    tracing::debug!(%error, "a connection broke");
                }
            });
        }
    }
}

impl Counter {
    async fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        if self.interruptions.take_early(Cut::BeforeRequest).is_some() {
            return Ok(());
        }
        let mut buffer = Vec::new();
        while let Some(request) = http::read_within(&mut stream, &mut buffer, BODY).await? {
            match self.reply(&request).await {
                Reply::Whole(response) => {
                    let (head, body) = response.spelled(!self.keeps_connections, None);
                    http::write(&mut stream, &[&head, body]).await?;
                }
                Reply::Cut(cut, response) => {
                    return cut.send(&mut stream, &response, !self.keeps_connections, None).await;
                }
            }
            if !self.keeps_connections {
                return stream.shutdown().await;
            }
        }
        Ok(())
    }

    async fn reply(&self, request: &http::Request) -> Reply {
        if manner::is_control(request) {
            return Reply::Whole(self.control(request).await);
        }
        let delay = self.desk.manners.now().delay_milliseconds;
        if delay > 0 {
            sleep(Duration::from_millis(delay)).await;
        }
        let operation = desk::place(&request.path).map(|(_, service)| operation(&service).to_owned());
        let Some(interruption) = operation.and_then(|it| self.interruptions.take(&it)) else {
            return self.desk.answer(request).await;
        };
        let answer = if interruption.takes_effect {
            match self.desk.answer(request).await {
                Reply::Whole(answer) | Reply::Cut(_, answer) => answer,
            }
        } else {
            Response::page(503, "Service Unavailable")
        };
        Reply::Cut(interruption.cut, answer)
    }

    async fn control(&self, request: &http::Request) -> Response {
        if (request.method.as_str(), request.path.as_str()) == ("GET", "/simulator/documents") {
            return match self.desk.authority.documents().await {
                Ok(documents) => Response::json(&serde_json::json!({ "data": documents })),
                Err(_) => Response::page(500, "Server Error"),
            };
        }
        let (interruptions, clock) = (self.interruptions.as_ref(), self.clock.as_deref());
        let strings = Strings { manners: &self.desk.manners, interruptions, entry: &self.desk.entry, clock };
        manner::answer(request, &strings)
    }
}

/// What an interruption calls a service: `semilla`, `validarsemilla`, or the first part of its path.
fn operation(service: &str) -> &str {
    let (first, last) = (service.split('/').next(), service.rsplit('/').next());
    first.filter(|it| *it != "autenticacion").or(last).unwrap_or_default()
}
