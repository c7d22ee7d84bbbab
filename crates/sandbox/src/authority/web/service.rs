use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use serde_json::json;
use tokio::{net::TcpListener, time::sleep};
use tokio_rustls::rustls::pki_types::CertificateDer;

use super::{
    api::{AuthorityApi, split_path},
    behavior::AuthorityBehavior,
};
use crate::{
    authority::simulated::Authority,
    clock::MovableClock,
    control,
    server::{Handler, Interruptions, Reply, Request, Response, RunningServer, Server},
};

/// Exceeds the longest document, one of a thousand lines.
const LONGEST_BODY: usize = 4 * 1024 * 1024;

/// Settings of the authority's server.
pub struct AuthorityService {
    /// Address of the listener.
    pub listen: SocketAddr,
    /// Whether connections stay open for further requests.
    pub keeps_connections: bool,
    /// Behavior at the start.
    pub behavior: AuthorityBehavior,
    /// Clock that requests may move.
    pub clock: Option<Arc<MovableClock>>,
}

impl Authority {
    /// Starts a server for issuers.
    ///
    /// # Errors
    ///
    /// The error of the address, if it is not available.
    pub async fn listen(&self, service: AuthorityService) -> io::Result<RunningServer> {
        let listener = TcpListener::bind(service.listen).await?;
        let interruptions = Arc::new(Interruptions::default());
        let server = Server {
            handler: AuthorityHandler {
                api: AuthorityApi::new(self.clone(), service.behavior),
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

/// Handler of the API for issuers, and of the test controls.
struct AuthorityHandler {
    api: AuthorityApi,
    interruptions: Arc<Interruptions>,
    clock: Option<Arc<MovableClock>>,
}

impl Handler for AuthorityHandler {
    async fn reply(&self, request: &Request, _certificate: Option<&CertificateDer<'static>>) -> Reply {
        if let Some(path) = request.path.strip_prefix(control::PATH) {
            return Reply::Whole(self.control(request, path).await);
        }
        let delay = self.api.behavior.now().delay_milliseconds;
        if delay > 0 {
            sleep(Duration::from_millis(delay)).await;
        }
        let response = self.api.respond(request);
        let Some((_, service)) = split_path(&request.path) else { return response.await };
        let not_processed = || Response::page(503, "Service Unavailable");
        self.interruptions.apply(operation(&service), response, not_processed).await
    }
}

impl AuthorityHandler {
    async fn control(&self, request: &Request, path: &str) -> Response {
        let AuthorityApi { authority, entry, behavior, .. } = &self.api;
        let result = match (request.method.as_str(), path, &self.clock) {
            ("GET", "documents", _) => match authority.documents().await {
                Ok(documents) => Ok(json!({ "data": documents })),
                Err(_) => return Response::page(500, "Server Error"),
            },
            ("GET", "manner", _) => Ok(json!(behavior.now())),
            ("PUT", "manner", _) => control::parse(&request.body).map(|changed: AuthorityBehavior| {
                let body = json!(changed);
                behavior.set(changed);
                body
            }),
            ("POST", "interruptions", _) => control::interrupt(&request.body, &self.interruptions),
            ("POST", "tokens/revoke", _) => {
                entry.revoke();
                Ok(json!({}))
            }
            ("POST", "clock/advance", Some(clock)) => control::advance(&request.body, clock),
            _ => return Response::page(404, "Not Found"),
        };
        control::respond(result)
    }
}

/// Name of a service in interruptions: `semilla`, `validarsemilla`, or the first part of the path.
fn operation(service: &str) -> &str {
    let (first, last) = (service.split('/').next(), service.rsplit('/').next());
    first.filter(|it| *it != "autenticacion").or(last).unwrap_or_default()
}
