//! HTTP client for DGII: no retries, no redirects.

use std::time::Duration;

use domain::fiscal::Environment;
use reqwest::{
    Certificate, Client, Response,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    redirect, retry, tls,
};
use zeroize::Zeroizing;

use crate::{
    DgiiConnection, DgiiConnectionInvalid, classify::HttpResult, connection::Service, form::Form, response::Body,
};

/// Maximum size of a response. The directory of all taxpayers is larger, but is never requested.
const MAX_RESPONSE: usize = 256 * 1024;
/// Accepted types of responses.
const RESPONSE_TYPES: &str = "application/json, application/xml;q=0.5";
/// Accepted types of a seed. DGII also offers JSON, but the signature needs XML.
const SEED_TYPES: &str = "application/xml, text/xml";
const USER_AGENT: &str = concat!("cobro/", env!("CARGO_PKG_VERSION"));
/// Time after which an idle connection is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends requests to DGII, each of them once.
pub(crate) struct HttpClient {
    pub(crate) connection: DgiiConnection,
    client: Client,
}

impl DgiiConnection {
    /// Validates the options.
    ///
    /// # Errors
    ///
    /// [`DgiiConnectionInvalid`] if a host or a certificate is invalid.
    pub fn check(&self) -> Result<(), DgiiConnectionInvalid> {
        HttpClient::new(self.clone()).map(drop)
    }
}

impl HttpClient {
    pub(crate) fn new(connection: DgiiConnection) -> Result<Self, DgiiConnectionInvalid> {
        let invalid = |_| DgiiConnectionInvalid::CaCertificates;
        let builder = Client::builder()
            .https_only(connection.is_all_tls()?)
            .tls_version_min(tls::Version::TLS_1_2)
            // After a lost response, a look-up precedes the retry.
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .user_agent(USER_AGENT)
            .no_proxy()
            .pool_idle_timeout(IDLE_TIMEOUT)
            .connect_timeout(connection.connect_timeout)
            .timeout(connection.timeout);
        let builder = match &connection.ca_certificates {
            Some(pem) => builder.tls_certs_only(Certificate::from_pem_bundle(pem).map_err(invalid)?),
            None => builder,
        };
        Ok(Self { client: builder.build().map_err(invalid)?, connection })
    }

    /// Sends a `GET` request, or a `POST` request with a form.
    pub(crate) async fn send(&self, url: &str, form: Option<&Form>, authorization: Option<HeaderValue>) -> HttpResult {
        match self.fetch(url, form, authorization, RESPONSE_TYPES).await {
            Ok((status, bytes)) => HttpResult::Response { status, body: Body::parse(&bytes) },
            Err(result) => result,
        }
    }

    /// Returns status and body of the response to a request for a seed, which is signed byte for byte.
    pub(crate) async fn seed(&self, environment: Environment) -> Result<(u16, Zeroizing<Vec<u8>>), HttpResult> {
        let url = self.connection.url(Service::Seed, environment);
        self.fetch(&url, None, None, SEED_TYPES).await
    }

    async fn fetch(
        &self,
        url: &str,
        form: Option<&Form>,
        authorization: Option<HeaderValue>,
        accept: &'static str,
    ) -> Result<(u16, Zeroizing<Vec<u8>>), HttpResult> {
        let mut request = match form {
            Some(form) => self.client.post(url).header(CONTENT_TYPE, &form.content_type).body(form.body.clone()),
            None => self.client.get(url),
        };
        if let Some(authorization) = authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        match request.header(ACCEPT, accept).send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                Ok((status, read_body(response).await.ok_or(HttpResult::Interrupted)?))
            }
            // Only this error proves that no byte of the request was sent.
            Err(error) if error.is_connect() => Err(HttpResult::NotConnected),
            Err(_) => Err(HttpResult::Interrupted),
        }
    }
}

/// Returns an `Authorization` header that is never logged.
pub(crate) fn authorization(scheme: &str, secret: &str) -> Option<HeaderValue> {
    let text = Zeroizing::new(format!("{scheme} {secret}"));
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// Returns the whole body; `None` if the connection breaks or the body is too long.
async fn read_body(mut response: Response) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.ok()? {
        if bytes.len().saturating_add(chunk.len()) > MAX_RESPONSE {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}
