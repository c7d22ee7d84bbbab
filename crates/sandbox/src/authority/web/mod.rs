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

pub use manner::AuthorityBehavior;

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use hyper::Method;
use tokio::{net::TcpListener, time::sleep};
use tokio_rustls::rustls::pki_types::CertificateDer;

use self::{desk::Desk, manner::Strings};
use super::Authority;
use crate::{
    MovableClock,
    server::{Handler, Interruptions, Reply, Request, Response, RunningServer, Server},
};

/// No document of a thousand lines is longer.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// How the authority is reached.
pub struct AuthorityService {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whether connections stay for another request.
    pub keeps_connections: bool,
    /// How it behaves until it is told otherwise.
    pub behavior: AuthorityBehavior,
    /// The clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

impl Authority {
    /// Listens for the requests of issuers.
    ///
    /// # Errors
    ///
    /// The error of the address, if it cannot be had.
    pub async fn listen(&self, service: AuthorityService) -> io::Result<RunningServer> {
        let listener = TcpListener::bind(service.listen).await?;
        let interruptions = Arc::new(Interruptions::default());
        let server = Server {
            handler: IssuerApi {
                desk: Desk::new(self.clone(), service.behavior),
                interruptions: Arc::clone(&interruptions),
                clock: service.clock,
            },
            interruptions,
            acceptor: None,
            keeps_connections: service.keeps_connections,
            longest_body: LONGEST_BODY,
            clock: Arc::clone(&self.clock),
        };
        server.start(listener)
    }
}

/// Server of the authority's API for issuers, and of the test controls.
struct IssuerApi {
    desk: Desk,
    interruptions: Arc<Interruptions>,
    clock: Option<Arc<MovableClock>>,
}

impl Handler for IssuerApi {
    async fn reply(&self, request: &Request, _certificate: Option<&CertificateDer<'static>>) -> Reply {
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
        let response = if interruption.takes_effect {
            match self.desk.answer(request).await {
                Reply::Whole(response) | Reply::Cut(_, response) => response,
            }
        } else {
            Response::page(503, "Service Unavailable")
        };
        Reply::Cut(interruption.cut, response)
    }
}

impl IssuerApi {
    async fn control(&self, request: &Request) -> Response {
        if request.method == Method::GET && request.path == "/simulator/documents" {
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
