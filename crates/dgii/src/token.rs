//! Access tokens: DGII returns a token for one hour in exchange for a signed seed.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{Environment, ProblemCode};
use parking_lot::Mutex;
use ports::{Clock, NoSignature, Tenant, TenantSigner};
use reqwest::header::HeaderValue;

use crate::{
    classify::HttpResult,
    codes,
    connection::Service,
    form::Form,
    http_client::{HttpClient, authorization},
    response::{Body, DgiiResponse},
    seed,
};

/// Maximum lifetime of a token.
const MAX_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// Time before the expiry at which a token is renewed.
const MARGIN: TimeDelta = TimeDelta::minutes(1);
/// Maximum number of cached tokens: a tenant has one per environment.
const CAPACITY: usize = 1024;

/// Reason for a missing token. No document was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// DGII is not reached, or the response is unclear.
    Unreachable,
    /// DGII refuses the signer, or there is no certificate.
    Barred(ProblemCode),
}

/// Tokens of all tenants.
pub(crate) struct TokenCache {
    signer: Arc<dyn TenantSigner>,
    clock: Arc<dyn Clock>,
    slots: Mutex<HashMap<(Tenant, Environment), Arc<TokenSlot>>>,
}

/// Concurrent requests wait for the one that obtains the token.
#[derive(Default)]
struct TokenSlot {
    state: tokio::sync::Mutex<TokenState>,
    /// Number of failed attempts to obtain a token.
    failures: AtomicU64,
}

#[derive(Default)]
struct TokenState {
    token: Option<Token>,
    failure: Option<AccessError>,
}

#[derive(Clone)]
pub(crate) struct Token {
    header: HeaderValue,
    renewed_at: DateTime<Utc>,
}

impl Token {
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

impl TokenCache {
    pub(crate) fn new(signer: Arc<dyn TenantSigner>, clock: Arc<dyn Clock>) -> Self {
        Self { signer, clock, slots: Mutex::default() }
    }

    /// Returns the cached token, unless DGII `refused` it, or a new one.
    pub(crate) async fn get(
        &self,
        http: &HttpClient,
        (tenant, environment): (&Tenant, Environment),
        refused: Option<&Token>,
    ) -> Result<Token, AccessError> {
        let slot = self.slot(tenant, environment);
        let failures = slot.failures.load(Ordering::Acquire);
        let mut state = slot.state.lock().await;
        let is_refused = |it: &Token| refused.is_some_and(|refused| refused.header == it.header);
        if let Some(token) = state.token.as_ref().filter(|it| self.clock.now() < it.renewed_at && !is_refused(it)) {
            return Ok(token.clone());
        }
        // A request that waited during a failed attempt returns the same error, without a retry.
        if let Some(error) = state.failure.filter(|_| slot.failures.load(Ordering::Acquire) > failures) {
            return Err(error);
        }
        state.token = None;
        match self.fetch(http, tenant, environment).await {
            Ok(token) => {
                state.token = Some(token.clone());
                Ok(token)
            }
            Err(error) => {
                state.failure = Some(error);
                slot.failures.fetch_add(1, Ordering::AcqRel);
                Err(error)
            }
        }
    }

    fn slot(&self, tenant: &Tenant, environment: Environment) -> Arc<TokenSlot> {
        let mut slots = self.slots.lock();
        if slots.len() >= CAPACITY {
            slots.clear();
        }
        Arc::clone(slots.entry((tenant.clone(), environment)).or_default())
    }

    async fn fetch(&self, http: &HttpClient, tenant: &Tenant, environment: Environment) -> Result<Token, AccessError> {
        let (status, bytes) = http.seed(environment).await.map_err(no_response)?;
        let seed = (status == 200).then(|| seed::compact(&bytes)).flatten().ok_or_else(|| unclear("seed", status))?;
        let signed = self.signer.sign_for(tenant, seed).await.map_err(not_signed)?;

        let form = Form::with("semilla.xml", signed.xml.as_bytes());
        let requested_at = self.clock.now();
        match http.send(&http.connection.url(Service::Token, environment), Some(&form), None).await {
            HttpResult::Response { status: 200..=299, body: Body::Content(response) } => {
                token(&response, requested_at).ok_or_else(|| unclear("token", 200))
            }
            HttpResult::Response { status: status @ (400 | 401 | 403), body: Body::Content(response) } => {
                Err(access_error(&response).unwrap_or_else(|| unclear("token", status)))
            }
            HttpResult::Response { status, .. } => Err(unclear("token", status)),
            result => Err(no_response(result)),
        }
    }
}

/// Parses a token. Its lifetime is the difference of two times of DGII's clock, which may differ from ours.
fn token(response: &DgiiResponse, requested_at: DateTime<Utc>) -> Option<Token> {
    let header = authorization("bearer", &response.text(&["token"])?)?;
    let time = |name| DateTime::parse_from_rfc3339(&response.text(&[name])?).ok();
    let stated = time("expira").zip(time("expedido")).map(|(ends, begins)| ends.signed_duration_since(begins));
    let lifetime = stated.unwrap_or(MAX_LIFETIME).clamp(MARGIN, MAX_LIFETIME);
    Some(Token { header, renewed_at: requested_at.checked_add_signed(lifetime.checked_sub(&MARGIN)?)? })
}

fn access_error(response: &DgiiResponse) -> Option<AccessError> {
    let messages = response.messages();
    let code = messages.iter().find_map(|it| codes::problem_in_words(&it.message))?;
    tracing::error!(message = %messages[0].message, problem = code.as_str(), "DGII refuses the signer");
    Some(AccessError::Barred(match code {
        ProblemCode::IssuerNotAuthorized => code,
        _ => ProblemCode::CertificateInvalid,
    }))
}

fn not_signed(error: NoSignature) -> AccessError {
    match error {
        NoSignature::NoCertificate => AccessError::Barred(ProblemCode::CertificateInvalid),
        NoSignature::Unavailable(_) | NoSignature::Failed(_) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the seed was not signed");
            AccessError::Unreachable
        }
    }
}

fn no_response(result: HttpResult) -> AccessError {
    tracing::warn!(?result, "no response of DGII to the request for a token");
    AccessError::Unreachable
}

fn unclear(step: &'static str, status: u16) -> AccessError {
    tracing::warn!(step, status, "no clear response of DGII to the request for a token");
    AccessError::Unreachable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renewed_after(text: &str) -> Option<i64> {
        let Body::Content(response) = Body::parse(text.as_bytes()) else { panic!("{text}") };
        token(&response, DateTime::UNIX_EPOCH).map(|it| it.renewed_at.timestamp())
    }

    #[test]
    fn a_token_is_renewed_a_minute_before_it_expires() {
        let hour = r#"{"token":"a.b.c","expira":"2022-07-19T19:14:48Z","expedido":"2022-07-19T18:14:48.9876543Z"}"#;
        assert_eq!(renewed_after(hour), Some(59 * 60 - 1));
        let short = r#"{"token":"a","expira":"2022-07-19T18:20:00-04:00","expedido":"2022-07-19T18:10:00-04:00"}"#;
        assert_eq!(renewed_after(short), Some(9 * 60));
        // The stated lifetime is limited to an hour, and is not negative.
        let long = r#"{"token":"a","expira":"2032-07-19T19:14:48Z","expedido":"2022-07-19T18:14:48Z"}"#;
        assert_eq!(renewed_after(long), Some(59 * 60));
        let backwards = r#"{"token":"a","expira":"2022-07-19T18:00:00Z","expedido":"2022-07-19T18:14:48Z"}"#;
        assert_eq!(renewed_after(backwards), Some(0));
        assert_eq!(renewed_after(r#"{"token":"a"}"#), Some(59 * 60));
        let xml = "<RespuestaAutenticacion><token>a</token><expira>soon</expira></RespuestaAutenticacion>";
        assert_eq!(renewed_after(xml), Some(59 * 60));
        for none in [r#"{"token":""}"#, r#"{"expira":"2022-07-19T18:00:00Z"}"#, r#"{"token":"a\nb"}"#, "[]"] {
            assert_eq!(renewed_after(none), None, "{none}");
        }
    }

    #[test]
    fn a_refused_signer_gets_the_problem() {
        let problem = |text: &str| match Body::parse(text.as_bytes()) {
            Body::Content(response) => access_error(&response),
            _ => None,
        };
        let not_delegated = "El RNC del certificado no está delegado para este contribuyente";
        assert_eq!(problem(not_delegated), Some(AccessError::Barred(ProblemCode::IssuerNotAuthorized)));
        assert_eq!(
            problem(r#"{"mensaje":"Certificado vencido"}"#),
            Some(AccessError::Barred(ProblemCode::CertificateInvalid))
        );
        assert_eq!(problem(r#""La firma no es válida""#), Some(AccessError::Barred(ProblemCode::CertificateInvalid)));
        assert_eq!(problem(r#"{"mensaje":"Intente luego"}"#), None);
        assert_eq!(problem("<html>ERROR</html>"), None);
    }
}
