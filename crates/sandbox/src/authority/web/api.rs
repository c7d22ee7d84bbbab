//! Handlers of the authority's services: authentication, submissions and queries.

use std::collections::{BTreeMap, VecDeque};

use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, Utc};
use domain::{
    MerchantId, Mode, Symbols,
    fiscal::{AnnulmentVerdict, Environment, FiscalNumber, Route, TaxId, Verdict},
};
use parking_lot::Mutex;
use ports::{RangeAuthority, SignedAnnulment, Submission, Tenant};
use serde_json::{Value, json};

use super::{
    access::{Entry, TOKEN_LIFE},
    behavior::{AuthorityBehavior, CurrentBehavior},
    form::{UploadedFile, file},
    responses,
};
use crate::{
    authority::{element, encoding::hex, reception::Reception, simulated::Authority, trigger::is_note},
    server::{Cut, Reply, Request, Response},
};

/// Maximum number of stored repeated documents.
const CAPACITY: usize = 4096;

pub(super) struct AuthorityApi {
    pub(super) authority: Authority,
    pub(super) entry: Entry,
    pub(super) behavior: CurrentBehavior,
    pub(super) twice: Mutex<VecDeque<RepeatedDocument>>,
    /// Number of queries by tracking id.
    pub(super) query_counts: Mutex<BTreeMap<String, u32>>,
}

/// A document received under a used number.
#[derive(Clone)]
pub(super) struct RepeatedDocument {
    pub(super) environment: Environment,
    pub(super) issuer: TaxId,
    pub(super) number: FiscalNumber,
    pub(super) track_id: String,
    pub(super) received_at: DateTime<Utc>,
}

impl AuthorityApi {
    pub(super) fn new(authority: Authority, behavior: AuthorityBehavior) -> Self {
        let (twice, query_counts) = (Mutex::default(), Mutex::default());
        Self { authority, entry: Entry::default(), behavior: CurrentBehavior::new(behavior), twice, query_counts }
    }

    /// Returns the reply to a request.
    pub(super) async fn respond(&self, request: &Request) -> Reply {
        self.serve(request).await.unwrap_or_else(Reply::Whole)
    }

    /// Returns the reply, or the response that refuses the request.
    async fn serve(&self, request: &Request) -> Result<Reply, Response> {
        let now = self.authority.clock.now();
        let behavior = self.behavior.now();
        if behavior.is_down {
            return Err(Response::page(503, "Service Unavailable"));
        }
        let (environment, service) = split_path(&request.path).ok_or_else(|| Response::page(404, "Not Found"))?;
        let response = match (request.method.as_str(), service.as_str()) {
            ("GET", responses::SEED) => responses::seed(&self.entry.seed(now), wants_json(request)),
            ("POST", responses::TOKEN) => self.token(request, &behavior, now).await,
            _ if !self.entry.admits(request.header("authorization"), now) => {
                Response { status: 401, ..Response::json(&json!({ "message": "Unauthorized" })) }
            }
            ("POST", responses::DOCUMENTS) => return self.receive(environment, Route::Full, request, &behavior).await,
            ("POST", responses::SUMMARIES) => {
                return self.receive(environment, Route::Summary, request, &behavior).await;
            }
            ("POST", responses::ANNULMENTS) if environment != Environment::Certification => {
                return self.annul(environment, request, &behavior).await;
            }
            ("GET", question) => self.question(environment, question, &responses::query(&request.query), now),
            _ => Response::page(405, "Method Not Allowed"),
        };
        Ok(Reply::Whole(response))
    }

    async fn token(&self, request: &Request, behavior: &AuthorityBehavior, now: DateTime<Utc>) -> Response {
        let refused = |why: &str| Response { status: 400, ..Response::json(&Value::from(why)) };
        let Some(UploadedFile { bytes, .. }) = file(request) else { return refused("El multipart está vacío") };
        let Ok(signatory) = self.authority.signer.verify(&bytes).await else {
            return refused("La firma de la semilla no es válida");
        };
        if !(signatory.not_before <= now && now <= signatory.not_after) {
            return refused("El certificado no está vigente");
        }
        if behavior.delegates_nobody {
            return refused("El RNC del certificado no está delegado");
        }
        if !self.entry.take(&bytes, now) {
            return refused("La semilla no es válida o ha expirado");
        }
        let ends = now.checked_add_signed(TOKEN_LIFE).unwrap_or(now);
        let [begins, ends] = [now, ends].map(|it| it.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
        Response::json(&json!({ "token": self.entry.token(now), "expira": ends, "expedido": begins }))
    }

    async fn receive(
        &self,
        environment: Environment,
        route: Route,
        request: &Request,
        behavior: &AuthorityBehavior,
    ) -> Result<Reply, Response> {
        let (file, issuer, number) = uploaded(request)?;
        let submission = self.submission(environment, route, (issuer, number), file.bytes);
        let response = match self.authority.receive(submission.clone(), behavior.refusal.as_ref()).await {
            Verdict::Unavailable => Response::page(503, "Service Unavailable"),
            Verdict::Unknown => return Ok(lost(Response::page(500, "Server Error"))),
            Verdict::Duplicate => self.received_twice(&submission),
            _ => self.received(&submission),
        };
        Ok(if behavior.loses_answers { lost(response) } else { Reply::Whole(response) })
    }

    async fn annul(
        &self,
        environment: Environment,
        request: &Request,
        behavior: &AuthorityBehavior,
    ) -> Result<Reply, Response> {
        let (file, issuer, _) = uploaded(request)?;
        let tenant = Tenant { merchant: no_merchant(), mode: Mode::Test };
        let sent = SignedAnnulment {
            is_again: false,
            tenant,
            environment,
            issuer: issuer.clone(),
            file_name: file.name,
            xml: file.bytes,
        };
        let response = match self.authority.annul(sent).await {
            AnnulmentVerdict::Annulled(remarks) => responses::annulled(issuer.as_str(), ("1", "Aceptado"), &remarks),
            AnnulmentVerdict::Refused(reasons) => responses::annulled(issuer.as_str(), ("2", "Rechazado"), &reasons),
            AnnulmentVerdict::Unavailable | AnnulmentVerdict::Blocked(_) => Response::page(503, "Service Unavailable"),
            AnnulmentVerdict::Unknown(_) => return Ok(lost(Response::page(500, "Server Error"))),
        };
        Ok(if behavior.loses_answers { lost(response) } else { Reply::Whole(response) })
    }

    /// Reads the invoice number from the document. A later document of the same invoice counts as a correction.
    fn submission(
        &self,
        environment: Environment,
        route: Route,
        (issuer, number): (TaxId, FiscalNumber),
        xml: Vec<u8>,
    ) -> Submission {
        let path = ["Encabezado", "Emisor", "NumeroFacturaInterna"];
        let read = element::read(&xml).ok();
        let invoice = read.as_ref().and_then(|it| it.at(&path)).map(|it| it.text.clone()).unwrap_or_default();
        let is_of_it = |it: &Reception| {
            let is_of_invoice = it.issuer == issuer && it.merchant_invoice_number == invoice;
            is_of_invoice && is_note(&it.number) == is_note(&number)
        };
        let revision = if invoice.is_empty() || self.authority.registry.all(is_of_it).is_empty() { 1 } else { 2 };
        // The authority knows no merchants.
        let tenant = Tenant { merchant: no_merchant(), mode: Mode::Test };
        let merchant_invoice_number = invoice;
        Submission { tenant, environment, issuer, number, route, revision, merchant_invoice_number, xml }
    }

    fn received(&self, submission: &Submission) -> Response {
        let sha256 = digest(&SHA256, &submission.xml);
        let is_it = |it: &Reception| {
            it.environment == submission.environment && it.number == submission.number && it.sha256 == sha256.as_ref()
        };
        match self.authority.registry.all(is_it).pop() {
            Some(it) if it.route == Route::Summary => Response::json(&responses::ruling(&it)),
            Some(it) => responses::receipt(it.track_id.as_deref().unwrap_or_default()),
            None => Response::page(500, "Server Error"),
        }
    }

    fn received_twice(&self, submission: &Submission) -> Response {
        if submission.route == Route::Summary {
            return Response::json(&responses::used(submission.issuer.as_str(), submission.number.as_str()));
        }
        let mut twice = self.twice.lock();
        if twice.len() >= CAPACITY {
            twice.pop_front();
        }
        // The same bytes may be sent repeatedly; each submission has a separate tracking id.
        let salt = format!("{}/{}", twice.len(), submission.number);
        let mut hash = aws_lc_rs::digest::Context::new(&SHA256);
        hash.update(salt.as_bytes());
        hash.update(&submission.xml);
        let track_id = hex(&hash.finish().as_ref()[..16]);
        twice.push_back(RepeatedDocument {
            environment: submission.environment,
            issuer: submission.issuer.clone(),
            number: submission.number.clone(),
            track_id: track_id.clone(),
            received_at: self.authority.clock.now(),
        });
        responses::receipt(&track_id)
    }
}

fn wants_json(request: &Request) -> bool {
    request.header("accept").is_some_and(|it| it.starts_with("application/json"))
}

fn no_merchant() -> MerchantId {
    MerchantId::new(&Symbols::spell(&[0; 16]).expect("sixteen bytes are enough"))
}

/// Returns the uploaded file, with the issuer and the number from its name.
///
/// # Errors
///
/// The response that refuses the request.
fn uploaded(request: &Request) -> Result<(UploadedFile, TaxId, FiscalNumber), Response> {
    let file = file(request).ok_or_else(|| responses::refused("0", "El multipart está vacío"))?;
    let named = parse_name(&file.name);
    let invalid = || responses::refused("3243", "La longitud del nombre del archivo no es válida");
    let (issuer, number) = named.ok_or_else(invalid)?;
    Ok((file, issuer, number))
}

const fn lost(response: Response) -> Reply {
    Reply::Cut(Cut::AfterRequest, response)
}

/// Parses the name of a file: issuer and number.
fn parse_name(file: &str) -> Option<(TaxId, FiscalNumber)> {
    let name = file.strip_suffix(".xml")?;
    let (issuer, number) = name.split_at_checked(name.len().checked_sub(13)?)?;
    let issuer = TaxId::parse(issuer).ok().filter(|it| it.as_str() == issuer)?;
    Some((issuer, FiscalNumber::parse(number)?))
}

/// Splits a path, in any case, into environment and service.
pub(super) fn split_path(path: &str) -> Option<(Environment, String)> {
    let path = path.to_ascii_lowercase();
    let (environment, service) = path.trim_matches('/').split_once('/')?;
    Some((Environment::from_code(environment)?, service.to_owned()))
}
