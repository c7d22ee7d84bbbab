//! The acquirer behind the port of card providers.

use std::{io, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{Card, MerchantAccountId, Money, PaymentId, attempt::CardSummary, payment::DeclineCode};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Hold, Instrument, LookUp, NotSubmitted,
    Opening, ProviderResponse, ReturnUrls,
};
use zeroize::Zeroizing;

use super::{
    Acquirer, cards,
    ledger::{Captured, Ledger, Undone, order},
    opening,
    orders::{AUTHENTICATION_WINDOW, Authenticated},
    script::{Script, Step, Telling, Truth},
    secure,
    transaction::{Funds, HOLD_LIFE, Kind, Named, Transaction},
};
use crate::{Fault, Target, late_from, undisturbed::undisturbed};

#[async_trait]
impl CardProvider for Acquirer {
    fn needs_opening(&self, opening: &Opening) -> bool {
        opening.sale_reference.starts_with(opening::PREFIX)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        let now = self.clock.now();
        let script = opening::script(&opening.sale_reference);
        let Opening { attempt, payment, amount, itbis, .. } = opening;
        let card = CardSummary::default();
        self.carry_out(arriving(Kind::Opening, (&attempt, &payment), (amount, itbis), card, now), script, None).await
    }

    fn supports_wallets(&self) -> bool {
        true
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.take(Kind::Sale, charge).await
    }

    async fn continue_authentication(
        &self,
        of: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let Some(reference) = reference else { return refused(NotSubmitted::Rejected) };
        let id = order(&reference).to_owned();
        let (step, status) = match step {
            AuthStep::MethodDone { .. } => (Step::Method, String::new()),
            AuthStep::ChallengeDone { result } => match secure::answered(&result, &id) {
                Some(status) => (Step::Challenge, status),
                None => return refused(NotSubmitted::Rejected),
            },
        };
        let (ledger, attempt) = (Arc::clone(&self.ledger), Named::from(&of));
        let done = undisturbed(ledger.is_on_disk(), move || {
            let next = |scenario: &str| match step {
                Step::Method => secure::after_method(scenario),
                Step::Challenge => secure::after_challenge(scenario, &status),
            };
            let done = ledger.authenticate((&attempt.account, &id), step, now, next);
            ledger.lag(fault, &attempt, now);
            done
        });
        match done.await {
            Some(Ok(_)) if fault.is_some() => ambiguous(),
            Some(Ok(Authenticated::As(it))) => self.told(&it, ""),
            Some(Ok(Authenticated::Repeated | Authenticated::TooLate)) | None => ambiguous(),
            Some(Err(error)) => unwritten(&error),
        }
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(HOLD_LIFE)
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.take(Kind::Hold, charge).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let ledger = Arc::clone(&self.ledger);
        let (attempt, amount) = (Named::from(&hold.attempt), hold.amount);
        let captured = undisturbed(ledger.is_on_disk(), move || {
            let captured = ledger.capture(&attempt, amount, now);
            ledger.lag(fault, &attempt, now);
            captured
        });
        match captured.await {
            Some(Ok(_)) if fault.is_some() => ambiguous(),
            Some(Ok(Captured::By(reference))) => said(CallOutcome::Approved, Some(reference)),
            Some(Ok(Captured::Refused(code))) => said(CallOutcome::Declined(code), None),
            Some(Ok(Captured::Nothing)) => refused(NotSubmitted::Rejected),
            Some(Err(error)) => unwritten(&error),
            None => ambiguous(),
        }
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.give_back(hold.attempt, Ledger::void).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let now = self.clock.now();
        let (ledger, attempt) = (Arc::clone(&self.ledger), Named::from(&attempt));
        match self.faults.take(Target::Acquirer) {
            None => {
                let found = undisturbed(ledger.is_on_disk(), move || seen(ledger.find(&attempt, now), now)).await;
                found.unwrap_or(LookUp::Unknown)
            }
            Some(Fault::VisibilityLag) => {
                ledger.hide(&attempt, late_from(now));
                LookUp::NotFound
            }
            Some(_) => LookUp::Unknown,
        }
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.give_back(attempt, Ledger::reverse).await
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        if self.faults.take(Target::Acquirer).is_some() {
            return false;
        }
        let (ledger, account, token) = (Arc::clone(&self.ledger), account.as_str().to_owned(), card.clone());
        let forgotten = undisturbed(ledger.is_on_disk(), move || ledger.forget(&account, token.expose())).await;
        matches!(forgotten, Some(Ok(_)))
    }
}

/// What a wallet says here in place of a card: an extension of ours, since no protocol of a wallet is known.
const WALLET: &str = "simulated:";

/// The number of a card, or the one that a wallet stands for.
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
    async fn take(&self, kind: Kind, charge: Charge) -> ProviderResponse {
        let now = self.clock.now();
        let Charge { attempt, payment, amount, itbis, instrument, authentication, stores_card, .. } = charge;
        if amount.minor_units() <= 0 || itbis.currency() != amount.currency() || !is_usable(&instrument, now) {
            return refused(NotSubmitted::Rejected);
        }
        // From here on nothing knows the card's number.
        let Some((script, summary)) = self.known(&instrument, &attempt, amount) else {
            return refused(NotSubmitted::Rejected);
        };
        drop(instrument);
        let returns = authentication.map(|it| it.returns).filter(|_| self.issuer.is_some());
        let transaction = arriving(kind, (&attempt, &payment), (amount, itbis), summary, now);
        self.carry_out(Transaction { is_kept: stores_card, ..transaction }, script, returns).await
    }

    /// What becomes of a charge, and all that is known of its card; `None` if no such card is kept.
    fn known(&self, instrument: &Instrument, attempt: &AttemptRef, amount: Money) -> Option<(Script, CardSummary)> {
        match instrument {
            Instrument::Card(card) => Some((cards::script(card.expose_number(), amount), card.summary())),
            Instrument::Wallet(_) => Some((cards::script(number(instrument), amount), CardSummary::default())),
            Instrument::StoredCard(token) => {
                let kept = self.ledger.kept(attempt.account.as_str(), token.expose())?;
                Some((cards::kept(&kept.scenario), kept.card))
            }
        }
    }

    /// Undoes what an attempt did.
    async fn give_back(
        &self,
        attempt: AttemptRef,
        undo: fn(&Ledger, &Named, DateTime<Utc>) -> io::Result<Undone>,
    ) -> ProviderResponse {
        let now = self.clock.now();
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let (ledger, attempt) = (Arc::clone(&self.ledger), Named::from(&attempt));
        let undone = undisturbed(ledger.is_on_disk(), move || {
            let undone = undo(&ledger, &attempt, now);
            ledger.lag(fault, &attempt, now);
            undone
        });
        match undone.await {
            Some(Ok(_)) if fault.is_some() => ambiguous(),
            Some(Ok(Undone::By(reference))) => said(CallOutcome::Approved, Some(reference)),
            Some(Ok(Undone::Nothing)) => refused(NotSubmitted::Rejected),
            Some(Ok(Undone::Unheard)) => ambiguous(),
            Some(Err(error)) => unwritten(&error),
            None => ambiguous(),
        }
    }

    /// Remembers a submission, and says of it what its script wants said.
    ///
    /// Its issuer asks for 3-D Secure first where there is somewhere to return to.
    async fn carry_out(
        &self,
        mut transaction: Transaction,
        script: Script,
        returns: Option<ReturnUrls>,
    ) -> ProviderResponse {
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let Script { name, truth, telling } = script;
        if telling == Telling::Refused {
            return refused(NotSubmitted::Rejected);
        }
        let first = cards::steps(&name).first().filter(|_| returns.is_some() && telling == Telling::Told);
        let truth = first.map_or(truth, |&step| Truth::Asked(step));
        let notify = returns.map(|it| it.method).unwrap_or_default();
        transaction.scenario = name;
        transaction.truth = truth;
        if telling == Telling::Late || fault == Some(Fault::VisibilityLag) {
            transaction.visible_at = late_from(transaction.received_at);
        }

        let (ledger, mut known) = (Arc::clone(&self.ledger), transaction.clone());
        let recorded = undisturbed(ledger.is_on_disk(), move || ledger.record(transaction)).await;
        match (recorded, telling) {
            (Some(Err(error)), _) => unwritten(&error),
            (Some(Ok(reference)), Telling::Told) if fault.is_none() => {
                known.reference = reference;
                self.told(&known, &notify)
            }
            (Some(Ok(_)), Telling::NotProcessed) if fault.is_none() => refused(NotSubmitted::Busy),
            _ => ambiguous(),
        }
    }

    /// What is said of the truth.
    fn told(&self, it: &Transaction, notify: &str) -> ProviderResponse {
        let outcome = match (it.truth, &self.issuer) {
            (Truth::Opened, _) => CallOutcome::Opened,
            (Truth::Approved, _) => CallOutcome::Approved,
            (Truth::Declined(code), _) => CallOutcome::Declined(code),
            (Truth::Asked(step), Some(address)) => {
                CallOutcome::ActionRequired(secure::action(step, (address, order(&it.reference)), notify))
            }
            (Truth::Asked(_), None) | (Truth::Nothing, _) => return refused(NotSubmitted::Unavailable),
        };
        let token = it.token().map(|it| CardToken::new(Zeroizing::new(it)));
        ProviderResponse { token, ..said(outcome, Some(it.reference.clone())) }
    }
}

/// A submission of which nothing is decided yet.
fn arriving(
    kind: Kind,
    (attempt, payment): (&AttemptRef, &PaymentId),
    (amount, itbis): (Money, Money),
    card: CardSummary,
    now: DateTime<Utc>,
) -> Transaction {
    Transaction {
        kind,
        named: Named::from(attempt),
        payment: payment.as_str().to_owned(),
        of: None,
        amount,
        itbis,
        card,
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

/// What a look-up says of what it sees. What was opened or undone holds no money, and there is no
/// other word for that.
fn seen(transaction: Option<Transaction>, now: DateTime<Utc>) -> LookUp {
    match transaction {
        Some(Transaction { truth: Truth::Asked(_), received_at, .. }) => {
            let is_over = now.signed_duration_since(received_at) > AUTHENTICATION_WINDOW;
            if is_over { LookUp::Declined(DeclineCode::AuthenticationFailed) } else { LookUp::Unfinished }
        }
        Some(it) if it.kind == Kind::Hold && it.truth == Truth::Approved => match it.funds(now) {
            Funds::Held => LookUp::Held { amount: it.amount, reference: Some(it.reference) },
            Funds::Captured => LookUp::Captured { amount: it.amount, reference: Some(it.reference) },
            Funds::Gone | Funds::Never => LookUp::Gone,
        },
        Some(Transaction {
            kind: Kind::Opening | Kind::Sale,
            truth: Truth::Approved,
            amount,
            reference,
            reversal: None,
            ..
        }) => LookUp::Approved { amount, reference: Some(reference) },
        Some(Transaction { truth: Truth::Declined(code), .. }) => LookUp::Declined(code),
        _ => LookUp::NotFound,
    }
}

const fn said(outcome: CallOutcome, reference: Option<String>) -> ProviderResponse {
    ProviderResponse { outcome, reference, token: None }
}

const fn refused(why: NotSubmitted) -> ProviderResponse {
    said(CallOutcome::NotSubmitted(why), None)
}

const fn ambiguous() -> ProviderResponse {
    said(CallOutcome::Ambiguous, None)
}

/// The journal may or may not hold it: a restart will tell.
fn unwritten(error: &io::Error) -> ProviderResponse {
    tracing::error!(%error, "the acquirer's journal cannot be written");
    ambiguous()
}
