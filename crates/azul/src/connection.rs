//! Where AZUL is, and how long it is waited for.

use std::time::Duration;

use domain::Mode;

/// The addresses of one environment of AZUL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The one that is asked.
    pub primary: String,
    /// The one that is asked where the first cannot be reached.
    pub secondary: Option<String>,
}

impl Hosts {
    /// Where money moves.
    pub fn production() -> Self {
        Self {
            primary: "https://pagos.azul.com.do/WebServices/JSON/Default.aspx".to_owned(),
            secondary: Some("https://contpagos.azul.com.do/Webservices/JSON/default.aspx".to_owned()),
        }
    }

    /// Where merchants try.
    pub fn test() -> Self {
        Self { primary: "https://pruebas.azul.com.do/WebServices/JSON/Default.aspx".to_owned(), secondary: None }
    }

    /// All of them, in the order in which they are tried.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.primary.as_str()).chain(self.secondary.as_deref())
    }
}

/// How AZUL is reached.
#[derive(Clone, Debug)]
pub struct AzulConnection {
    /// Where accounts of test mode are.
    pub test: Hosts,
    /// Where accounts of live mode are.
    pub live: Hosts,
    /// The certificates, as PEM, that may vouch for it; those that the system trusts, if none are given.
    pub authorities: Option<Vec<u8>>,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long a whole exchange may take.
    pub timeout: Duration,
    /// How long one may take that moves nothing. It is asked again on its schedule: whoever waits for the answer has other
    /// accounts to ask about.
    pub question_timeout: Duration,
}

impl AzulConnection {
    /// AZUL as it is, with the time that it advises: two minutes for an exchange. Whoever gives up
    /// sooner only makes doubts.
    pub fn real() -> Self {
        Self { live: Hosts::production(), ..Self::to(Hosts::test()) }
    }

    /// One environment for the accounts of both modes.
    pub fn to(hosts: Hosts) -> Self {
        Self {
            test: hosts.clone(),
            live: hosts,
            authorities: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(120),
            question_timeout: Duration::from_secs(20),
        }
    }

    /// Where the accounts of that mode are.
    pub(crate) const fn hosts(&self, mode: Mode) -> &Hosts {
        match mode {
            Mode::Test => &self.test,
            Mode::Live => &self.live,
        }
    }
}
