//! The acquirer as a port of card providers.

use std::{io, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    Card, MerchantAccountId, Money, PaymentId, attempt::CardSummary, payment::DeclineCode, refund::RefundTerms,
};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Hold, Instrument, ListedReturn, LookUp,
    NotSubmitted, Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnUrls, ReturnsUnlisted,
};
use zeroize::Zeroizing;

use super::{
    cards,
    ledger::{CaptureResult, Ledger, UndoResult},
    opening,
    orders::{AUTHENTICATION_WINDOW, StepResult},
    refund_port,
    scenario::{ResponseMode, Scenario, ThreeDsStep, TransactionOutcome},
    simulated::Acquirer,
    three_ds,
    transaction::{Funds, HOLD_LIFE, Transaction, TransactionKey, TransactionKind, order_number},
};
use crate::{
    blocking::run_blocking,
    faults::{Fault, Target, visible_from},
};

#[async_trait]
impl CardProvider for Acquirer {
    fn needs_opening(&self, opening: &Opening) -> bool {
        opening.sale_reference.starts_with(opening::PREFIX)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        let now = self.clock.now();
        let scenario = opening::scenario(&opening.sale_reference);
        let Opening { attempt, payment, amount, itbis, .. } = opening;
        let card = CardSummary::default();
        self.submit(
            arriving(TransactionKind::Opening, (&attempt, &payment), (amount, itbis), card, now),
            scenario,
            None,
        )
        .await
    }

    fn supports_wallets(&self) -> bool {
        true
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.take(TransactionKind::Sale, charge).await
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        let take = move |ledger: &Ledger, attempt: &TransactionKey, now| {
            let Some(id) = reference.as_deref().map(order_number) else { return Ok(None) };
            let (step, status) = match step {
                AuthStep::MethodDone { .. } => (ThreeDsStep::Method, String::new()),
                AuthStep::ChallengeDone { result } => match three_ds::answered(&result, id) {
                    Some(status) => (ThreeDsStep::Challenge, status),
                    None => return Ok(None),
                },
            };
            let next = |scenario: &str| match step {
                ThreeDsStep::Method => three_ds::after_method(scenario),
                ThreeDsStep::Challenge => three_ds::after_challenge(scenario, &status),
            };
            ledger.authenticate((&attempt.account, id), step, now, next).map(Some)
        };
        let respond = |taken| match taken {
            Some(StepResult::Applied(it)) => self.reply(&it, ""),
            Some(StepResult::Repeated | StepResult::TooLate) => ambiguous(),
            None => refused(NotSubmitted::Rejected),
        };
        self.operate(&attempt_ref, take, respond).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(HOLD_LIFE)
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.take(TransactionKind::Hold, charge).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        let capture = move |ledger: &Ledger, attempt: &TransactionKey, now| ledger.capture(attempt, hold.amount, now);
        let respond = |captured| match captured {
            CaptureResult::By(reference) => response(CallOutcome::Approved, Some(reference)),
            CaptureResult::Refused(code) => response(CallOutcome::Declined(code), None),
            CaptureResult::NotCapturable => refused(NotSubmitted::Rejected),
        };
        self.operate(&hold.attempt, capture, respond).await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.operate(&hold.attempt, Ledger::void, undone).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let now = self.clock.now();
        let (ledger, attempt) = (Arc::clone(&self.ledger), TransactionKey::from(&attempt));
        match self.faults.take(Target::Acquirer) {
            None => {
                let found =
                    run_blocking(ledger.is_on_disk(), move || seen(ledger.find_charge(&attempt, now), now)).await;
                found.unwrap_or(LookUp::Unknown)
            }
            Some(Fault::VisibilityLag) => {
                ledger.hide(&attempt, visible_from(now));
                LookUp::NotFound
            }
            Some(_) => LookUp::Unknown,
        }
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.operate(&attempt, Ledger::reverse, undone).await
    }

    async fn refund_terms(&self, _account: &MerchantAccountId) -> RefundTerms {
        refund_port::TERMS
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        self.submit_refund(refund).await
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        self.look_up_return(refund).await
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.list_returns_of_day(account.as_str(), day).await.ok_or(ReturnsUnlisted)
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        if self.faults.take(Target::Acquirer).is_some() {
            return false;
        }
        let (ledger, account, token) = (Arc::clone(&self.ledger), account.as_str().to_owned(), card.clone());
        let forgotten = run_blocking(ledger.is_on_disk(), move || ledger.delete_card(&account, token.expose())).await;
        matches!(forgotten, Some(Ok(_)))
    }
}

/// Prefix of a simulated wallet payload: an extension of the sandbox, since no wallet protocol is known.
const WALLET: &str = "simulated:";

/// Returns the number of the card, or of the wallet's card.
fn number(of: &Instrument) -> &str {
    match of {
        Instrument::Card(card) => card.expose_number(),
        Instrument::Wallet(wallet) => wallet.payload.strip_prefix(WALLET).unwrap_or_default(),
        Instrument::StoredCard(_) => "",
    }
}

fn is_usable(instrument: &Instrument, now: DateTime<Utc>) -> bool {
    match instrument {
        Instrument::Card(card) => !card.is_expired(now),
        Instrument::Wallet(_) => Card::is_number(number(instrument)),
        Instrument::StoredCard(_) => true,
    }
}

impl Acquirer {
    /// Charges a card, or reserves funds on it.
    async fn take(&self, kind: TransactionKind, charge: Charge) -> ProviderResponse {
        let now = self.clock.now();
        let Charge { attempt, payment, amount, itbis, instrument, authentication, stores_card, .. } = charge;
        if amount.minor_units() <= 0 || itbis.currency() != amount.currency() || !is_usable(&instrument, now) {
            return refused(NotSubmitted::Rejected);
        }
        // The number of the card is not needed below.
        let Some((scenario, summary)) = self.known(&instrument, &attempt, amount) else {
            return refused(NotSubmitted::Rejected);
        };
        drop(instrument);
        let returns = authentication.map(|it| it.returns).filter(|_| self.issuer.is_some());
        let transaction = arriving(kind, (&attempt, &payment), (amount, itbis), summary, now);
        self.submit(Transaction { is_card_stored: stores_card, ..transaction }, scenario, returns).await
    }

    /// Returns the scenario of a charge and the summary of the card; `None` for an unknown stored card.
    fn known(&self, instrument: &Instrument, attempt: &AttemptRef, amount: Money) -> Option<(Scenario, CardSummary)> {
        match instrument {
            Instrument::Card(card) => Some((cards::scenario(card.expose_number(), amount), card.summary())),
            Instrument::Wallet(_) => Some((cards::scenario(number(instrument), amount), CardSummary::default())),
            Instrument::StoredCard(token) => {
                let stored = self.ledger.stored_card(attempt.account.as_str(), token.expose())?;
                Some((cards::stored_card_scenario(&stored.scenario), stored.card))
            }
        }
    }

    /// Runs an operation on an attempt, and returns its response unless a fault loses it.
    async fn operate<T: Send + 'static>(
        &self,
        attempt: &AttemptRef,
        operation: impl FnOnce(&Ledger, &TransactionKey, DateTime<Utc>) -> io::Result<T> + Send + 'static,
        respond: impl FnOnce(T) -> ProviderResponse,
    ) -> ProviderResponse {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let (ledger, attempt) = (Arc::clone(&self.ledger), TransactionKey::from(attempt));
        let done = run_blocking(ledger.is_on_disk(), move || {
            let done = operation(&ledger, &attempt, now);
            ledger.lag(fault, &attempt, now);
            done
        });
        match done.await {
            Some(Ok(done)) if fault.is_none() => respond(done),
            Some(Err(error)) => unwritten(&error),
            Some(Ok(_)) | None => ambiguous(),
        }
    }

    /// Records a submission, and returns the response of its scenario.
    ///
    /// The issuer requests 3-D Secure first if there are return addresses.
    async fn submit(
        &self,
        mut transaction: Transaction,
        scenario: Scenario,
        returns: Option<ReturnUrls>,
    ) -> ProviderResponse {
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let Scenario { name, outcome, response } = scenario;
        if response == ResponseMode::Refused {
            return refused(NotSubmitted::Rejected);
        }
        let first = cards::steps(&name).first().filter(|_| returns.is_some() && response == ResponseMode::Truthful);
        let outcome = first.map_or(outcome, |&step| TransactionOutcome::StepRequired(step));
        let notify = returns.map(|it| it.method).unwrap_or_default();
        transaction.scenario = name;
        transaction.outcome = outcome;
        if response == ResponseMode::Late || fault == Some(Fault::VisibilityLag) {
            transaction.visible_at = visible_from(transaction.received_at);
        }

        let (ledger, mut known) = (Arc::clone(&self.ledger), transaction.clone());
        let recorded = run_blocking(ledger.is_on_disk(), move || ledger.record(transaction)).await;
        match (recorded, response) {
            (Some(Err(error)), _) => unwritten(&error),
            (Some(Ok(reference)), ResponseMode::Truthful) if fault.is_none() => {
                known.reference = reference;
                self.reply(&known, &notify)
            }
            (Some(Ok(_)), ResponseMode::NotProcessed) if fault.is_none() => refused(NotSubmitted::Busy),
            _ => ambiguous(),
        }
    }

    /// Returns the truthful response.
    fn reply(&self, it: &Transaction, notify: &str) -> ProviderResponse {
        let outcome = match (it.outcome, &self.issuer) {
            (TransactionOutcome::Opened, _) => CallOutcome::Opened,
            (TransactionOutcome::Approved, _) => CallOutcome::Approved,
            (TransactionOutcome::Declined(code), _) => CallOutcome::Declined(code),
            (TransactionOutcome::StepRequired(step), Some(address)) => {
                CallOutcome::ActionRequired(three_ds::action(step, (address, order_number(&it.reference)), notify))
            }
            (TransactionOutcome::StepRequired(_), None) | (TransactionOutcome::NoEffect, _) => {
                return refused(NotSubmitted::Unavailable);
            }
        };
        let token = it.token().map(|it| CardToken::new(Zeroizing::new(it)));
        ProviderResponse { token, ..response(outcome, Some(it.reference.clone())) }
    }
}

/// A submission without an outcome yet.
fn arriving(
    kind: TransactionKind,
    (attempt, payment): (&AttemptRef, &PaymentId),
    amounts: (Money, Money),
    card: CardSummary,
    now: DateTime<Utc>,
) -> Transaction {
    Transaction {
        payment: payment.as_str().to_owned(),
        card,
        ..Transaction::new(kind, TransactionKey::from(attempt), amounts, now)
    }
}

/// Converts a transaction to the result of a look-up. Opened and undone transactions hold no money, for which the port
/// has no other result.
fn seen(transaction: Option<Transaction>, now: DateTime<Utc>) -> LookUp {
    match transaction {
        Some(Transaction { outcome: TransactionOutcome::StepRequired(_), received_at, .. }) => {
            let is_over = now.signed_duration_since(received_at) > AUTHENTICATION_WINDOW;
            if is_over { LookUp::Declined(DeclineCode::AuthenticationFailed) } else { LookUp::Unfinished }
        }
        Some(it) if it.kind == TransactionKind::Hold && it.outcome == TransactionOutcome::Approved => {
            match it.funds(now) {
                Funds::Held => LookUp::Held { amount: it.amount, reference: Some(it.reference) },
                Funds::Captured => LookUp::Captured { amount: it.amount, reference: Some(it.reference) },
                Funds::Gone | Funds::Never => LookUp::Gone,
            }
        }
        Some(Transaction {
            kind: TransactionKind::Opening | TransactionKind::Sale,
            outcome: TransactionOutcome::Approved,
            amount,
            reference,
            reversal: None,
            ..
        }) => LookUp::Approved { amount, reference: Some(reference) },
        Some(Transaction { outcome: TransactionOutcome::Declined(code), .. }) => LookUp::Declined(code),
        _ => LookUp::NotFound,
    }
}

/// Converts the result of a reversal or a void.
fn undone(result: UndoResult) -> ProviderResponse {
    match result {
        UndoResult::By(reference) => response(CallOutcome::Approved, Some(reference)),
        UndoResult::NotUndoable => refused(NotSubmitted::Rejected),
        UndoResult::ServerError | UndoResult::Silence => ambiguous(),
    }
}

const fn response(outcome: CallOutcome, reference: Option<String>) -> ProviderResponse {
    ProviderResponse { outcome, reference, token: None }
}

const fn refused(why: NotSubmitted) -> ProviderResponse {
    response(CallOutcome::NotSubmitted(why), None)
}

const fn ambiguous() -> ProviderResponse {
    response(CallOutcome::Ambiguous, None)
}

/// The journal may contain the entry: the next start resolves the state.
fn unwritten(error: &io::Error) -> ProviderResponse {
    tracing::error!(%error, "the acquirer's journal cannot be written");
    ambiguous()
}
