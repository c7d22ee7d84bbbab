use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream::FuturesUnordered};
use ports::WebhookOutcome;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::{
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::{
    TlsConnector,
    rustls::{self, ClientConfig, crypto::aws_lc_rs::default_provider, pki_types::ServerName},
};
use url::{Host, Url};

use crate::{
    connection::{Connection, Transport},
    resolver::{AllowedTargets, NameResolver},
};

/// Maximum number of addresses of one name that are tried.
const ADDRESSES: usize = 4;
/// Delay before the next address is tried as well (RFC 8305, 5).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// Server of a URL. Requests to one origin may share a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    is_tls: bool,
    host: Host,
    /// `None`: the default port of the scheme.
    port: Option<u16>,
}

impl Origin {
    /// Returns `None` for a URL without a host.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        Some(Self { is_tls: url.scheme() == "https", host: url.host()?.to_owned(), port: url.port() })
    }

    /// Completes a resolved address with the port.
    fn with_port(&self, mut address: SocketAddr) -> SocketAddr {
        let default = if self.is_tls { 443 } else { 80 };
        if self.port.is_some() || address.port() == 0 {
            address.set_port(self.port.unwrap_or(default));
        }
        address
    }
}

/// Opens connections, each to an address that is resolved and checked at that time.
pub(crate) struct Connector {
    names: Arc<dyn NameResolver>,
    allowed: AllowedTargets,
    tls: TlsConnector,
    /// Timeout of name resolution and the TCP and TLS handshakes.
    timeout: Duration,
}

impl Connector {
    /// # Errors
    ///
    /// If TLS is unavailable on this machine.
    pub(crate) fn new(
        names: Arc<dyn NameResolver>,
        allowed: AllowedTargets,
        timeout: Duration,
    ) -> Result<Self, rustls::Error> {
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()));
        let config = config.with_safe_default_protocol_versions()?.with_platform_verifier()?;
        let mut config = config.with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { names, allowed, tls: TlsConnector::from(Arc::new(config)), timeout })
    }

    /// Opens a connection. An error is the outcome of the attempt.
    pub(crate) async fn open(&self, origin: &Origin) -> Result<Connection, WebhookOutcome> {
        timeout(self.timeout, self.connect(origin)).await.map_err(|_| WebhookOutcome::TimedOut)?
    }

    async fn connect(&self, origin: &Origin) -> Result<Connection, WebhookOutcome> {
        if !origin.is_tls && self.allowed == AllowedTargets::Public {
            return Err(WebhookOutcome::Unreachable);
        }
        let addresses = self.checked_addresses(origin).await?;
        let stream = connect_to_any(&addresses).await.ok_or(WebhookOutcome::Unreachable)?;
        let transport: Box<dyn Transport> = if origin.is_tls {
            let name = ServerName::try_from(origin.host.to_string().trim_matches(['[', ']']).to_owned());
            let name = name.map_err(|_| WebhookOutcome::Unreachable)?;
            Box::new(self.tls.connect(name, stream).await.map_err(|_| WebhookOutcome::Unreachable)?)
        } else {
            Box::new(stream)
        };
        Connection::over(transport).await.ok_or(WebhookOutcome::Unreachable)
    }

    /// Returns the addresses of the host. The connection uses these: there is no second look-up that could return
    /// others.
    async fn checked_addresses(&self, origin: &Origin) -> Result<Vec<SocketAddr>, WebhookOutcome> {
        let (addresses, is_allowed) = match &origin.host {
            Host::Domain(name) => {
                let found = self.names.look_up(name).await.map_err(|_| WebhookOutcome::Unreachable)?;
                // A forbidden address among permitted ones may be part of an attack.
                let is_allowed = found.iter().all(|address| self.allowed.allows(address.ip()));
                (found, is_allowed)
            }
            Host::Ipv4(address) => (vec![(*address, 0).into()], self.allowed.allows_literal((*address).into())),
            Host::Ipv6(address) => (vec![(*address, 0).into()], self.allowed.allows_literal((*address).into())),
        };
        if !is_allowed {
            return Err(WebhookOutcome::BlockedAddress);
        }
        Ok(addresses.into_iter().take(ADDRESSES).map(|address| origin.with_port(address)).collect())
    }
}

/// Connects to the first address that accepts. Each next address starts a moment later.
async fn connect_to_any(addresses: &[SocketAddr]) -> Option<TcpStream> {
    let attempts = addresses.iter().zip(0_u32..).map(|(address, before)| async move {
        if before > 0 {
            sleep(NEXT_ADDRESS.saturating_mul(before)).await;
        }
        TcpStream::connect(address).await
    });
    let mut attempts: FuturesUnordered<_> = attempts.collect();
    while let Some(attempt) = attempts.next().await {
        if let Ok(stream) = attempt {
            // Head and body are written together, so there is nothing to collect.
            stream.set_nodelay(true).ok()?;
            return Some(stream);
        }
    }
    None
}
