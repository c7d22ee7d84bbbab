//! The port [`TaxAuthority`].

use std::sync::Arc;

use async_trait::async_trait;
use domain::fiscal::{Environment, FiscalNumber, Route, TaxId, Verdict};
use ports::{Clock, Inquiry, Submission, TaxAuthority, Tenant, TenantSigner};

use crate::{
    DgiiConnection, DgiiConnectionInvalid,
    classify::{ExpectedDocument, HttpResult, leaves_number_open, submission_verdict},
    connection::Service,
    form::Form,
    http_client::HttpClient,
    response::Body,
    token::{AccessError, TokenCache},
};

/// DGII for every merchant that has a certificate.
pub struct Dgii {
    pub(crate) http: HttpClient,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tokens: TokenCache,
}

impl Dgii {
    /// Creates the adapter. No request is sent yet.
    ///
    /// # Errors
    ///
    /// If `connection` is invalid.
    pub fn new(
        connection: DgiiConnection,
        signer: Arc<dyn TenantSigner>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, DgiiConnectionInvalid> {
        Ok(Self { http: HttpClient::new(connection)?, tokens: TokenCache::new(signer, clock.clone()), clock })
    }

    /// Sends a request with the tenant's token. After a 401, which proves that the request was not processed, the token
    /// is renewed once.
    pub(crate) async fn send(
        &self,
        tenant: &Tenant,
        (service, environment): (Service, Environment),
        query: &str,
        form: Option<&Form>,
    ) -> Result<HttpResult, AccessError> {
        let url = format!("{}{query}", self.http.connection.url(service, environment));
        let mut refused = None;
        loop {
            let token = self.tokens.get(&self.http, (tenant, environment), refused.as_ref()).await?;
            match self.http.send(&url, form, Some(token.header())).await {
                HttpResult::Response { status: 401, .. } if refused.is_none() => refused = Some(token),
                result => return Ok(result),
            }
        }
    }
}

#[async_trait]
impl TaxAuthority for Dgii {
    async fn submit(&self, submission: Submission) -> Verdict {
        let Submission { tenant, environment, issuer, number, route, xml, .. } = submission;
        let sent = SentDocument { tenant: &tenant, environment, issuer: &issuer, number: &number, route };
        let service = match route {
            Route::Full => Service::Documents,
            Route::Summary => Service::Summaries,
        };
        let form = Form::with(&format!("{}{number}.xml", issuer.as_str()), &xml);
        let verdict = match self.send(&tenant, (service, environment), "", Some(&form)).await {
            Ok(result) => {
                let verdict = submission_verdict(&result, ExpectedDocument { issuer: &issuer, number: &number });
                let verdict = self.resolve_number(verdict, &result, sent).await;
                log_refusal(&format!("{}{number}", issuer.as_str()), &result, &verdict);
                verdict
            }
            Err(AccessError::Unreachable) => Verdict::Unavailable,
            Err(AccessError::Barred(code)) => Verdict::Blocked(code),
        };
        tracing::info!(issuer = issuer.as_str(), %number, verdict = name(&verdict), "document submitted to DGII");
        verdict
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        let verdict = match self.find(&inquiry).await {
            Ok(found) => found.unwrap_or(Verdict::Unknown),
            Err(AccessError::Unreachable) => Verdict::Unknown,
            Err(AccessError::Barred(code)) => Verdict::Blocked(code),
        };
        let Inquiry { issuer, number, .. } = &inquiry;
        tracing::info!(issuer = issuer.as_str(), %number, verdict = name(&verdict), "document looked up at DGII");
        verdict
    }
}

/// The identity of a document that was sent.
#[derive(Clone, Copy)]
struct SentDocument<'a> {
    tenant: &'a Tenant,
    environment: Environment,
    issuer: &'a TaxId,
    number: &'a FiscalNumber,
    route: Route,
}

impl Dgii {
    /// Completes a rejection that leaves open whether the number is spent: the number is spent unless DGII lists no
    /// document with the number.
    async fn resolve_number(&self, verdict: Verdict, result: &HttpResult, sent: SentDocument<'_>) -> Verdict {
        match verdict {
            Verdict::Rejected { code, authority_messages, .. } if leaves_number_open(result, code) => {
                Verdict::Rejected { code, is_number_spent: !self.is_number_unused(sent).await, authority_messages }
            }
            other => other,
        }
    }

    /// Whether DGII lists no receipt for the number. DGII has no list for summaries.
    async fn is_number_unused(&self, sent: SentDocument<'_>) -> bool {
        if sent.route != Route::Full || !Service::Receipts.is_offered(sent.environment) {
            return false;
        }
        let inquiry = Inquiry {
            tenant: sent.tenant.clone(),
            environment: sent.environment,
            issuer: sent.issuer.clone(),
            number: sent.number.clone(),
            route: sent.route,
            buyer: None,
            security_code: String::new(),
            track_id: None,
        };
        matches!(self.receipts(&inquiry).await, Ok(Some(receipts)) if receipts.is_empty())
    }
}

/// Logs DGII's messages about a document that was not accepted.
pub(crate) fn log_refusal(document: &str, result: &HttpResult, verdict: &Verdict) {
    let is_expected = matches!(verdict, Verdict::Accepted(_) | Verdict::InProcess { .. } | Verdict::NotFound);
    let HttpResult::Response { status, body } = result else { return };
    if is_expected {
        return;
    }
    let messages = match body {
        Body::Content(response) => response.messages(),
        Body::Page | Body::Unreadable => Vec::new(),
    };
    let messages: Vec<String> = messages.into_iter().map(|it| format!("{} {}", it.code, it.message)).collect();
    tracing::warn!(document, status, messages = messages.join("; "), verdict = name(verdict), "not accepted by DGII");
}

/// Returns the name of a verdict in logs.
const fn name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Accepted(_) => "accepted",
        Verdict::Rejected { is_number_spent: true, .. } => "rejected, number spent",
        Verdict::Rejected { is_number_spent: false, .. } => "rejected, number not spent",
        Verdict::InProcess { .. } => "in process",
        Verdict::Duplicate => "duplicate",
        Verdict::NotFound => "not found",
        Verdict::Unknown => "unknown",
        Verdict::Unavailable => "unavailable",
        Verdict::Blocked(_) => "barred",
    }
}
