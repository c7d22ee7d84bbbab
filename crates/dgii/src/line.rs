//! The line to DGII: one exchange, and what was seen of it.

use std::time::Duration;

use reqwest::{
    Certificate, Client, RequestBuilder, Response,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
    redirect, retry, tls,
};
use zeroize::Zeroizing;

use crate::{DgiiConnection, DgiiConnectionInvalid, answer::Body, classify::Wire, form::Form};

/// No answer about one document is longer; the directory of everybody is not asked for.
const ANSWER: usize = 256 * 1024;
/// What answers are asked for as.
const ANSWERS: &str = "application/json, application/xml;q=0.5";
/// What a seed is asked for as: it is signed as XML, and DGII has it as JSON, too.
const SEED: &str = "application/xml, text/xml";
/// Who asks.
const AGENT: &str = concat!("cobro/", env!("CARGO_PKG_VERSION"));
/// How long a connection may be idle and still be used.
const IDLE: Duration = Duration::from_secs(20);

/// Carries requests to DGII, each of them once.
pub(crate) struct Line {
    client: Client,
}

/// What is asked for, with whatever lets us in.
pub(crate) struct Request<'a> {
    pub(crate) address: String,
    /// A file that is sent.
    pub(crate) form: Option<&'a Form>,
    pub(crate) authorization: Option<HeaderValue>,
}

impl Line {
    pub(crate) fn new(connection: &DgiiConnection) -> Result<Self, DgiiConnectionInvalid> {
        let builder = Client::builder()
            .https_only(connection.is_all_tls()?)
            .tls_version_min(tls::Version::TLS_1_2)
            // What is lost is asked for before it is sent again.
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .user_agent(AGENT)
            .no_proxy()
            .pool_idle_timeout(IDLE)
            .connect_timeout(connection.connect_timeout)
            .timeout(connection.timeout);
        let builder = match &connection.authorities {
            Some(pem) => builder
                .tls_certs_only(Certificate::from_pem_bundle(pem).map_err(|_| DgiiConnectionInvalid::Authorities)?),
            None => builder,
        };
        Ok(Self { client: builder.build().map_err(|_| DgiiConnectionInvalid::Authorities)? })
    }

    /// What came of a request.
    pub(crate) async fn ask(&self, request: &Request<'_>) -> Wire {
        match self.fetch(request, ANSWERS).await {
            Ok((status, bytes)) => Wire::Answered { status, body: Body::read(&bytes) },
            Err(seen) => seen,
        }
    }

    /// A seed, as bytes: what is signed is not read as an answer.
    pub(crate) async fn seed(&self, request: &Request<'_>) -> Result<(u16, Zeroizing<Vec<u8>>), Wire> {
        self.fetch(request, SEED).await
    }

    async fn fetch(&self, request: &Request<'_>, accept: &'static str) -> Result<(u16, Zeroizing<Vec<u8>>), Wire> {
        match self.build(request).header(ACCEPT, accept).send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = whole(response).await.ok_or(Wire::Broken)?;
                Ok((status, body))
            }
            // The one error that is a proof: the request is written only once a connection stands.
            Err(error) if error.is_connect() => Err(Wire::NotConnected),
            Err(_) => Err(Wire::Broken),
        }
    }

    fn build(&self, request: &Request<'_>) -> RequestBuilder {
        let builder = match request.form {
            Some(form) => {
                let builder = self.client.post(&request.address).header(CONTENT_TYPE, &form.content_type);
                builder.body(form.body.clone())
            }
            None => self.client.get(&request.address),
        };
        match &request.authorization {
            Some(value) => builder.header(AUTHORIZATION, value),
            None => builder,
        }
    }
}

/// What lets a caller in, as a header that is not shown.
pub(crate) fn authorization(scheme: &str, secret: &str) -> Option<HeaderValue> {
    let text = Zeroizing::new(format!("{scheme} {secret}"));
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The whole body; `None` if it breaks off, or has no end.
async fn whole(mut response: Response) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await.ok()? {
        if bytes.len().saturating_add(chunk.len()) > ANSWER {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}
