//! HTTP client for AZUL: one client certificate per account, no retries, no redirects.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::MerchantAccountId;
use parking_lot::Mutex;
use ports::Clock;
use reqwest::{
    Certificate, Client, Identity, RequestBuilder, Response,
    header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue},
    redirect, retry, tls,
};
use tokio::time::timeout;

use crate::{
    AzulAccount, AzulConnection,
    classify::HttpResult,
    request::Operation,
    response::Body,
    transaction_list::{RowFilter, TransactionList},
};

/// Maximum size of a response about one transaction; most have some hundreds of bytes.
const MAX_RESPONSE: usize = 256 * 1024;
/// Maximum number of accounts with open connections.
const MAX_CLIENTS: usize = 256;

/// Sends requests to AZUL.
pub(crate) struct HttpClient {
    connection: AzulConnection,
    /// One client per account, because a certificate belongs to the connection, with the version of the credentials.
    clients: Mutex<BTreeMap<MerchantAccountId, (u32, Client)>>,
    /// `Date` of the last response, and our time when that response arrived.
    server_time: Mutex<Option<(DateTime<Utc>, DateTime<Utc>)>>,
    clock: Arc<dyn Clock>,
}

/// The credentials of an account cannot be used. The cause is dropped, because its text may quote them.
#[derive(Debug, thiserror::Error)]
#[error("the credentials of the account cannot be used")]
pub(crate) struct CredentialsUnusable;

impl HttpClient {
    pub(crate) fn new(connection: AzulConnection, clock: Arc<dyn Clock>) -> Self {
        Self { connection, clients: Mutex::default(), server_time: Mutex::default(), clock }
    }

    /// Sends a request once. The second host is tried only if no connection to the first was made, or if the operation
    /// is repeatable.
    pub(crate) async fn send(
        &self,
        id: &MerchantAccountId,
        account: &AzulAccount,
        operation: Operation,
        body: Bytes,
    ) -> Result<HttpResult, CredentialsUnusable> {
        self.send_to_hosts((id, account), operation, body, None).await
    }

    /// Requests a list of transactions, and retains those that match `filter`.
    pub(crate) async fn list(
        &self,
        id: &MerchantAccountId,
        account: &AzulAccount,
        body: Bytes,
        filter: RowFilter<'_>,
    ) -> Result<HttpResult, CredentialsUnusable> {
        self.send_to_hosts((id, account), Operation::Search, body, Some(filter)).await
    }

    async fn send_to_hosts(
        &self,
        (id, account): (&MerchantAccountId, &AzulAccount),
        operation: Operation,
        body: Bytes,
        filter: Option<RowFilter<'_>>,
    ) -> Result<HttpResult, CredentialsUnusable> {
        let client = self.client(id, account)?;
        let headers = headers(account)?;
        let mut result = HttpResult::NotConnected;
        for host in self.connection.hosts(account.mode).in_order() {
            let url = operation.flag().map_or_else(|| host.to_owned(), |flag| format!("{host}?{flag}"));
            let request = client.post(url).headers(headers.clone()).body(body.clone());
            let attempt = match filter {
                Some(filter) => self.receive_list(request, filter).await,
                None if operation.is_repeatable() => self.receive(request.timeout(self.connection.query_timeout)).await,
                None => self.receive(request).await,
            };
            let may_try_next = match &attempt {
                HttpResult::NotConnected => true,
                HttpResult::Interrupted => operation.is_repeatable(),
                HttpResult::Response { .. } => false,
            };
            // One host that was reached outweighs another that was not.
            if result == HttpResult::NotConnected || attempt != HttpResult::NotConnected {
                result = attempt;
            }
            if !may_try_next {
                break;
            }
        }
        Ok(result)
    }

    fn client(&self, id: &MerchantAccountId, account: &AzulAccount) -> Result<Client, CredentialsUnusable> {
        let mut clients = self.clients.lock();
        if let Some((version, client)) = clients.get(id)
            && *version == account.version
        {
            return Ok(client.clone());
        }
        let client = self.build(account)?;
        if clients.len() >= MAX_CLIENTS {
            clients.clear();
        }
        clients.insert(id.clone(), (account.version, client.clone()));
        Ok(client)
    }

    /// Returns the time in AZUL's last response, and our time when that response arrived.
    pub(crate) fn server_time(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        *self.server_time.lock()
    }

    async fn receive(&self, request: RequestBuilder) -> HttpResult {
        match self.response_of(request.send().await) {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = read_body(response).await;
                body.map_or(HttpResult::Interrupted, |bytes| HttpResult::Response { status, body: Body::parse(&bytes) })
            }
            Err(result) => result,
        }
    }

    /// Receives a list. The timeout of a query applies to each chunk, so that a long list may take its time.
    async fn receive_list(&self, request: RequestBuilder, filter: RowFilter<'_>) -> HttpResult {
        let limit = self.connection.query_timeout;
        let Ok(sent) = timeout(limit, request.send()).await else { return HttpResult::Interrupted };
        let mut response = match self.response_of(sent) {
            Ok(response) => response,
            Err(result) => return result,
        };
        let status = response.status().as_u16();
        let mut list = TransactionList::new(filter);
        loop {
            match timeout(limit, response.chunk()).await {
                Ok(Ok(Some(chunk))) if list.push(&chunk).is_ok() => {}
                Ok(Ok(Some(_))) => return HttpResult::Response { status, body: Body::Unreadable },
                Ok(Ok(None)) => return HttpResult::Response { status, body: list.finish() },
                Ok(Err(_)) | Err(_) => return HttpResult::Interrupted,
            }
        }
    }

    fn response_of(&self, sent: reqwest::Result<Response>) -> Result<Response, HttpResult> {
        match sent {
            Ok(response) => {
                self.note_time(response.headers());
                Ok(response)
            }
            // Only this error proves that no byte of the request was sent.
            Err(error) if error.is_connect() => Err(HttpResult::NotConnected),
            Err(_) => Err(HttpResult::Interrupted),
        }
    }

    fn note_time(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|it| it.to_str().ok());
        let date = date.and_then(|it| DateTime::parse_from_rfc2822(it).ok());
        let pair = date.map(|it| (it.with_timezone(&Utc), self.clock.now()));
        *self.server_time.lock() = pair;
    }

    /// Builds a client with the certificate of `account`.
    ///
    /// # Errors
    ///
    /// If the private key does not belong to the certificate.
    pub(crate) fn build(&self, account: &AzulAccount) -> Result<Client, CredentialsUnusable> {
        let identity = Identity::from_pem(&account.identity).map_err(|_| CredentialsUnusable)?;
        let builder = Client::builder()
            .identity(identity)
            .https_only(true)
            .tls_version_min(tls::Version::TLS_1_2)
            // A second request may be a second charge; a redirect is a second request.
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .connect_timeout(self.connection.connect_timeout)
            .timeout(self.connection.timeout);
        let builder = match &self.connection.ca_certificates {
            Some(pem) => builder.tls_certs_only(Certificate::from_pem_bundle(pem).map_err(|_| CredentialsUnusable)?),
            None => builder,
        };
        builder.build().map_err(|_| CredentialsUnusable)
    }
}

fn headers(account: &AzulAccount) -> Result<HeaderMap, CredentialsUnusable> {
    let secret = |text: &str| {
        let mut value = HeaderValue::from_str(text).map_err(|_| CredentialsUnusable)?;
        value.set_sensitive(true);
        Ok(value)
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("Auth1", secret(&account.auth1)?);
    headers.insert("Auth2", secret(&account.auth2)?);
    Ok(headers)
}

/// Returns the whole body; `None` if the connection breaks or the body is too long.
async fn read_body(mut response: Response) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if bytes.len().saturating_add(chunk.len()) > MAX_RESPONSE {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}
