//! What the acquirer does with a request, check by check.

use std::{io, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{Card, Currency, Money, attempt::CardSummary, payment::DeclineCode};
use hyper::Method;
use ports::Clock;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{
    AcquirerProfile,
    form::{Fault, Form, fault},
    secure,
    spelling::{self, LookupFormat, NOT_PROCESSED, TIMED_OUT, Word},
    vault,
};
use crate::{
    acquirer::{
        cards, iso,
        ledger::{Captured, Ledger, Undone},
        orders::Posted,
        script::{Script, Telling, Truth},
        transaction::{Kind, Named, Transaction},
    },
    late_from,
    server::{Cut, Reply, Request, Response},
    undisturbed::undisturbed,
};

/// Where requests go; the case of its letters does not matter.
const PATH: &str = "/webservices/json/default.aspx";

/// The desk at which requests are taken.
pub(super) struct Desk {
    pub(super) ledger: Arc<Ledger>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) profiles: Vec<AcquirerProfile>,
    pub(super) lookup_format: LookupFormat,
    /// Where its own pages are, as in `https://127.0.0.1:8090`.
    pub(super) address: String,
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Whole(Response::json(&value))
    }
}

/// The operation that a request asks for, as it is called where one is cut; `None` where there is none.
pub(super) fn operation(request: &Request) -> Option<String> {
    if !request.path.eq_ignore_ascii_case(PATH) {
        return None;
    }
    let flag = request.query.split('&').next().and_then(|it| it.split('=').next()).unwrap_or_default();
    match flag.to_ascii_lowercase().as_str() {
        "" => {
            let kind = Form::read(&request.body).map(|it| it.text("TrxType"));
            Some(kind.filter(|it| matches!(it.as_str(), "Sale" | "Hold" | "Refund")).unwrap_or_default())
        }
        "processpost" => Some("Post".to_owned()),
        "processvoid" => Some("Void".to_owned()),
        "verifypayment" => Some("VerifyPayment".to_owned()),
        "searchpayments" => Some("SearchPayments".to_owned()),
        "processdatavault" => Some(vault::VAULT.to_owned()),
        "processthreedsmethod" => Some(secure::METHOD.to_owned()),
        "processthreedschallenge" => Some(secure::CHALLENGE.to_owned()),
        _ => None,
    }
}

/// What is said where nothing was done and could be later.
pub(super) fn not_processed(now: DateTime<Utc>) -> Response {
    let word = Word { code: "99".to_owned(), message: "DECLINADA", description: NOT_PROCESSED };
    Response::json(&spelling::processed(&word, None, "", "", now))
}

impl Desk {
    pub(super) async fn answer(&self, operation: &str, request: &Request, serial: Option<&str>) -> Reply {
        let now = self.clock.now();
        if request.method != Method::POST {
            return spelling::error("INVALID_HTTP_METHOD", now).into();
        }
        let Some(form) = Form::read(&request.body) else { return spelling::error("PARSING_ERROR", now).into() };
        if let Err(fault) = self.admit(request, &form, serial) {
            return spelling::error(&fault, now).into();
        }
        let done = match operation {
            "Post" => self.post(&form, now).await,
            "Void" => self.void(&form, now).await,
            "VerifyPayment" => Ok(self.verify(&form, now)),
            "SearchPayments" => self.search(&form, now),
            vault::VAULT => self.vault(&form, now).await,
            secure::METHOD => self.method(&form, now).await,
            secure::CHALLENGE => self.challenge(&form, now).await,
            "Sale" => self.purchase(Kind::Sale, &form, now).await,
            "Hold" => self.purchase(Kind::Hold, &form, now).await,
            "Refund" => self.refund(&form, now).await,
            _ => Err(fault("TrxType")),
        };
        done.unwrap_or_else(|fault| spelling::error(&fault, now).into())
    }

    /// Whether whoever asks may ask. In which order this is checked is not documented.
    fn admit(&self, request: &Request, form: &Form, serial: Option<&str>) -> Result<(), Fault> {
        let header = |name: &str, field: &str| {
            request.header(name).filter(|it| !it.is_empty()).ok_or_else(|| format!("MISSING_AUTH_HEADER:{field}"))
        };
        let (auth1, auth2) = (header("auth1", "Auth1")?, header("auth2", "Auth2")?);
        let profile = self.profiles.iter().find(|it| it.auth1 == auth1 && it.auth2 == auth2);
        let profile = profile.ok_or("INVALID_AUTH:Auth")?;
        match (&profile.certificate_serial, serial) {
            (Some(_), None) => return Err("MISSING_CLIENT_CERT".to_owned()),
            (Some(expected), Some(serial)) if expected != serial => return Err("INVALID_CLIENT_CERT".to_owned()),
            _ => {}
        }
        if profile.is_disabled {
            return Err("DISABLED_PROFILE".to_owned());
        }
        if form.text("Channel") != profile.channel {
            return Err("INVALID_CHANNEL".to_owned());
        }
        if form.text("Store") != profile.store {
            return Err("INVALID_MERCHANTID".to_owned());
        }
        let is_off = form.text("TrxType") == "Hold" && !profile.may_hold;
        if is_off { Err(fault("TrxType")) } else { Ok(()) }
    }

    async fn purchase(&self, kind: Kind, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let (script, card) = self.card(form, now)?;
        let (amount, itbis) = form.money()?;
        let amount = dop(amount);
        if script.telling == Telling::Refused {
            return Err(fault("CardNumber"));
        }
        let mut transaction = self.arriving(kind, form, (amount, dop(itbis)), now);
        transaction.card = card;
        transaction.is_kept = self.keeps(form)?;
        transaction.scenario.clone_from(&script.name);
        transaction.truth = script.truth;
        if script.telling == Telling::Late {
            transaction.visible_at = late_from(now);
        }
        if let Some(step) = self.step(form, &script) {
            transaction.truth = Truth::Asked(step);
        }
        let mut recorded = transaction.clone();
        let ledger = Arc::clone(&self.ledger);
        recorded.reference = self.written(move || ledger.record(transaction)).await?;
        let answer = Response::json(&self.told_of(&recorded, &form.inner("ThreeDSAuth", "MethodNotificationUrl"), now));
        Ok(told(&script, answer, now))
    }

    /// The card that is charged, and how it behaves. The first fault is told in the order of the fields.
    fn card(&self, form: &Form, now: DateTime<Utc>) -> Result<(Script, CardSummary), Fault> {
        if !form.text("DataVaultToken").is_empty() {
            let kept = self.kept(form)?;
            form.money()?;
            form.order()?;
            return Ok((cards::kept(&kept.scenario), kept.card));
        }
        let number = Zeroizing::new(form.card(now)?);
        let (amount, _) = form.money()?;
        form.order()?;
        let script = if Card::is_number(&number) {
            cards::script(&number, dop(amount))
        } else {
            Script::told("invalid_number", Truth::Declined(DeclineCode::InvalidCardNumber))
        };
        let last4 = number.get(number.len().saturating_sub(4)..).map(str::to_owned);
        Ok((script, CardSummary { brand: None, last4 }))
    }

    async fn post(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let (amount, _) = form.money()?;
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        let posted = self.written(move || ledger.post(&store, &id, amount, now)).await?;
        Ok(match posted {
            Posted::As(Captured::By(reference)) => {
                let mut answer = spelling::processed(&spelling::approved(), None, &reference, "", now);
                answer["RRN"] = Value::from("");
                answer.into()
            }
            Posted::As(Captured::Refused(code)) => {
                let word = Word { code: iso::code(code).to_owned(), message: "DECLINADA", description: "" };
                spelling::processed(&word, None, "", "", now).into()
            }
            Posted::As(Captured::Nothing) => {
                spelling::error("Original transaction is invalid or has already been posted", now).into()
            }
            Posted::TooMuch => {
                let text = "Amount to be posted cannot be greater than 15pct of original Hold/preAuth.";
                spelling::error(text, now).into()
            }
            Posted::Unknown => spelling::error("TRANSACTION_NOT_FOUND", now).into(),
        })
    }

    async fn void(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        let undone = self.written(move || ledger.void_order(&store, &id, now)).await?;
        Ok(match undone {
            Undone::By(reference) => spelling::processed(&spelling::approved(), None, &reference, "", now).into(),
            Undone::Nothing => {
                spelling::error("Original transaction is invalid or has already been voided", now).into()
            }
            Undone::Unheard => Reply::Whole(Response::page(500, "Server Error")),
        })
    }

    async fn refund(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let (amount, itbis) = form.money()?;
        form.order()?;
        let refund = self.arriving(Kind::Refund, form, (dop(amount), dop(itbis)), now);
        let name = refund.named.name.clone();
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        let refunded = self.written(move || ledger.refund(&store, &id, refund)).await?;
        Ok(match refunded {
            Some(reference) => {
                spelling::processed(&spelling::approved(), Some(Kind::Refund), &reference, &name, now).into()
            }
            None => {
                let text = "Original transaction is invalid, exceeds original amount or has already been returned";
                spelling::error(text, now).into()
            }
        })
    }

    fn verify(&self, form: &Form, now: DateTime<Utc>) -> Reply {
        let named = named(form);
        let row = self.ledger.newest_row(&named, now);
        let answer = row.map_or_else(
            || spelling::not_found(&named, self.lookup_format, now),
            |row| spelling::found(&row, self.lookup_format),
        );
        answer.into()
    }

    fn search(&self, form: &Form, now: DateTime<Utc>) -> Result<Reply, Fault> {
        let days = (form.day("DateFrom")?, form.day("DateTo")?);
        let rows = self.ledger.rows(&form.text("Store"), days, now);
        Ok(spelling::searched(&rows, self.lookup_format).into())
    }

    pub(super) fn arriving(
        &self,
        kind: Kind,
        form: &Form,
        (amount, itbis): (Money, Money),
        now: DateTime<Utc>,
    ) -> Transaction {
        Transaction {
            kind,
            named: named(form),
            payment: String::new(),
            of: None,
            amount,
            itbis,
            card: CardSummary::default(),
            scenario: String::new(),
            truth: Truth::Nothing,
            received_at: now,
            visible_at: now,
            reference: String::new(),
            capture: None,
            reversal: None,
            failed_voids: 0,
            is_kept: false,
        }
    }

    /// Does what waits for the disk. If it fails, nobody can say whether it was done.
    pub(super) async fn written<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        match undisturbed(self.ledger.is_on_disk(), work).await {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) => {
                tracing::error!(%error, "the acquirer's journal cannot be written");
                Err("FATAL_ERROR.".to_owned())
            }
            None => Err("FATAL_ERROR.".to_owned()),
        }
    }
}

/// What the script of a card lets be heard of the truth.
fn told(script: &Script, answer: Response, now: DateTime<Utc>) -> Reply {
    let timed_out = || Word { code: "99".to_owned(), message: "DECLINADA", description: TIMED_OUT };
    match script.telling {
        Telling::Told | Telling::Refused => Reply::Whole(answer),
        Telling::NotProcessed => Reply::Whole(not_processed(now)),
        Telling::Late => Reply::Cut(Cut::Silence, answer),
        Telling::Lost => match script.name.split('_').next().unwrap_or_default() {
            "timed" => spelling::processed(&timed_out(), None, "", "", now).into(),
            "reset" => Reply::Cut(Cut::AfterRequest, answer),
            "server" => Reply::Whole(Response::page(500, "Server Error")),
            "processing" => spelling::error("PROCESSING_ERROR", now).into(),
            "truncated" => Reply::Cut(Cut::InsideBody, answer),
            _ => Reply::Cut(Cut::Silence, answer),
        },
    }
}

fn named(form: &Form) -> Named {
    Named { account: form.text("Store"), name: form.text("CustomOrderId") }
}

pub(super) const fn dop(minor_units: i64) -> Money {
    Money::new(minor_units, Currency::Dop)
}
