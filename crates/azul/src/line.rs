//! The line to AZUL: one exchange, and what was seen of it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::MerchantAccountId;
use ports::Clock;
use reqwest::{
    Certificate, Client, Identity, RequestBuilder, Response,
    header::{CONTENT_TYPE, DATE, HeaderMap, HeaderValue},
    redirect, retry, tls,
};
use tokio::time::timeout;

use crate::{
    AzulAccount, AzulConnection,
    answer::Body,
    classify::Wire,
    listing::{Listing, Wanted},
    request::Operation,
};

/// No answer about one transaction is longer; most have some hundreds of bytes.
const ANSWER: usize = 256 * 1024;
/// How many accounts keep their connections open.
const CLIENTS: usize = 256;

/// Carries requests to AZUL.
pub(crate) struct Line {
    connection: AzulConnection,
    /// A client for each account, since a certificate belongs to the connection, and the version of
    /// the credentials that it was made of.
    clients: Mutex<BTreeMap<MerchantAccountId, (u32, Client)>>,
    /// The time that the last answer told, and when it was heard.
    told: Mutex<Option<(DateTime<Utc>, DateTime<Utc>)>>,
    clock: Arc<dyn Clock>,
}

/// The credentials of an account cannot be used as they are. The cause is not kept: it may show them.
#[derive(Debug, thiserror::Error)]
#[error("the credentials of the account cannot be used")]
pub(crate) struct Unusable;

impl Line {
    pub(crate) fn new(connection: AzulConnection, clock: Arc<dyn Clock>) -> Self {
        Self { connection, clients: Mutex::default(), told: Mutex::default(), clock }
    }

    /// Sends `body`, once: to the second host only where the first was never reached, unless the
    /// operation moves nothing.
    pub(crate) async fn ask(
        &self,
        id: &MerchantAccountId,
        account: &AzulAccount,
        operation: Operation,
        body: Bytes,
    ) -> Result<Wire, Unusable> {
        self.ask_in_order((id, account), operation, body, None).await
    }

    /// Asks for a list, and keeps of its transactions those that are `wanted`.
    pub(crate) async fn list(
        &self,
        id: &MerchantAccountId,
        account: &AzulAccount,
        body: Bytes,
        wanted: Wanted<'_>,
    ) -> Result<Wire, Unusable> {
        self.ask_in_order((id, account), Operation::Search, body, Some(wanted)).await
    }

    async fn ask_in_order(
        &self,
        (id, account): (&MerchantAccountId, &AzulAccount),
        operation: Operation,
        body: Bytes,
        wanted: Option<Wanted<'_>>,
    ) -> Result<Wire, Unusable> {
        let client = self.client(id, account)?;
        let headers = headers(account)?;
        let mut all = Wire::NotConnected;
        for host in self.connection.hosts(account.mode).in_order() {
            let address = operation.flag().map_or_else(|| host.to_owned(), |flag| format!("{host}?{flag}"));
            let request = client.post(address).headers(headers.clone()).body(body.clone());
            let seen = match wanted {
                Some(wanted) => self.exchange_list(request, wanted).await,
                None if operation.only_reads() => {
                    self.exchange(request.timeout(self.connection.question_timeout)).await
                }
                None => self.exchange(request).await,
            };
            let may_try_the_next = match &seen {
                Wire::NotConnected => true,
                Wire::Broken => operation.only_reads(),
                Wire::Answered { .. } => false,
            };
            // Who reached one host has reached AZUL, whatever there is of the next.
            if all == Wire::NotConnected || seen != Wire::NotConnected {
                all = seen;
            }
            if !may_try_the_next {
                break;
            }
        }
        Ok(all)
    }

    fn client(&self, id: &MerchantAccountId, account: &AzulAccount) -> Result<Client, Unusable> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((version, client)) = clients.get(id)
            && *version == account.version
        {
            return Ok(client.clone());
        }
        let client = self.build(account)?;
        if clients.len() >= CLIENTS {
            clients.clear();
        }
        clients.insert(id.clone(), (account.version, client.clone()));
        Ok(client)
    }

    /// The time that AZUL told with its last answer, and when that was heard, if it told any.
    pub(crate) fn told_time(&self) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn exchange(&self, request: RequestBuilder) -> Wire {
        match self.begun(request.send().await) {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = whole(response).await;
                body.map_or(Wire::Broken, |bytes| Wire::Answered { status, body: Body::read(&bytes) })
            }
            Err(seen) => seen,
        }
    }

    /// A list may take as long as anything, if only it goes on: silence is given up as soon as with any question.
    async fn exchange_list(&self, request: RequestBuilder, wanted: Wanted<'_>) -> Wire {
        let patience = self.connection.question_timeout;
        let Ok(sent) = timeout(patience, request.send()).await else { return Wire::Broken };
        let mut response = match self.begun(sent) {
            Ok(response) => response,
            Err(seen) => return seen,
        };
        let status = response.status().as_u16();
        let mut listing = Listing::new(wanted);
        loop {
            match timeout(patience, response.chunk()).await {
                Ok(Ok(Some(chunk))) if listing.take(&chunk).is_ok() => {}
                Ok(Ok(Some(_))) => return Wire::Answered { status, body: Body::Unreadable },
                Ok(Ok(None)) => return Wire::Answered { status, body: listing.end() },
                Ok(Err(_)) | Err(_) => return Wire::Broken,
            }
        }
    }

    fn begun(&self, sent: reqwest::Result<Response>) -> Result<Response, Wire> {
        match sent {
            Ok(response) => {
                self.note_time(response.headers());
                Ok(response)
            }
            // The one error that is a proof: the request is written only once a connection stands.
            Err(error) if error.is_connect() => Err(Wire::NotConnected),
            Err(_) => Err(Wire::Broken),
        }
    }

    fn note_time(&self, headers: &HeaderMap) {
        let date = headers.get(DATE).and_then(|it| it.to_str().ok());
        let told = date.and_then(|it| DateTime::parse_from_rfc2822(it).ok());
        let pair = told.map(|it| (it.with_timezone(&Utc), self.clock.now()));
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = pair;
    }

    /// A client that shows the certificate of `account`, if that and its key are a pair.
    pub(crate) fn build(&self, account: &AzulAccount) -> Result<Client, Unusable> {
        let identity = Identity::from_pem(&account.identity).map_err(|_| Unusable)?;
        let builder = Client::builder()
            .identity(identity)
            .https_only(true)
            .tls_version_min(tls::Version::TLS_1_2)
            // What is sent twice may be charged twice, and a redirect is a second time.
            .retry(retry::never())
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .connect_timeout(self.connection.connect_timeout)
            .timeout(self.connection.timeout);
        let builder = match &self.connection.authorities {
            Some(pem) => builder.tls_certs_only(Certificate::from_pem_bundle(pem).map_err(|_| Unusable)?),
            None => builder,
        };
        builder.build().map_err(|_| Unusable)
    }
}

fn headers(account: &AzulAccount) -> Result<HeaderMap, Unusable> {
    let secret = |text: &str| {
        let mut value = HeaderValue::from_str(text).map_err(|_| Unusable)?;
        value.set_sensitive(true);
        Ok(value)
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("Auth1", secret(&account.auth1)?);
    headers.insert("Auth2", secret(&account.auth2)?);
    Ok(headers)
}

/// The whole body; `None` if it breaks off, or has no end.
async fn whole(mut response: Response) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if bytes.len().saturating_add(chunk.len()) > ANSWER {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}
