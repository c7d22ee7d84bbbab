//! The acquirer as its web services: the protocol of AZUL, with all its pitfalls.
//!
//! Nothing is deduplicated; a look-up finds the newest transaction of a name; captures and voids
//! inherit the name of what they are about. Where AZUL's documentation is silent, the order of checks
//! is a guess.

pub(crate) mod control;
mod desk;
mod form;
mod secure;
mod spelling;
mod tls;
mod vault;

pub use spelling::LookupFormat;
pub use tls::{AcquirerTls, TlsConfigError};

use std::{io, net::SocketAddr, sync::Arc};

use tokio::net::TcpListener;
use tokio_rustls::rustls::pki_types::CertificateDer;

use self::desk::Desk;
use super::{
    Acquirer,
    issuer::{self, issuer_page},
};
use crate::{
    MovableClock,
    server::{Handler, Interruptions, Reply, Request, Response, RunningServer, Server},
};

/// Maximum length of a merchant's request.
const LONGEST_BODY: usize = 256 * 1024;

/// A merchant as the acquirer knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcquirerProfile {
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
    pub may_store_cards: bool,
    /// Whether its purchases go through 3-D Secure unless they ask not to.
    pub has_3ds: bool,
    /// Whether it was switched off.
    pub is_disabled: bool,
}

/// How the acquirer is reached.
pub struct AcquirerService {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The merchants that it knows.
    pub profiles: Vec<AcquirerProfile>,
    /// TLS, if it has it.
    pub tls: Option<AcquirerTls>,
    /// Whether connections stay for another request.
    pub keeps_connections: bool,
    /// How it spells what is found.
    pub lookup_format: LookupFormat,
    /// The clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

/// The acquirer does not listen.
#[derive(Debug, thiserror::Error)]
pub enum AcquirerListenError {
    /// It cannot have the address.
    #[error("the acquirer cannot listen: {0}")]
    Address(#[from] io::Error),
    /// Its certificates are no good.
    #[error(transparent)]
    Tls(#[from] TlsConfigError),
}

impl Acquirer {
    /// Listens for the requests of merchants. Several may listen for one acquirer.
    ///
    /// # Errors
    ///
    /// [`AcquirerListenError`] if the address or the certificates cannot be used.
    pub async fn listen(&self, service: AcquirerService) -> Result<RunningServer, AcquirerListenError> {
        let acceptor = service.tls.as_ref().map(AcquirerTls::acceptor).transpose()?;
        let listener = TcpListener::bind(service.listen).await?;
        let address = listener.local_addr()?;
        let interruptions = Arc::new(Interruptions::default());
        let desk = Desk {
            ledger: Arc::clone(&self.ledger),
            clock: Arc::clone(&self.clock),
            profiles: service.profiles,
            lookup_format: service.lookup_format,
            address: format!("{}://{address}", if acceptor.is_some() { "https" } else { "http" }),
        };
        let server = Server {
            handler: MerchantApi { desk, interruptions: Arc::clone(&interruptions), clock: service.clock },
            interruptions,
            acceptor,
            keeps_connections: service.keeps_connections,
            longest_body: LONGEST_BODY,
            clock: Arc::clone(&self.clock),
        };
        Ok(server.start(listener)?)
    }
}

/// Server of the acquirer's API for merchants, the issuers' pages, and the test controls.
struct MerchantApi {
    desk: Desk,
    interruptions: Arc<Interruptions>,
    clock: Option<Arc<MovableClock>>,
}

impl Handler for MerchantApi {
    async fn reply(&self, request: &Request, certificate: Option<&CertificateDer<'static>>) -> Reply {
        if let Some(response) = control::answer(request, &self.desk.ledger, &self.interruptions, self.clock.as_deref())
        {
            return Reply::Whole(response);
        }
        if issuer::PAGES.contains(&request.path.as_str()) {
            let page = issuer_page(&request.path, &request.body).map(String::into_bytes);
            let page = page.map(|body| Response { body, ..Response::page(200, "") });
            return Reply::Whole(page.unwrap_or_else(|| Response::page(400, "Bad Request")));
        }
        let Some(operation) = desk::operation(request) else {
            return Reply::Whole(Response::page(500, "NotImplementedException"));
        };
        let serial = certificate.and_then(tls::serial);
        let Some(interruption) = self.interruptions.take(&operation) else {
            return self.desk.answer(&operation, request, serial.as_deref()).await;
        };
        let response = if interruption.takes_effect {
            match self.desk.answer(&operation, request, serial.as_deref()).await {
                Reply::Whole(response) | Reply::Cut(_, response) => response,
            }
        } else {
            desk::not_processed(self.desk.clock.now())
        };
        Reply::Cut(interruption.cut, response)
    }
}
