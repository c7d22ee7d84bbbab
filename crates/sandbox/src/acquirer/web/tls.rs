//! TLS as the acquirer has it: version 1.2, and a client that shows a certificate.

use std::sync::Arc;

use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
        server::WebPkiClientVerifier,
        version::TLS12,
    },
};
use x509_parser::prelude::{FromDer, X509Certificate};

/// What the acquirer shows, and whom it trusts, all as PEM.
#[derive(Clone)]
pub struct AcquirerTls {
    /// Its certificate, and those that vouch for it.
    pub certificates: Vec<u8>,
    /// The key of its certificate.
    pub key: Vec<u8>,
    /// Whose certificates clients may show. Who shows none is let in, and told so.
    pub client_ca: Option<Vec<u8>>,
}

/// The certificates or the key cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the certificates or the key cannot be used: {0}")]
pub struct TlsConfigError(String);

impl AcquirerTls {
    pub(super) fn acceptor(&self) -> Result<TlsAcceptor, TlsConfigError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&TLS12])
            .map_err(unusable)?;
        let builder = match &self.client_ca {
            Some(pem) => {
                let mut roots = RootCertStore::empty();
                for certificate in read(pem)? {
                    roots.add(certificate).map_err(unusable)?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.allow_unauthenticated().build().map_err(unusable)?)
            }
            None => builder.with_no_client_auth(),
        };
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(unusable)?;
        let config = builder.with_single_cert(read(&self.certificates)?, key).map_err(unusable)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn read(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsConfigError> {
    CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(unusable)
}

fn unusable(error: impl std::fmt::Display) -> TlsConfigError {
    TlsConfigError(error.to_string())
}

/// The serial number of a certificate, in hexadecimal.
pub(super) fn serial(certificate: &CertificateDer<'_>) -> Option<String> {
    let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
    Some(certificate.raw_serial().iter().map(|byte| format!("{byte:02x}")).collect())
}
