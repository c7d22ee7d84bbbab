//! Addresses of DGII, and timeouts.

use std::{net::IpAddr, time::Duration};

use domain::fiscal::Environment;

/// Options of the connection to DGII.
#[derive(Clone, Debug)]
pub struct DgiiConnection {
    /// Host of all services without a host of their own.
    pub documents: String,
    /// Host for summaries of small consumer documents.
    pub summaries: String,
    /// Trusted CA certificates, PEM; `None` for those of the system.
    pub ca_certificates: Option<Vec<u8>>,
    /// Timeout of the TCP and TLS handshake.
    pub connect_timeout: Duration,
    /// Timeout of a request.
    pub timeout: Duration,
}

/// Invalid connection options.
#[derive(Debug, thiserror::Error)]
pub enum DgiiConnectionInvalid {
    /// A host is no URL, or would be called without TLS on another machine.
    #[error("a host of DGII must be an https URL; http is allowed for a loopback address only")]
    Host,
    /// The CA certificates cannot be read.
    #[error("the CA certificates for DGII cannot be used")]
    CaCertificates,
}

/// A service of DGII.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, v1.6, and its division of May 2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Seed,
    Token,
    Documents,
    Result,
    Status,
    Receipts,
    Directory,
    Summaries,
    Summary,
    Annulments,
}

impl Service {
    /// Returns the path below the environment. DGII ignores the case.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Seed => "autenticacion/api/autenticacion/semilla",
            Self::Token => "autenticacion/api/autenticacion/validarsemilla",
            Self::Documents => "recepcion/api/facturaselectronicas",
            Self::Result => "consultaresultado/api/consultas/estado",
            Self::Status => "consultaestado/api/consultas/estado",
            Self::Receipts => "consultatrackids/api/trackids/consulta",
            Self::Directory => "consultadirectorio/api/consultas/obtenerdirectorioporrnc",
            Self::Summaries => "recepcionfc/api/recepcion/ecf",
            Self::Summary => "consultarfce/api/consultas/consulta",
            Self::Annulments => "anulacionrangos/api/operaciones/anularrango",
        }
    }

    /// Whether DGII has the service in the environment: for certification there are no look-ups by number and no
    /// annulments.
    pub(crate) fn is_offered(self, environment: Environment) -> bool {
        let is_missing_for_certification =
            matches!(self, Self::Status | Self::Receipts | Self::Directory | Self::Annulments);
        !is_missing_for_certification || environment != Environment::Certification
    }

    const fn is_for_summaries(self) -> bool {
        matches!(self, Self::Summaries | Self::Summary)
    }
}

impl DgiiConnection {
    /// Returns DGII's real hosts.
    pub fn real() -> Self {
        Self { summaries: "https://fc.dgii.gov.do".to_owned(), ..Self::to("https://ecf.dgii.gov.do") }
    }

    /// Returns options with one host for all services.
    pub fn to(host: &str) -> Self {
        Self {
            documents: host.to_owned(),
            summaries: host.to_owned(),
            ca_certificates: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(20),
        }
    }

    /// Returns the URL of a service.
    pub(crate) fn url(&self, service: Service, environment: Environment) -> String {
        let host = if service.is_for_summaries() { &self.summaries } else { &self.documents };
        format!("{}/{}/{}", host.trim_end_matches('/'), environment.as_str(), service.path())
    }

    /// Whether every host uses TLS. Plain HTTP is allowed for tests on the same machine.
    pub(crate) fn is_all_tls(&self) -> Result<bool, DgiiConnectionInvalid> {
        let hosts = [&self.documents, &self.summaries];
        let secured = hosts.iter().filter(|it| it.starts_with("https://")).count();
        let is_possible = |host: &&&String| reqwest::Url::parse(host).is_ok_and(|url| is_safe(&url));
        if hosts.iter().all(|host| is_possible(&host)) {
            Ok(secured == hosts.len())
        } else {
            Err(DgiiConnectionInvalid::Host)
        }
    }
}

fn is_safe(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let is_loopback = host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    is_plain && !host.is_empty() && (url.scheme() == "https" || (url.scheme() == "http" && is_loopback))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_service_has_its_url_in_each_environment() {
        let real = DgiiConnection::real();
        let at = |service, environment| real.url(service, environment);

        assert_eq!(
            at(Service::Seed, Environment::PreCertification),
            "https://ecf.dgii.gov.do/testecf/autenticacion/api/autenticacion/semilla"
        );
        assert_eq!(
            at(Service::Documents, Environment::Certification),
            "https://ecf.dgii.gov.do/certecf/recepcion/api/facturaselectronicas"
        );
        assert_eq!(
            at(Service::Summaries, Environment::Production),
            "https://fc.dgii.gov.do/ecf/recepcionfc/api/recepcion/ecf"
        );
        assert_eq!(
            at(Service::Summary, Environment::Production),
            "https://fc.dgii.gov.do/ecf/consultarfce/api/consultas/consulta"
        );
    }

    #[test]
    fn look_ups_by_number_are_missing_for_certification() {
        for service in [Service::Status, Service::Receipts, Service::Directory, Service::Annulments] {
            assert!(!service.is_offered(Environment::Certification) && service.is_offered(Environment::Production));
        }
        assert!(Service::Result.is_offered(Environment::Certification));
        assert!(Service::Summary.is_offered(Environment::Certification));
    }

    #[test]
    fn a_token_is_never_sent_to_another_machine_without_tls() {
        let is_all_tls = |host| DgiiConnection::to(host).is_all_tls();

        assert!(is_all_tls("https://ecf.example").is_ok_and(|it| it));
        assert!(is_all_tls("http://127.0.0.1:8091").is_ok_and(|it| !it));
        for host in ["http://ecf.dgii.gov.do", "http://10.0.0.1", "http://localhost", "ecf.dgii.gov.do", "https://", ""]
        {
            assert!(is_all_tls(host).is_err(), "{host}");
        }
        assert!(is_all_tls("https://user@ecf.example").is_err() && is_all_tls("https://ecf.example?x").is_err());
        let mixed = DgiiConnection { summaries: "http://fc.example".to_owned(), ..DgiiConnection::real() };
        assert!(mixed.is_all_tls().is_err());
    }
}
