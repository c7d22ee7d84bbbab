//! Handlers of the acquirer's operations.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Card, attempt::CardSummary, payment::DeclineCode};
use hyper::Method;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{
    api::{AcquirerApi, dop, transaction_key},
    data_vault::VAULT,
    form::{FieldError, MerchantForm, field_error},
    responses::{self, IssuerMessage, NOT_PROCESSED, TIMED_OUT},
    three_ds::{CHALLENGE, METHOD},
};
use crate::{
    acquirer::{
        cards, iso,
        ledger::CaptureResult,
        orders::PostResult,
        scenario::{ResponseMode, Scenario, TransactionOutcome},
        transaction::TransactionKind,
    },
    faults::visible_from,
    server::{Cut, Reply, Request, Response},
};

/// Path of every operation, in any case.
const PATH: &str = "/webservices/json/default.aspx";

/// Returns the name of the requested operation, as in interruptions; `None` if there is no such operation.
pub(super) fn operation(request: &Request) -> Option<String> {
    if !request.path.eq_ignore_ascii_case(PATH) {
        return None;
    }
    let flag = request.query.split('&').next().and_then(|it| it.split('=').next()).unwrap_or_default();
    match flag.to_ascii_lowercase().as_str() {
        "" => {
            let kind = MerchantForm::read(&request.body).map(|it| it.text("TrxType"));
            Some(kind.filter(|it| matches!(it.as_str(), "Sale" | "Hold" | "Refund")).unwrap_or_default())
        }
        "processpost" => Some("Post".to_owned()),
        "processvoid" => Some("Void".to_owned()),
        "verifypayment" => Some("VerifyPayment".to_owned()),
        "searchpayments" => Some("SearchPayments".to_owned()),
        "processdatavault" => Some(VAULT.to_owned()),
        "processthreedsmethod" => Some(METHOD.to_owned()),
        "processthreedschallenge" => Some(CHALLENGE.to_owned()),
        _ => None,
    }
}

/// Response "not processed", after which the request may be repeated.
pub(super) fn not_processed(now: DateTime<Utc>) -> Response {
    let word = IssuerMessage { code: "99".to_owned(), message: "DECLINADA", description: NOT_PROCESSED };
    Response::json(&responses::processed(&word, None, "", "", now))
}

impl AcquirerApi {
    pub(super) async fn respond(&self, operation: &str, request: &Request, serial: Option<&str>) -> Reply {
        let now = self.clock.now();
        if request.method != Method::POST {
            return responses::error("INVALID_HTTP_METHOD", now).into();
        }
        let Some(form) = MerchantForm::read(&request.body) else {
            return responses::error("PARSING_ERROR", now).into();
        };
        if let Err(fault) = self.authorize(request, &form, serial) {
            return responses::error(&fault, now).into();
        }
        let done = match operation {
            "Post" => self.post(&form, now).await,
            "Void" => self.void(&form, now).await,
            "VerifyPayment" => Ok(self.verify(&form, now)),
            "SearchPayments" => self.search(&form, now),
            VAULT => self.vault(&form, now).await,
            METHOD => self.method(&form, now).await,
            CHALLENGE => self.challenge(&form, now).await,
            "Sale" => self.purchase(TransactionKind::Sale, &form, now).await,
            "Hold" => self.purchase(TransactionKind::Hold, &form, now).await,
            "Refund" => self.refund(&form, now).await,
            _ => Err(field_error("TrxType")),
        };
        done.unwrap_or_else(|fault| responses::error(&fault, now).into())
    }

    async fn purchase(
        &self,
        kind: TransactionKind,
        form: &MerchantForm,
        now: DateTime<Utc>,
    ) -> Result<Reply, FieldError> {
        let (scenario, card) = self.card(form, now)?;
        let (amount, itbis) = form.money()?;
        let amount = dop(amount);
        if scenario.response == ResponseMode::Refused {
            return Err(field_error("CardNumber"));
        }
        let mut transaction = Self::new_transaction(kind, form, (amount, dop(itbis)), now);
        transaction.card = card;
        transaction.is_card_stored = self.stores_card(form)?;
        transaction.scenario.clone_from(&scenario.name);
        transaction.outcome = scenario.outcome;
        if scenario.response == ResponseMode::Late {
            transaction.visible_at = visible_from(now);
        }
        if let Some(step) = self.step(form, &scenario) {
            transaction.outcome = TransactionOutcome::StepRequired(step);
        }
        let mut recorded = transaction.clone();
        let ledger = Arc::clone(&self.ledger);
        recorded.reference = self.written(move || ledger.record(transaction)).await?;
        let response = Response::json(&self.purchase_response(
            &recorded,
            &form.inner("ThreeDSAuth", "MethodNotificationUrl"),
            now,
        ));
        Ok(reply(&scenario, response, now))
    }

    /// Returns the scenario of the card and its summary. The first invalid field in order is reported.
    fn card(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<(Scenario, CardSummary), FieldError> {
        if !form.text("DataVaultToken").is_empty() {
            let stored = self.stored_card(form)?;
            form.money()?;
            form.order()?;
            return Ok((cards::stored_card_scenario(&stored.scenario), stored.card));
        }
        let number = Zeroizing::new(form.card(now)?);
        let (amount, _) = form.money()?;
        form.order()?;
        let scenario = if Card::is_number(&number) {
            cards::scenario(&number, dop(amount))
        } else {
            Scenario::truthful("invalid_number", TransactionOutcome::Declined(DeclineCode::InvalidCardNumber))
        };
        let last4 = number.get(number.len().saturating_sub(4)..).map(str::to_owned);
        Ok((scenario, CardSummary { brand: None, last4 }))
    }

    async fn post(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let (amount, _) = form.money()?;
        let (ledger, store, id) = (Arc::clone(&self.ledger), form.text("Store"), form.text("AzulOrderId"));
        let posted = self.written(move || ledger.post(&store, &id, amount, now)).await?;
        Ok(match posted {
            PostResult::Capture(CaptureResult::By(reference)) => {
                let mut response = responses::processed(&responses::approved(), None, &reference, "", now);
                response["RRN"] = Value::from("");
                response.into()
            }
            PostResult::Capture(CaptureResult::Refused(code)) => {
                let word = IssuerMessage { code: iso::code(code).to_owned(), message: "DECLINADA", description: "" };
                responses::processed(&word, None, "", "", now).into()
            }
            PostResult::Capture(CaptureResult::NotCapturable) => {
                responses::error("Original transaction is invalid or has already been posted", now).into()
            }
            PostResult::TooMuch => {
                let text = "Amount to be posted cannot be greater than 15pct of original Hold/preAuth.";
                responses::error(text, now).into()
            }
            PostResult::Unknown => responses::error("TRANSACTION_NOT_FOUND", now).into(),
        })
    }

    fn verify(&self, form: &MerchantForm, now: DateTime<Utc>) -> Reply {
        let key = transaction_key(form);
        let row = self.ledger.newest_row(&key, now);
        let response = row.map_or_else(
            || responses::not_found(&key, self.lookup_format, now),
            |row| responses::found(&row, self.lookup_format),
        );
        response.into()
    }

    fn search(&self, form: &MerchantForm, now: DateTime<Utc>) -> Result<Reply, FieldError> {
        let days = (form.day("DateFrom")?, form.day("DateTo")?);
        let rows = self.ledger.rows(&form.text("Store"), days, now);
        Ok(responses::searched(&rows, self.lookup_format).into())
    }
}

/// Returns the reply of the scenario, such as a lost one.
pub(super) fn reply(scenario: &Scenario, response: Response, now: DateTime<Utc>) -> Reply {
    let timed_out = || IssuerMessage { code: "99".to_owned(), message: "DECLINADA", description: TIMED_OUT };
    match scenario.response {
        ResponseMode::Truthful | ResponseMode::Refused => Reply::Whole(response),
        ResponseMode::NotProcessed => Reply::Whole(not_processed(now)),
        ResponseMode::Late => Reply::Cut(Cut::Silence, response),
        ResponseMode::Lost => match scenario.name.split('_').next().unwrap_or_default() {
            "timed" => responses::processed(&timed_out(), None, "", "", now).into(),
            "reset" => Reply::Cut(Cut::AfterRequest, response),
            "server" => Reply::Whole(Response::page(500, "Server Error")),
            "processing" => responses::error("PROCESSING_ERROR", now).into(),
            "truncated" => Reply::Cut(Cut::InsideBody, response),
            _ => Reply::Cut(Cut::Silence, response),
        },
    }
}
