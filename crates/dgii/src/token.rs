//! What lets us in: a token for an hour, which whoever signs a seed gets.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{Environment, ProblemCode};
use ports::{Clock, NoSignature, Tenant, TenantSigner};
use reqwest::header::HeaderValue;

use crate::{
    DgiiConnection,
    answer::{Answer, Body},
    classify::Wire,
    codes,
    connection::Service,
    form::Form,
    line::{Line, Request, authorization},
    seed,
};

/// A token lives no longer, whatever it says.
const LIFE: TimeDelta = TimeDelta::hours(1);
/// A token is renewed so long before it ends.
const MARGIN: TimeDelta = TimeDelta::minutes(1);
/// How many are kept: a tenant has one for each environment.
const CAPACITY: usize = 1024;

/// Why nobody is let in. Nothing was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    /// DGII cannot be asked, or cannot be understood.
    Unreachable,
    /// It says no, or there is nothing to sign with.
    Barred(ProblemCode),
}

/// The tokens of all tenants.
pub(crate) struct Tokens {
    signer: Arc<dyn TenantSigner>,
    clock: Arc<dyn Clock>,
    slots: Mutex<HashMap<(Tenant, Environment), Arc<Slot>>>,
}

/// Whoever needs a token waits for the one who fetches it.
#[derive(Default)]
struct Slot {
    held: tokio::sync::Mutex<Held>,
    /// How many times nobody was let in.
    failures: AtomicU64,
}

#[derive(Default)]
struct Held {
    token: Option<Token>,
    failure: Option<Barrier>,
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

impl Tokens {
    pub(crate) fn new(signer: Arc<dyn TenantSigner>, clock: Arc<dyn Clock>) -> Self {
        Self { signer, clock, slots: Mutex::default() }
    }

    /// A token that holds: the one that is there, unless it is `spent`, or a new one.
    pub(crate) async fn get(
        &self,
        (line, connection): (&Line, &DgiiConnection),
        (tenant, environment): (&Tenant, Environment),
        spent: Option<&Token>,
    ) -> Result<Token, Barrier> {
        let slot = self.slot(tenant, environment);
        let failures = slot.failures.load(Ordering::Acquire);
        let mut held = slot.held.lock().await;
        let is_spent = |it: &Token| spent.is_some_and(|spent| spent.header == it.header);
        if let Some(token) = held.token.as_ref().filter(|it| self.clock.now() < it.renewed_at && !is_spent(it)) {
            return Ok(token.clone());
        }
        // Who waited while somebody was not let in need not try the same again.
        if let Some(barrier) = held.failure.filter(|_| slot.failures.load(Ordering::Acquire) > failures) {
            return Err(barrier);
        }
        held.token = None;
        match self.fetch((line, connection), tenant, environment).await {
            Ok(token) => {
                held.token = Some(token.clone());
                Ok(token)
            }
            Err(barrier) => {
                held.failure = Some(barrier);
                slot.failures.fetch_add(1, Ordering::AcqRel);
                Err(barrier)
            }
        }
    }

    fn slot(&self, tenant: &Tenant, environment: Environment) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= CAPACITY {
            slots.clear();
        }
        Arc::clone(slots.entry((tenant.clone(), environment)).or_default())
    }

    async fn fetch(
        &self,
        (line, connection): (&Line, &DgiiConnection),
        tenant: &Tenant,
        environment: Environment,
    ) -> Result<Token, Barrier> {
        let address = connection.address(Service::Seed, environment);
        let (status, bytes) = line.seed(&Request { address, form: None, authorization: None }).await.map_err(silent)?;
        let seed = (status == 200).then(|| seed::stripped(&bytes)).flatten().ok_or_else(|| unclear("seed", status))?;
        let signed = self.signer.sign_for(tenant, seed).await.map_err(unsigned)?;

        let form = Form::with("semilla.xml", signed.xml.as_bytes());
        let address = connection.address(Service::Token, environment);
        let asked_at = self.clock.now();
        match line.ask(&Request { address, form: Some(&form), authorization: None }).await {
            Wire::Answered { status: 200..=299, body: Body::Said(answer) } => {
                token(&answer, asked_at).ok_or_else(|| unclear("token", 200))
            }
            Wire::Answered { status: status @ (400 | 401 | 403), body: Body::Said(answer) } => {
                Err(barred(&answer).unwrap_or_else(|| unclear("token", status)))
            }
            Wire::Answered { status, .. } => Err(unclear("token", status)),
            seen => Err(silent(seen)),
        }
    }
}

/// The token in an answer. How long it lives is told by two times of one clock, which is not ours.
fn token(answer: &Answer, asked_at: DateTime<Utc>) -> Option<Token> {
    let header = authorization("bearer", &answer.text(&["token"])?)?;
    let time = |name| DateTime::parse_from_rfc3339(&answer.text(&[name])?).ok();
    let told = time("expira").zip(time("expedido")).map(|(ends, begins)| ends.signed_duration_since(begins));
    let life = told.unwrap_or(LIFE).clamp(MARGIN, LIFE);
    Some(Token { header, renewed_at: asked_at.checked_add_signed(life.checked_sub(&MARGIN)?)? })
}

fn barred(answer: &Answer) -> Option<Barrier> {
    let messages = answer.messages();
    let code = messages.iter().find_map(|it| codes::worded(&it.message))?;
    tracing::error!(said = %messages[0].message, problem = code.as_str(), "DGII does not let us in");
    Some(Barrier::Barred(match code {
        ProblemCode::IssuerNotAuthorized => code,
        _ => ProblemCode::CertificateInvalid,
    }))
}

fn unsigned(error: NoSignature) -> Barrier {
    match error {
        NoSignature::NoCertificate => Barrier::Barred(ProblemCode::CertificateInvalid),
        NoSignature::Unavailable(_) | NoSignature::Failed(_) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the seed was not signed");
            Barrier::Unreachable
        }
    }
}

fn silent(seen: Wire) -> Barrier {
    tracing::warn!(?seen, "DGII does not answer who wants in");
    Barrier::Unreachable
}

fn unclear(what: &'static str, status: u16) -> Barrier {
    tracing::warn!(what, status, "DGII gave no clear answer to who wants in");
    Barrier::Unreachable
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renewed_after(text: &str) -> Option<i64> {
        let Body::Said(answer) = Body::read(text.as_bytes()) else { panic!("{text}") };
        token(&answer, DateTime::UNIX_EPOCH).map(|it| it.renewed_at.timestamp())
    }

    #[test]
    fn a_token_is_renewed_a_minute_before_it_ends() {
        let hour = r#"{"token":"a.b.c","expira":"2022-07-19T19:14:48Z","expedido":"2022-07-19T18:14:48.9876543Z"}"#;
        assert_eq!(renewed_after(hour), Some(59 * 60 - 1));
        let short = r#"{"token":"a","expira":"2022-07-19T18:20:00-04:00","expedido":"2022-07-19T18:10:00-04:00"}"#;
        assert_eq!(renewed_after(short), Some(9 * 60));
        // What it says of itself is not believed beyond an hour, nor backwards.
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
    fn who_is_not_let_in_hears_why() {
        let why = |text: &str| match Body::read(text.as_bytes()) {
            Body::Said(answer) => barred(&answer),
            _ => None,
        };
        let not_delegated = "El RNC del certificado no está delegado para este contribuyente";
        assert_eq!(why(not_delegated), Some(Barrier::Barred(ProblemCode::IssuerNotAuthorized)));
        assert_eq!(why(r#"{"mensaje":"Certificado vencido"}"#), Some(Barrier::Barred(ProblemCode::CertificateInvalid)));
        assert_eq!(why(r#""La firma no es válida""#), Some(Barrier::Barred(ProblemCode::CertificateInvalid)));
        assert_eq!(why(r#"{"mensaje":"Intente luego"}"#), None);
        assert_eq!(why("<html>ERROR</html>"), None);
    }
}
