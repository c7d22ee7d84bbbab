//! Payments and their commands.

mod challenge;
mod decline;
mod lifecycle;
mod orphan;
mod refund_totals;
mod settle;
mod shared;
mod stage;
mod verification;

pub use challenge::{Action, AuthReturn, Challenge, Challenged};
pub use decline::{Decline, DeclineCode};
pub use lifecycle::{PaymentStatus, Trigger, next};
pub use orphan::{OrphanFinding, OrphanStage, OrphanedAttempt, ReversalReason};
pub use refund_totals::RefundTotals;
pub use settle::{AttemptFinding, ProviderOutcome};
pub use stage::{PendingAttempt, Stage};
pub use verification::Verification;

use chrono::{DateTime, Utc};

use crate::{
    AttemptId, CheckoutReference, Conflict, Event, EventKind, FiscalDocumentId, InvalidRequest, MerchantAccountId,
    MerchantId, Mode, Money, PaymentId, Refusal, Symbols,
    account::Provider,
    attempt::CardSummary,
    fiscal::Breakdown,
    merchant::CheckoutDisplay,
    money::AmountLimits,
    text::{BoundedText, Prose, WebUrl},
};

/// Payment of one sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The fixed facts.
    pub facts: PaymentFacts,
    // Only `step` changes the stage, so that every change is an edge of `next`. The parts of a split have a `next` of
    // their own.
    state: PaymentState,
}

/// Facts that are fixed when a payment is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentFacts {
    /// The identifier.
    pub id: PaymentId,
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The account.
    pub account: MerchantAccountId,
    /// Provider of the account.
    pub provider: Provider,
    /// The fiscal document.
    pub document: FiscalDocumentId,
    /// Amount of the sale.
    pub amount: Money,
    /// Net sums, taxes and tips of the amount.
    pub breakdown: Breakdown,
    /// The merchant's own reference.
    pub sale_reference: BoundedText<1, 128>,
    /// URL of the link back to the merchant, shown after the payment.
    pub return_url: Option<WebUrl>,
    /// Label of the context, such as a table.
    pub service_label: Option<BoundedText<0, 24>>,
    /// Short description.
    pub description: Option<BoundedText<1, 80>>,
    /// The merchant's own notes, in the order sent.
    pub metadata: Option<Vec<(String, Prose)>>,
    /// How the checkout presents the sale.
    pub display: CheckoutDisplay,
    /// Secret reference that gives access to the receipt.
    pub checkout_reference: CheckoutReference,
    /// The secret in the address of the checkout page.
    pub checkout_link: Symbols,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// State of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentState {
    /// The payer's own tip, charged and outside the fiscal document.
    pub voluntary_tip: Money,
    /// End of the payment's own window; a split has its own.
    pub expires_at: DateTime<Utc>,
    /// The card last submitted.
    pub method: Option<CardSummary>,
    /// Number of submitted cards.
    pub attempts: u32,
    /// Number of cards that provably did not reach the provider. They do not count as tries.
    pub not_submitted: u32,
    /// The stage.
    pub stage: Stage,
    /// Orphaned attempts: their outcome was unknown when the payment continued.
    pub orphans: Vec<OrphanedAttempt>,
    /// Sums of the refunds.
    pub refunds: RefundTotals,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Number of changes.
    pub version: u32,
}

impl Payment {
    /// Maximum number of tries of a payer.
    pub const MAX_TRIES: u32 = 5;

    /// Opens a payment that waits for its customer until `expires_at`.
    pub fn open(facts: PaymentFacts, expires_at: DateTime<Utc>) -> Self {
        let state = PaymentState {
            voluntary_tip: Money::zero(facts.amount.currency()),
            expires_at,
            method: None,
            attempts: 0,
            not_submitted: 0,
            stage: Stage::RequiresCustomerAction(None),
            orphans: Vec::new(),
            refunds: RefundTotals::default(),
            updated_at: facts.created_at,
            version: 0,
        };
        Self { facts, state }
    }

    /// Rebuilds a payment from storage.
    pub const fn restore(facts: PaymentFacts, state: PaymentState) -> Self {
        Self { facts, state }
    }

    /// Returns the state.
    pub const fn state(&self) -> &PaymentState {
        &self.state
    }

    /// Returns the stage with its facts.
    pub const fn stage(&self) -> &Stage {
        &self.state.stage
    }

    /// Returns the published status.
    pub fn status(&self) -> PaymentStatus {
        self.state.stage.status()
    }

    /// Returns the end of the window.
    pub const fn expires_at(&self) -> DateTime<Utc> {
        match &self.state.stage {
            Stage::Split(split) => split.expires_at(),
            _ => self.state.expires_at,
        }
    }

    /// Returns the number of changes.
    pub const fn version(&self) -> u32 {
        self.state.version
    }

    /// Returns the charged total: the amount and the voluntary tip.
    pub fn total_amount(&self) -> Money {
        // The sum was checked when the tip was set.
        self.facts.amount.checked_add(self.state.voluntary_tip).unwrap_or(self.facts.amount)
    }

    /// Whether a payer may still act at `now`: the fiscal choice and the card are open.
    pub fn is_editable(&self, now: DateTime<Utc>) -> bool {
        now < self.expires_at()
            && match &self.state.stage {
                Stage::Split(split) => !split.state().is_window_over && split.is_untouched(),
                Stage::RequiresCustomerAction(challenge) => challenge.is_none(),
                Stage::Declined { decline, .. } => decline.can_try_again,
                _ => false,
            }
    }

    /// Whether no money can move any more, unless an expired split is renewed.
    pub fn is_terminal(&self) -> bool {
        match &self.state.stage {
            Stage::Split(split) => split.is_terminal(),
            Stage::Succeeded { .. } | Stage::Canceled { .. } | Stage::Expired { .. } => true,
            Stage::Declined { decline, .. } => !decline.can_try_again,
            Stage::RequiresCustomerAction(_) | Stage::Processing(_) | Stage::Verifying(_) => false,
        }
    }

    /// Returns the time since which no money moves; `None` while money may move. A declined payment that can be paid
    /// again has not ended.
    pub fn ended_at(&self) -> Option<DateTime<Utc>> {
        match &self.state.stage {
            _ if !self.is_terminal() => None,
            Stage::Split(split) => split.ended_at(),
            Stage::Succeeded { at } | Stage::Declined { at, .. } | Stage::Canceled { at } | Stage::Expired { at } => {
                Some(*at)
            }
            Stage::RequiresCustomerAction(_) | Stage::Processing(_) | Stage::Verifying(_) => None,
        }
    }

    /// Records the sums of the refunds. [`Balance`](crate::refund::Balance) checks them.
    pub(crate) fn set_refunds(&mut self, totals: RefundTotals, now: DateTime<Utc>) {
        self.state.refunds = totals;
        self.touch(now);
    }

    /// Whether the payment is finally paid in part: some payers' money was captured, no document will be issued, and
    /// an operator decides.
    pub fn is_left_in_part(&self) -> bool {
        self.status() == PaymentStatus::PartiallyPaid && self.is_terminal()
    }

    /// Whether an attempt is with the provider, with the issuer's page, or in doubt.
    pub fn is_in_flight(&self) -> bool {
        match &self.state.stage {
            Stage::Split(split) => split.parts().iter().any(|it| it.stage().attempt().is_some()),
            stage => stage.attempt().is_some(),
        }
    }

    /// Returns the time when a worker must process the payment.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        let orphans = self.state.orphans.iter().map(|orphan| orphan.progress.next_check_at);
        orphans.chain(self.stage_due_at()).min()
    }

    /// When the payment is due for another reason than an orphaned attempt.
    pub fn stage_due_at(&self) -> Option<DateTime<Utc>> {
        match &self.state.stage {
            Stage::Split(split) => split.due_at(),
            Stage::RequiresCustomerAction(Some(it)) => Some(it.challenge.expires_at),
            Stage::RequiresCustomerAction(None) => Some(self.state.expires_at),
            // Due at once, but leased by the submitting request: a worker processes the payment only after that lease.
            Stage::Processing(submission) => Some(submission.since),
            Stage::Verifying(verification) => Some(verification.next_check_at),
            Stage::Declined { decline, .. } if decline.can_try_again => Some(self.state.expires_at),
            Stage::Succeeded { .. } | Stage::Declined { .. } | Stage::Canceled { .. } | Stage::Expired { .. } => None,
        }
    }

    /// Submits a card. Commit this before the call to the provider.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the present state: in doubt, in progress, closed, or finally declined.
    pub fn submit(&mut self, attempt: AttemptId, card: CardSummary, now: DateTime<Utc>) -> Result<Event, Conflict> {
        match &self.state.stage {
            Stage::Split(split) if split.takes_no_card(now) => return Err(Conflict::CheckoutWindowClosed),
            Stage::Split(_) => return Err(Conflict::PaymentSplitPartRequired),
            Stage::RequiresCustomerAction(Some(_)) => return Err(Conflict::PaymentMethodAlreadyInProgress),
            Stage::RequiresCustomerAction(None) | Stage::Declined { .. } if now >= self.state.expires_at => {
                return Err(Conflict::CheckoutWindowClosed);
            }
            Stage::Declined { decline, .. } if !decline.can_try_again => return Err(Conflict::DeclineNotRetryable),
            _ => {}
        }
        let event = self.begin(attempt, now)?;
        self.state.method = Some(card);
        self.state.attempts = self.state.attempts.saturating_add(1);
        Ok(event)
    }

    /// Begins the provider's opening call. Commit this before the call.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of the lifecycle, unless the payment is new.
    pub fn ask_to_open(&mut self, attempt: AttemptId, now: DateTime<Utc>) -> Result<(), Conflict> {
        self.begin(attempt, now).map(drop)
    }

    /// Sets the voluntary tip, at most the amount.
    ///
    /// There is no event: the status stays.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest::AmountAboveMaximum`], or the [`Conflict`] of a payment that is in doubt, in flight, closed or
    /// finished.
    pub fn set_voluntary_tip(&mut self, tip: Money, limits: &AmountLimits, now: DateTime<Utc>) -> Result<(), Refusal> {
        let total = self.facts.amount.checked_add(tip);
        let is_within =
            tip.minor_units() <= self.facts.amount.minor_units() && total.is_some_and(|it| limits.check(it).is_ok());
        if !is_within {
            let rule = format!(
                "A tip may be as much as the amount, {}, and both together {}.",
                self.facts.amount,
                limits.in_words(self.facts.amount.currency())
            );
            return Err(Refusal::at(InvalidRequest::AmountAboveMaximum, "amount.minorUnits").with_message(rule));
        }
        match &self.state.stage {
            Stage::Split(_) => return Err(self.tip_of_split(now).into()),
            Stage::Verifying(_) => return Err(Conflict::PaymentAwaitingVerification.into()),
            Stage::Processing(_) | Stage::RequiresCustomerAction(Some(_)) => {
                return Err(Conflict::PaymentMethodAlreadyInProgress.into());
            }
            Stage::Canceled { .. } | Stage::Expired { .. } => return Err(Conflict::CheckoutWindowClosed.into()),
            Stage::RequiresCustomerAction(None) | Stage::Declined { .. } if now >= self.state.expires_at => {
                return Err(Conflict::CheckoutWindowClosed.into());
            }
            _ if !self.is_editable(now) => return Err(Conflict::PaymentNotEditable.into()),
            _ => {}
        }
        if self.state.voluntary_tip != tip {
            self.state.voluntary_tip = tip;
            self.touch(now);
        }
        Ok(())
    }

    /// Records that the payer or the merchant chose another document.
    ///
    /// A card that is submitted at the same time was checked with the previous document, and the choice was checked
    /// without the card. Both change the payment, so the slower commit is stale and is decided again.
    pub(crate) fn document_changed(&mut self, now: DateTime<Utc>) {
        self.touch(now);
    }

    /// The merchant cancels the sale.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] while a card is in flight or in doubt, and once the payment is finished.
    pub fn cancel(&mut self, now: DateTime<Utc>) -> Result<Event, Conflict> {
        match &self.state.stage {
            Stage::RequiresCustomerAction(Some(_)) => return Err(Conflict::PaymentMethodAlreadyInProgress),
            Stage::Declined { decline, .. } if !decline.can_try_again => return Err(Conflict::PaymentNotEditable),
            _ => {}
        }
        self.step(Trigger::Canceled, Stage::Canceled { at: now }, now)
    }

    /// Expires the payment after its window. Has no effect while a card is in flight, or before the end of the window.
    pub fn expire(&mut self, now: DateTime<Utc>) -> Option<Event> {
        if now < self.state.expires_at {
            return None;
        }
        match &self.state.stage {
            Stage::RequiresCustomerAction(None) => {}
            Stage::Declined { decline, .. } if decline.can_try_again => {}
            _ => return None,
        }
        self.step(Trigger::WindowClosed, Stage::Expired { at: now }, now).ok()
    }

    fn begin(&mut self, attempt: AttemptId, now: DateTime<Utc>) -> Result<Event, Conflict> {
        let before = match &self.state.stage {
            Stage::Declined { decline, .. } => Some(*decline),
            _ => None,
        };
        self.step(Trigger::Submitted, Stage::Processing(PendingAttempt { attempt, since: now, before }), now)
    }

    /// The only writer of the stage.
    fn step(&mut self, on: Trigger, to: Stage, now: DateTime<Utc>) -> Result<Event, Conflict> {
        if let Stage::Split(_) = self.state.stage {
            // The commands of one payer do not apply to a split.
            return Err(Conflict::PaymentNotEditable);
        }
        let from = self.status();
        let status = next(from, on)?;
        assert_eq!(status, to.status(), "the stage of {on:?} contradicts the lifecycle");
        self.set_stage(to, now);
        Ok(Event::with_previous_status(event_of(status), from.as_str()))
    }

    fn set_stage(&mut self, stage: Stage, now: DateTime<Utc>) {
        self.state.stage = stage;
        self.touch(now);
    }

    const fn touch(&mut self, now: DateTime<Utc>) {
        self.state.updated_at = now;
        self.state.version = self.state.version.saturating_add(1);
    }
}

/// Returns the event of the new status.
const fn event_of(status: PaymentStatus) -> EventKind {
    match status {
        PaymentStatus::RequiresCustomerAction => EventKind::PaymentRequiresCustomerAction,
        PaymentStatus::Processing => EventKind::PaymentProcessing,
        PaymentStatus::PartiallyAuthorized => EventKind::PaymentPartiallyAuthorized,
        PaymentStatus::Authorized => EventKind::PaymentAuthorized,
        PaymentStatus::Capturing => EventKind::PaymentCapturing,
        PaymentStatus::PartiallyPaid => EventKind::PaymentPartiallyPaid,
        PaymentStatus::Releasing => EventKind::PaymentReleasing,
        PaymentStatus::Verifying => EventKind::PaymentVerifying,
        PaymentStatus::Succeeded => EventKind::PaymentSucceeded,
        PaymentStatus::Declined => EventKind::PaymentDeclined,
        PaymentStatus::Canceled => EventKind::PaymentCanceled,
        PaymentStatus::Expired => EventKind::PaymentExpired,
    }
}
