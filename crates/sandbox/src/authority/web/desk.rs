//! What the authority does with a request: it looks who asks, takes what is sent, and says what it knows.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use aws_lc_rs::digest::{SHA256, digest};
use chrono::{DateTime, Utc};
use domain::{
    MerchantId, Mode, Symbols,
    fiscal::{AnnulmentVerdict, Environment, FiscalNumber, Route, TaxId, Verdict},
};
use ports::{RangeAuthority, SignedAnnulment, Submission, Tenant};
use serde_json::{Value, json};

use super::{
    entry::{Entry, TOKEN_LIFE},
    form::{File, file},
    manner::{AuthorityBehavior, Manners},
    words,
};
use crate::{
    Cut,
    authority::{Authority, element, reception::Reception},
    server::{Reply, Request, Response},
};

/// How many receipts of what came twice are remembered.
const CAPACITY: usize = 4096;

pub(super) struct Desk {
    pub(super) authority: Authority,
    pub(super) entry: Entry,
    pub(super) manners: Manners,
    pub(super) twice: Mutex<VecDeque<Twice>>,
    /// How often each receipt was asked about.
    pub(super) asked: Mutex<BTreeMap<String, u32>>,
}

/// A document that came under a number that was spent.
#[derive(Clone)]
pub(super) struct Twice {
    pub(super) environment: Environment,
    pub(super) issuer: TaxId,
    pub(super) number: FiscalNumber,
    pub(super) track_id: String,
    pub(super) received_at: DateTime<Utc>,
}

impl Desk {
    pub(super) fn new(authority: Authority, manner: AuthorityBehavior) -> Self {
        let (twice, asked) = (Mutex::default(), Mutex::default());
        Self { authority, entry: Entry::default(), manners: Manners::new(manner), twice, asked }
    }

    /// The answer to a request.
    pub(super) async fn answer(&self, request: &Request) -> Reply {
        let now = self.authority.clock.now();
        let manner = self.manners.now();
        if manner.is_down {
            return Reply::Whole(Response::page(503, "Service Unavailable"));
        }
        let Some((environment, service)) = place(&request.path) else {
            return Reply::Whole(Response::page(404, "Not Found"));
        };
        let answer = match (request.method.as_str(), service.as_str()) {
            ("GET", words::SEED) => words::seed(&self.entry.seed(now), wants_json(request)),
            ("POST", words::TOKEN) => self.token(request, &manner, now).await,
            _ if !self.entry.admits(request.header("authorization"), now) => {
                Response { status: 401, ..Response::json(&json!({ "message": "Unauthorized" })) }
            }
            ("POST", words::DOCUMENTS) => return self.receive(environment, Route::Full, request, &manner).await,
            ("POST", words::SUMMARIES) => return self.receive(environment, Route::Summary, request, &manner).await,
            ("POST", words::ANNULMENTS) if environment != Environment::Certification => {
                return self.annul(environment, request, &manner).await;
            }
            ("GET", question) => self.question(environment, question, &words::query(&request.query), now),
            _ => Response::page(405, "Method Not Allowed"),
        };
        Reply::Whole(answer)
    }

    async fn token(&self, request: &Request, manner: &AuthorityBehavior, now: DateTime<Utc>) -> Response {
        let refused = |why: &str| Response { status: 400, ..Response::json(&Value::from(why)) };
        let Some(File { bytes, .. }) = file(request) else { return refused("El multipart está vacío") };
        let Ok(signatory) = self.authority.signer.verify(&bytes).await else {
            return refused("La firma de la semilla no es válida");
        };
        if !(signatory.not_before <= now && now <= signatory.not_after) {
            return refused("El certificado no está vigente");
        }
        if manner.delegates_nobody {
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
        manner: &AuthorityBehavior,
    ) -> Reply {
        let Some(File { name, bytes }) = file(request) else {
            return Reply::Whole(words::refused("0", "El multipart está vacío"));
        };
        let Some((issuer, number)) = named(&name) else {
            return Reply::Whole(words::refused("3243", "La longitud del nombre del archivo no es válida"));
        };
        let submission = self.submission(environment, route, (issuer, number), bytes);
        let answer = match self.authority.receive(submission.clone(), manner.refusal.as_ref()).await {
            Verdict::Unavailable => Response::page(503, "Service Unavailable"),
            Verdict::Unknown => return Reply::Cut(Cut::AfterRequest, Response::page(500, "Server Error")),
            Verdict::Duplicate => self.received_twice(&submission),
            _ => self.received(&submission),
        };
        match manner.loses_answers {
            true => Reply::Cut(Cut::AfterRequest, answer),
            false => Reply::Whole(answer),
        }
    }

    async fn annul(&self, environment: Environment, request: &Request, manner: &AuthorityBehavior) -> Reply {
        let Some(File { name, bytes }) = file(request) else {
            return Reply::Whole(words::refused("0", "El multipart está vacío"));
        };
        let Some((issuer, _)) = named(&name) else {
            return Reply::Whole(words::refused("3243", "La longitud del nombre del archivo no es válida"));
        };
        let tenant = Tenant { merchant: nobody(), mode: Mode::Test };
        let sent = SignedAnnulment {
            is_again: false,
            tenant,
            environment,
            issuer: issuer.clone(),
            file_name: name,
            xml: bytes,
        };
        let answer = match self.authority.annul(sent).await {
            AnnulmentVerdict::Annulled(authority_messages) => {
                words::annulled(issuer.as_str(), ("1", "Aceptado"), &authority_messages)
            }
            AnnulmentVerdict::Refused(authority_messages) => {
                words::annulled(issuer.as_str(), ("2", "Rechazado"), &authority_messages)
            }
            AnnulmentVerdict::Unavailable | AnnulmentVerdict::Blocked(_) => Response::page(503, "Service Unavailable"),
            AnnulmentVerdict::Unknown(_) => {
                return Reply::Cut(Cut::AfterRequest, Response::page(500, "Server Error"));
            }
        };
        match manner.loses_answers {
            true => Reply::Cut(Cut::AfterRequest, answer),
            false => Reply::Whole(answer),
        }
    }

    /// A document tells its invoice number itself, and whether it was corrected is seen by what came before it.
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
        let is_of_it = |it: &Reception| it.issuer == issuer && it.merchant_invoice_number == invoice;
        let revision = if invoice.is_empty() || self.authority.registry.all(is_of_it).is_empty() { 1 } else { 2 };
        // Nobody here knows whose customer an issuer is.
        let tenant = Tenant { merchant: nobody(), mode: Mode::Test };
        let merchant_invoice_number = invoice;
        Submission { tenant, environment, issuer, number, route, revision, merchant_invoice_number, xml }
    }

    fn received(&self, submission: &Submission) -> Response {
        let sha256 = digest(&SHA256, &submission.xml);
        let is_it = |it: &Reception| {
            it.environment == submission.environment && it.number == submission.number && it.sha256 == sha256.as_ref()
        };
        match self.authority.registry.all(is_it).pop() {
            Some(it) if it.route == Route::Summary => Response::json(&words::ruling(&it)),
            Some(it) => words::receipt(it.track_id.as_deref().unwrap_or_default()),
            None => Response::page(500, "Server Error"),
        }
    }

    fn received_twice(&self, submission: &Submission) -> Response {
        if submission.route == Route::Summary {
            return Response::json(&words::used(submission.issuer.as_str(), submission.number.as_str()));
        }
        let mut twice = self.twice.lock().unwrap_or_else(PoisonError::into_inner);
        if twice.len() >= CAPACITY {
            twice.pop_front();
        }
        // The same bytes may come again and again, and have a receipt for each time.
        let named = format!("{}/{}", twice.len(), submission.number);
        let mut hash = aws_lc_rs::digest::Context::new(&SHA256);
        hash.update(named.as_bytes());
        hash.update(&submission.xml);
        let track_id = super::super::spelling::hex(&hash.finish().as_ref()[..16]);
        twice.push_back(Twice {
            environment: submission.environment,
            issuer: submission.issuer.clone(),
            number: submission.number.clone(),
            track_id: track_id.clone(),
            received_at: self.authority.clock.now(),
        });
        words::receipt(&track_id)
    }
}

fn wants_json(request: &Request) -> bool {
    request.header("accept").is_some_and(|it| it.starts_with("application/json"))
}

fn nobody() -> MerchantId {
    MerchantId::new(&Symbols::spell(&[0; 16]).expect("sixteen bytes are enough"))
}

/// The issuer and the number that a file is called by.
fn named(file: &str) -> Option<(TaxId, FiscalNumber)> {
    let name = file.strip_suffix(".xml")?;
    let (issuer, number) = name.split_at_checked(name.len().checked_sub(13)?)?;
    let issuer = TaxId::parse(issuer).ok().filter(|it| it.as_str() == issuer)?;
    Some((issuer, FiscalNumber::parse(number)?))
}

/// The environment and the service that a path names, in whatever letters.
pub(super) fn place(path: &str) -> Option<(Environment, String)> {
    let path = path.to_ascii_lowercase();
    let (environment, service) = path.trim_matches('/').split_once('/')?;
    Some((Environment::from_code(environment)?, service.to_owned()))
}
