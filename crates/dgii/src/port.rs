//! DGII behind the port of tax authorities.

use std::sync::Arc;

use async_trait::async_trait;
use domain::fiscal::{Environment, FiscalNumber, Route, TaxId, Verdict};
use ports::{Clock, Inquiry, Submission, TaxAuthority, Tenant, TenantSigner};

use crate::{
    DgiiConnection, DgiiConnectionInvalid,
    answer::Body,
    classify::{About, Wire, leaves_its_number_open, submitted},
    connection::Service,
    form::Form,
    line::{Line, Request},
    token::{Barrier, Tokens},
};

/// DGII, for every merchant that has a certificate.
pub struct Dgii {
    pub(crate) connection: DgiiConnection,
    pub(crate) line: Line,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tokens: Tokens,
}

impl Dgii {
    /// DGII where `connection` says, which `signer` lets merchants into.
    ///
    /// # Errors
    ///
    /// [`DgiiConnectionInvalid`] if that makes no sense.
    pub fn new(
        connection: DgiiConnection,
        signer: Arc<dyn TenantSigner>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, DgiiConnectionInvalid> {
        let line = Line::new(&connection)?;
        Ok(Self { connection, line, tokens: Tokens::new(signer, clock.clone()), clock })
    }

    /// What came of a request in the name of a tenant. A token that is not taken any more is renewed once: who is told
    /// 401 was not heard.
    pub(crate) async fn ask(
        &self,
        tenant: &Tenant,
        (service, environment): (Service, Environment),
        query: &str,
        form: Option<&Form>,
    ) -> Result<Wire, Barrier> {
        let address = format!("{}{query}", self.connection.address(service, environment));
        let mut spent = None;
        loop {
            let there = (&self.line, &self.connection);
            let token = self.tokens.get(there, (tenant, environment), spent.as_ref()).await?;
            let request = Request { address: address.clone(), form, authorization: Some(token.header()) };
            match self.line.ask(&request).await {
                Wire::Answered { status: 401, .. } if spent.is_none() => spent = Some(token),
                seen => return Ok(seen),
            }
        }
    }
}

#[async_trait]
impl TaxAuthority for Dgii {
    async fn submit(&self, submission: Submission) -> Verdict {
        let Submission { tenant, environment, issuer, number, route, xml, .. } = submission;
        let this = Sent { tenant: &tenant, environment, issuer: &issuer, number: &number, route };
        let service = match route {
            Route::Full => Service::Documents,
            Route::Summary => Service::Summaries,
        };
        let form = Form::with(&format!("{}{number}.xml", issuer.as_str()), &xml);
        let verdict = match self.ask(&tenant, (service, environment), "", Some(&form)).await {
            Ok(seen) => {
                let verdict = submitted(&seen, About { issuer: &issuer, number: &number });
                let verdict = self.with_its_number(verdict, &seen, this).await;
                note(&format!("{}{number}", issuer.as_str()), &seen, &verdict);
                verdict
            }
            Err(Barrier::Unreachable) => Verdict::Unavailable,
            Err(Barrier::Barred(code)) => Verdict::Barred(code),
        };
        tracing::info!(issuer = issuer.as_str(), %number, verdict = name(&verdict), "a document was sent to DGII");
        verdict
    }

    async fn inquire(&self, inquiry: Inquiry) -> Verdict {
        let verdict = match self.find(&inquiry).await {
            Ok(found) => found.unwrap_or(Verdict::Unknown),
            Err(Barrier::Unreachable) => Verdict::Unknown,
            Err(Barrier::Barred(code)) => Verdict::Barred(code),
        };
        let Inquiry { issuer, number, .. } = &inquiry;
        tracing::info!(issuer = issuer.as_str(), %number, verdict = name(&verdict), "DGII was asked for a document");
        verdict
    }
}

/// What was sent, as far as it is asked about.
#[derive(Clone, Copy)]
struct Sent<'a> {
    tenant: &'a Tenant,
    environment: Environment,
    issuer: &'a TaxId,
    number: &'a FiscalNumber,
    route: Route,
}

impl Dgii {
    /// The verdict, and what became of the number where DGII did not say: it is spent, unless it is known that DGII has
    /// nothing under it.
    async fn with_its_number(&self, verdict: Verdict, seen: &Wire, sent: Sent<'_>) -> Verdict {
        match verdict {
            Verdict::Rejected { code, said, .. } if leaves_its_number_open(seen, code) => {
                Verdict::Rejected { code, is_number_spent: !self.has_nothing(sent).await, said }
            }
            other => other,
        }
    }

    /// Whether DGII lists nothing under the number, as far as it can be asked. A summary has no receipts to list.
    async fn has_nothing(&self, sent: Sent<'_>) -> bool {
        if sent.route != Route::Full || !Service::Tracks.is_offered(sent.environment) {
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
        matches!(self.tracks(&inquiry).await, Ok(Some(tracks)) if tracks.is_empty())
    }
}

/// DGII's own words, wherever it does not simply accept: what a verdict is made of is asked about later.
pub(crate) fn note(document: &str, seen: &Wire, verdict: &Verdict) {
    let is_plain = matches!(verdict, Verdict::Accepted(_) | Verdict::InProcess { .. } | Verdict::NotFound);
    let Wire::Answered { status, body } = seen else { return };
    if is_plain {
        return;
    }
    let said = match body {
        Body::Said(answer) => answer.messages(),
        Body::Page | Body::Unreadable => Vec::new(),
    };
    let said: Vec<String> = said.into_iter().map(|it| format!("{} {}", it.code, it.message)).collect();
    tracing::warn!(document, status, said = said.join("; "), verdict = name(verdict), "DGII does not accept");
}

/// What a log calls a verdict.
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
        Verdict::Barred(_) => "barred",
    }
}
