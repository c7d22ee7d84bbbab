use std::{io, net::SocketAddr, sync::Arc};

use serde_json::json;
use tokio::net::TcpListener;
use tokio_rustls::rustls::pki_types::CertificateDer;

use super::{
    api::AcquirerApi,
    handlers::{not_processed, operation},
    profile::AcquirerProfile,
    responses::LookupFormat,
    returns::return_at_portal,
    tls::{AcquirerTls, TlsConfigError, serial},
};
use crate::{
    acquirer::{
        issuer::{PAGES, issuer_page},
        simulated::Acquirer,
        view::TransactionView,
    },
    clock::MovableClock,
    control,
    server::{Handler, Interruptions, Reply, Request, Response, RunningServer, Server},
};

/// Maximum length of a merchant's request.
const LONGEST_BODY: usize = 256 * 1024;

/// Settings of the acquirer's server.
pub struct AcquirerService {
    /// Address of the listener.
    pub listen: SocketAddr,
    /// Known merchants.
    pub profiles: Vec<AcquirerProfile>,
    /// TLS, if enabled.
    pub tls: Option<AcquirerTls>,
    /// Whether connections stay open for further requests.
    pub keeps_connections: bool,
    /// Format of look-up results.
    pub lookup_format: LookupFormat,
    /// Clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

/// The acquirer's server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum AcquirerListenError {
    /// The address is not available.
    #[error("the acquirer cannot listen: {0}")]
    Address(#[from] io::Error),
    /// The TLS settings are invalid.
    #[error(transparent)]
    Tls(#[from] TlsConfigError),
}

impl Acquirer {
    /// Starts a server. An acquirer may have several.
    ///
    /// # Errors
    ///
    /// [`AcquirerListenError`] if the address or the certificates are unusable.
    pub async fn listen(&self, service: AcquirerService) -> Result<RunningServer, AcquirerListenError> {
        let acceptor = service.tls.as_ref().map(AcquirerTls::acceptor).transpose()?;
        let listener = TcpListener::bind(service.listen).await?;
        let address = listener.local_addr()?;
        let interruptions = Arc::new(Interruptions::default());
        let api = AcquirerApi {
            ledger: Arc::clone(&self.ledger),
            clock: Arc::clone(&self.clock),
            profiles: service.profiles,
            lookup_format: service.lookup_format,
            url: format!("{}://{address}", if acceptor.is_some() { "https" } else { "http" }),
        };
        let server = Server {
            handler: AcquirerHandler { api, interruptions: Arc::clone(&interruptions), clock: service.clock },
            interruptions,
            acceptor,
            keeps_connections: service.keeps_connections,
            longest_body: LONGEST_BODY,
            clock: Arc::clone(&self.clock),
        };
        Ok(server.start(listener)?)
    }
}

/// Handler of the API for merchants, the issuers' pages, and the test controls.
struct AcquirerHandler {
    api: AcquirerApi,
    interruptions: Arc<Interruptions>,
    clock: Option<Arc<MovableClock>>,
}

impl Handler for AcquirerHandler {
    async fn reply(&self, request: &Request, certificate: Option<&CertificateDer<'static>>) -> Reply {
        if let Some(path) = request.path.strip_prefix(control::PATH) {
            return Reply::Whole(self.control(request, path));
        }
        if PAGES.contains(&request.path.as_str()) {
            let page = issuer_page(&request.path, &request.body).map(String::into_bytes);
            let page = page.map(|body| Response { body, ..Response::page(200, "") });
            return Reply::Whole(page.unwrap_or_else(|| Response::page(400, "Bad Request")));
        }
        let Some(operation) = operation(request) else {
            return Reply::Whole(Response::page(500, "NotImplementedException"));
        };
        let serial = certificate.and_then(serial);
        let response = self.api.respond(&operation, request, serial.as_deref());
        self.interruptions.apply(&operation, response, || not_processed(self.api.clock.now())).await
    }
}

impl AcquirerHandler {
    fn control(&self, request: &Request, path: &str) -> Response {
        let result = match (request.method.as_str(), path, &self.clock) {
            ("GET", "transactions", _) => {
                Ok(json!({ "data": self.api.ledger.newest_first(|it| TransactionView::from(it)) }))
            }
            ("POST", "returns", _) => return_at_portal(&request.body, &self.api.ledger, self.api.clock.now()),
            ("POST", "interruptions", _) => control::interrupt(&request.body, &self.interruptions),
            ("POST", "clock/advance", Some(clock)) => control::advance(&request.body, clock),
            _ => return Response::page(404, "Not Found"),
        };
        control::respond(result)
    }
}
