//! The acquirer behind the port of card providers.

use std::{io, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{Money, PaymentId, attempt::CardSummary};
use ports::{AttemptRef, CardProvider, Charge, Hold, LookUp, NotSubmitted, Opening, Outcome, ProviderAnswer};

use super::{
    Acquirer, cards,
    ledger::{Captured, Ledger, Undone},
    opening,
    script::{Script, Telling, Truth},
    transaction::{Funds, HOLD_LIFE, Kind, Named, Transaction},
};
use crate::{Fault, Target, late_from, undisturbed::undisturbed};

#[async_trait]
impl CardProvider for Acquirer {
    fn wants_opening(&self, opening: &Opening) -> bool {
        opening.sale_reference.starts_with(opening::PREFIX)
    }

    async fn open(&self, opening: Opening) -> ProviderAnswer {
        let now = self.clock.now();
        let script = opening::script(&opening.sale_reference);
        let Opening { attempt, payment, amount, itbis, .. } = opening;
        let card = CardSummary::default();
        self.carry_out(arriving(Kind::Opening, (&attempt, &payment), (amount, itbis), card, now), script).await
    }

    async fn charge(&self, charge: Charge) -> ProviderAnswer {
        self.take(Kind::Sale, charge).await
    }

    fn hold_life(&self) -> Option<TimeDelta> {
        Some(HOLD_LIFE)
    }

    async fn hold(&self, charge: Charge) -> ProviderAnswer {
        self.take(Kind::Hold, charge).await
    }

    async fn capture(&self, hold: Hold) -> ProviderAnswer {
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
            Some(Ok(Captured::By(reference))) => said(Outcome::Approved, Some(reference)),
            Some(Ok(Captured::Refused(code))) => said(Outcome::Declined(code), None),
            Some(Ok(Captured::Nothing)) => refused(NotSubmitted::Rejected),
            Some(Err(error)) => unwritten(&error),
            None => ambiguous(),
        }
    }

    async fn void(&self, hold: Hold) -> ProviderAnswer {
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

    async fn reverse(&self, attempt: AttemptRef) -> ProviderAnswer {
        self.give_back(attempt, Ledger::reverse).await
    }
}

impl Acquirer {
    /// Charges a card, or reserves funds on it.
    async fn take(&self, kind: Kind, charge: Charge) -> ProviderAnswer {
        let now = self.clock.now();
        let Charge { attempt, payment, amount, itbis, card, .. } = charge;
        if amount.minor_units() <= 0 || itbis.currency() != amount.currency() || card.is_expired(now) {
            return refused(NotSubmitted::Rejected);
        }
        // From here on nothing knows the card's number.
        let script = cards::script(card.expose_number(), amount);
        let summary = card.summary();
        drop(card);
        self.carry_out(arriving(kind, (&attempt, &payment), (amount, itbis), summary, now), script).await
    }

    /// Undoes what an attempt did.
    async fn give_back(
        &self,
        attempt: AttemptRef,
        undo: fn(&Ledger, &Named, DateTime<Utc>) -> io::Result<Undone>,
    ) -> ProviderAnswer {
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
            Some(Ok(Undone::By(reference))) => said(Outcome::Approved, Some(reference)),
            Some(Ok(Undone::Nothing)) => refused(NotSubmitted::Rejected),
            Some(Ok(Undone::Unheard)) => ambiguous(),
            Some(Err(error)) => unwritten(&error),
            None => ambiguous(),
        }
    }

    /// Remembers a submission, and says of it what its script wants said.
    async fn carry_out(&self, mut transaction: Transaction, script: Script) -> ProviderAnswer {
        let fault = self.faults.take(Target::Acquirer);
        if fault == Some(Fault::BeforeRequest) {
            return refused(NotSubmitted::Unavailable);
        }
        let Script { name, truth, telling } = script;
        if telling == Telling::Refused {
            return refused(NotSubmitted::Rejected);
        }
        transaction.scenario = name;
        transaction.truth = truth;
        if telling == Telling::Late || fault == Some(Fault::VisibilityLag) {
            transaction.visible_at = late_from(transaction.received_at);
        }

        let ledger = Arc::clone(&self.ledger);
        let recorded = undisturbed(ledger.is_on_disk(), move || ledger.record(transaction)).await;
        match (recorded, telling) {
            (Some(Err(error)), _) => unwritten(&error),
            (Some(Ok(reference)), Telling::Told) if fault.is_none() => told(truth, reference),
            (Some(Ok(_)), Telling::NotProcessed) if fault.is_none() => refused(NotSubmitted::Unavailable),
            _ => ambiguous(),
        }
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
    }
}

/// What a look-up says of what it sees. What was opened or undone holds no money, and there is no
/// other word for that.
fn seen(transaction: Option<Transaction>, now: DateTime<Utc>) -> LookUp {
    match transaction {
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

fn told(truth: Truth, reference: String) -> ProviderAnswer {
    match truth {
        Truth::Opened => said(Outcome::Opened, Some(reference)),
        Truth::Approved => said(Outcome::Approved, Some(reference)),
        Truth::Declined(code) => said(Outcome::Declined(code), Some(reference)),
        Truth::Asked(_) | Truth::Nothing => refused(NotSubmitted::Unavailable),
    }
}

const fn said(outcome: Outcome, reference: Option<String>) -> ProviderAnswer {
    ProviderAnswer { outcome, reference }
}

const fn refused(why: NotSubmitted) -> ProviderAnswer {
    said(Outcome::NotSubmitted(why), None)
}

const fn ambiguous() -> ProviderAnswer {
    said(Outcome::Ambiguous, None)
}

/// The journal may or may not hold it: a restart will tell.
fn unwritten(error: &io::Error) -> ProviderAnswer {
    tracing::error!(%error, "the acquirer's journal cannot be written");
    ambiguous()
}
