//! Where DGII is, and how long it is waited for.

use std::{net::IpAddr, time::Duration};

use domain::fiscal::Environment;
use zeroize::Zeroizing;

/// How DGII is reached.
#[derive(Clone, Debug)]
pub struct DgiiConnection {
    /// The host of everything but what follows.
    pub documents: String,
    /// The host of summaries of small consumer documents.
    pub summaries: String,
    /// The host that says which services are up.
    pub status: String,
    /// The key that it asks for; without one it is not asked.
    pub status_key: Option<Zeroizing<String>>,
    /// The certificates, as PEM, that may vouch for it; those that the system trusts, if none are given.
    pub authorities: Option<Vec<u8>>,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// How long a whole exchange may take.
    pub timeout: Duration,
}

/// DGII cannot be reached in this way.
#[derive(Debug, thiserror::Error)]
pub enum DgiiConnectionInvalid {
    /// A host is not the address of one, or would be reached without TLS from another machine.
    #[error("a host of DGII is an https address; http is for this machine alone")]
    Host,
    /// What it should be trusted by makes no sense.
    #[error("the certificates that may vouch for DGII cannot be used")]
    Authorities,
}

/// A service of DGII, and its path below the environment.
///
/// Source: DGII, *Descripción técnica de facturación electrónica*, v1.6, and its division of May 2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Seed,
    Token,
    Documents,
    Result,
    Status,
    Tracks,
    Directory,
    Summaries,
    Summary,
    Annulments,
}

impl Service {
    /// Its path, which DGII reads in small letters as well as in others.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Seed => "autenticacion/api/autenticacion/semilla",
            Self::Token => "autenticacion/api/autenticacion/validarsemilla",
            Self::Documents => "recepcion/api/facturaselectronicas",
            Self::Result => "consultaresultado/api/consultas/estado",
            Self::Status => "consultaestado/api/consultas/estado",
            Self::Tracks => "consultatrackids/api/trackids/consulta",
            Self::Directory => "consultadirectorio/api/consultas/obtenerdirectorioporrnc",
            Self::Summaries => "recepcionfc/api/recepcion/ecf",
            Self::Summary => "consultarfce/api/consultas/consulta",
            Self::Annulments => "anulacionrangos/api/operaciones/anularrango",
        }
    }

    /// Whether DGII has it there: of what was sent for certification, nothing is found by its number, and nothing given back.
    pub(crate) fn is_offered(self, environment: Environment) -> bool {
        let is_for_those_who_count = matches!(self, Self::Status | Self::Tracks | Self::Directory | Self::Annulments);
        !is_for_those_who_count || environment != Environment::Certification
    }

    const fn is_of_summaries(self) -> bool {
        matches!(self, Self::Summaries | Self::Summary)
    }
}

impl DgiiConnection {
    /// DGII as it is.
    pub fn real() -> Self {
        Self {
            summaries: "https://fc.dgii.gov.do".to_owned(),
            status: "https://statusecf.dgii.gov.do".to_owned(),
            ..Self::to("https://ecf.dgii.gov.do")
        }
    }

    /// Everything at one host.
    pub fn to(host: &str) -> Self {
        Self {
            documents: host.to_owned(),
            summaries: host.to_owned(),
            status: host.to_owned(),
            status_key: None,
            authorities: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(20),
        }
    }

    /// Whether DGII may be reached in this way.
    ///
    /// # Errors
    ///
    /// [`DgiiConnectionInvalid`] if not.
    pub fn check(&self) -> Result<(), DgiiConnectionInvalid> {
        crate::line::Line::new(self).map(drop)
    }

    /// Where a service is.
    pub(crate) fn address(&self, service: Service, environment: Environment) -> String {
        let host = if service.is_of_summaries() { &self.summaries } else { &self.documents };
        format!("{}/{}/{}", host.trim_end_matches('/'), environment.as_str(), service.path())
    }

    /// Whether every host is reached over TLS. Who tries things out on one machine needs none there.
    pub(crate) fn is_all_tls(&self) -> Result<bool, DgiiConnectionInvalid> {
        let hosts = [&self.documents, &self.summaries, &self.status];
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
    let is_here = host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    is_plain && !host.is_empty() && (url.scheme() == "https" || (url.scheme() == "http" && is_here))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_service_is_at_its_host_in_each_environment() {
        let real = DgiiConnection::real();
        let at = |service, environment| real.address(service, environment);

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
    fn what_is_sent_for_certification_is_not_found_by_its_number() {
        for service in [Service::Status, Service::Tracks, Service::Directory, Service::Annulments] {
            assert!(!service.is_offered(Environment::Certification) && service.is_offered(Environment::Production));
        }
        assert!(Service::Result.is_offered(Environment::Certification));
        assert!(Service::Summary.is_offered(Environment::Certification));
    }

    #[test]
    fn a_token_never_leaves_the_machine_without_tls() {
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
