//! Addresses of AZUL, and timeouts.

use std::time::Duration;

use domain::Mode;

/// The URLs of one environment of AZUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The URL to which requests are sent.
    pub primary: String,
    /// The URL to use if no connection to the first is possible.
    pub secondary: Option<String>,
}

impl Hosts {
    /// Returns the environment in which money moves.
    pub fn production() -> Self {
        Self {
            primary: "https://pagos.azul.com.do/WebServices/JSON/Default.aspx".to_owned(),
            secondary: Some("https://contpagos.azul.com.do/Webservices/JSON/default.aspx".to_owned()),
        }
    }

    /// Returns AZUL's test environment.
    pub fn test() -> Self {
        Self { primary: "https://pruebas.azul.com.do/WebServices/JSON/Default.aspx".to_owned(), secondary: None }
    }

    /// Returns the URLs in the order in which they are tried.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.primary.as_str()).chain(self.secondary.as_deref())
    }
}

/// Options of the connection to AZUL.
#[derive(Clone, Debug)]
pub struct AzulConnection {
    /// URLs for accounts in test mode.
    pub test: Hosts,
    /// URLs for accounts in live mode.
    pub live: Hosts,
    /// Trusted CA certificates, PEM; `None` for those of the system.
    pub ca_certificates: Option<Vec<u8>>,
    /// Timeout of the TCP and TLS handshake.
    pub connect_timeout: Duration,
    /// Timeout of a request that moves money.
    pub timeout: Duration,
    /// Timeout of a look-up. It is shorter, because look-ups are retried on a schedule and other accounts wait for the
    /// worker.
    pub query_timeout: Duration,
}

impl AzulConnection {
    /// Returns AZUL's real environments, with the timeout of two minutes that AZUL recommends: a shorter one only
    /// produces ambiguous attempts.
    pub fn real() -> Self {
        Self { live: Hosts::production(), ..Self::to(Hosts::test()) }
    }

    /// Returns options with the same URLs for both modes.
    pub fn to(hosts: Hosts) -> Self {
        Self {
            test: hosts.clone(),
            live: hosts,
            ca_certificates: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(120),
            query_timeout: Duration::from_secs(20),
        }
    }

    pub(crate) const fn hosts(&self, mode: Mode) -> &Hosts {
        match mode {
            Mode::Test => &self.test,
            Mode::Live => &self.live,
        }
    }
}
