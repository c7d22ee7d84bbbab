//! Refunds: fixed facts, state, and the published values that follow from them.

use chrono::{DateTime, NaiveDate, Utc};

use super::{
    AcquirerReference, ChargeOrdinal, CreditNote, FoundAmounts, Leg, LegStage, LegStatus, LineCredit, PlannedLeg,
    RefundAmounts, RefundFailureCode, RefundOrigin, RefundPlan, RefundReason, RefundScope, RefundSettlement,
    RefundStatus, Retryable, ReturnedMoney, event::entering, lines::unnoted, refund_status,
};
use crate::{
    Currency, Event, EventKind, FiscalDocument, MerchantAccountId, MerchantId, Mode, PaymentId, RefundId,
    attempt::CardSummary,
    fiscal::{NoteText, is_late, local_date},
    split::Reconciliation,
    text::{BoundedText, Prose},
};

/// Decision of a merchant to return money, or money that was found at the acquirer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// The fixed facts.
    pub facts: RefundFacts,
    pub(super) state: RefundState,
}

/// Facts that are fixed when a refund is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundFacts {
    /// The identifier.
    pub id: RefundId,
    /// The payment.
    pub payment: PaymentId,
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The account.
    pub account: MerchantAccountId,
    /// Currency of the payment.
    pub currency: Currency,
    /// Origin.
    pub origin: RefundOrigin,
    /// How the money moves.
    pub settlement: RefundSettlement,
    /// The merchant's reference of a settlement outside.
    pub settlement_reference: Option<BoundedText<1, 64>>,
    /// The merchant's own reference of the refund.
    pub refund_reference: Option<BoundedText<1, 128>>,
    /// The retried refund.
    pub retried: Option<RefundId>,
    /// The merchant's own notes, in the order sent.
    pub metadata: Option<Vec<(String, Prose)>>,
    /// Day of issue of the sale's document (`FechaEmision`) at the time of creation; `None` if it had none.
    pub original_issued_on: Option<NaiveDate>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// Purpose of a refund, which the credit note states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPurpose {
    /// The reason.
    pub reason: RefundReason,
    /// Text for the credit note, instead of that of the reason.
    pub description: Option<NoteText>,
}

impl From<RefundReason> for RefundPurpose {
    fn from(reason: RefundReason) -> Self {
        Self { reason, description: None }
    }
}

/// State of a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundState {
    /// Part of the sale; `None` exactly while the refund is unattributed.
    pub scope: Option<RefundScope>,
    /// Reason; `None` exactly while the refund is unattributed.
    pub reason: Option<RefundReason>,
    /// Text for the credit note, instead of that of the reason.
    pub description: Option<NoteText>,
    /// Requested money.
    pub requested: RefundAmounts,
    /// Sum of all legs: `requested`, and for found money the amount beyond the charge.
    pub total: i64,
    /// Undocumented money, see the glossary, before this refund.
    pub undocumented: i64,
    /// Planned credits.
    pub planned: Vec<LineCredit>,
    /// Planned note while legs are open, then the final one.
    pub note: Option<CreditNote>,
    /// Legs by ordinal.
    pub legs: Vec<Leg>,
    /// When the last leg ended, with the final note.
    pub ended_at: Option<DateTime<Utc>>,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Number of changes.
    pub version: u32,
}

impl Refund {
    /// Begins a planned refund. Money outside the acquirer counts as returned at once. `card_of` returns the card of a
    /// charge.
    pub fn begin(
        facts: RefundFacts,
        plan: RefundPlan,
        purpose: RefundPurpose,
        card_of: impl Fn(ChargeOrdinal) -> Option<CardSummary>,
    ) -> (Self, Vec<Event>) {
        let now = facts.created_at;
        let leg = |planned: PlannedLeg| match plan.settlement {
            RefundSettlement::Acquirer => Leg::due(planned, card_of(planned.ordinal), now),
            RefundSettlement::Outside => Leg::returned(planned, card_of(planned.ordinal), None, now),
        };
        let legs = plan.legs.iter().copied().map(leg).collect();
        let total = plan.requested.total().unwrap_or_default();
        let mut state = RefundState::unattributed(total, legs, now);
        state.ended_at = (plan.settlement == RefundSettlement::Outside).then_some(now);
        state.apply_plan(plan, purpose);
        let refund = Self { facts, state };
        let mut events = vec![Event::new(EventKind::RefundCreated)];
        events.extend(entering(None, refund.status()));
        (refund, events)
    }

    /// Records money that was found at the acquirer. `attributed` are the plan and the purpose if no merchant needs to
    /// attribute the money.
    pub fn found(
        facts: RefundFacts,
        found: FoundAmounts,
        reference: AcquirerReference,
        card: Option<CardSummary>,
        attributed: Option<(RefundPlan, RefundPurpose)>,
    ) -> (Self, Vec<Event>) {
        let now = facts.created_at;
        let planned = PlannedLeg { ordinal: found.ordinal, amount: found.total, itbis: 0, method: found.method };
        let legs = vec![Leg::returned(planned, card, Some(reference), now)];
        let requested = RefundAmounts { amount: found.attributable(), voluntary_tip: 0 };
        let state = RefundState { requested, ..RefundState::unattributed(found.total, legs, now) };
        let mut refund = Self { facts, state };
        let mut events = vec![Event::new(EventKind::RefundFoundAtProvider)];
        if let Some((plan, purpose)) = attributed {
            refund.attribute(plan, purpose, now);
            events.extend(entering(None, refund.status()));
        }
        events.extend((found.excess > 0).then(|| Event::new(EventKind::RefundOverReturned)));
        (refund, events)
    }

    /// Returns the found money of a refund of origin `provider`.
    pub fn found_amounts(&self) -> Option<FoundAmounts> {
        let leg = self.legs().first().filter(|_| self.facts.origin == RefundOrigin::Provider)?;
        let excess = self.state.total.saturating_sub(self.state.requested.total()?);
        Some(FoundAmounts { ordinal: leg.ordinal, total: leg.amount, excess, method: leg.state().method })
    }

    /// Attributes found money by a plan, and ends the refund.
    pub fn attribute(&mut self, plan: RefundPlan, purpose: RefundPurpose, now: DateTime<Utc>) -> Option<Event> {
        let before = self.status();
        let legs = self.state.legs.iter_mut().zip(&plan.legs);
        legs.for_each(|(leg, planned)| leg.allocate_itbis(planned.itbis));
        self.state.apply_plan(plan, purpose);
        self.state.ended_at = Some(now);
        self.touch(now);
        entering(Some(before), self.status())
    }

    /// Rebuilds a refund from storage.
    pub const fn restore(facts: RefundFacts, state: RefundState) -> Self {
        Self { facts, state }
    }

    /// Returns the state.
    pub const fn state(&self) -> &RefundState {
        &self.state
    }

    /// Returns the legs by ordinal.
    pub fn legs(&self) -> &[Leg] {
        &self.state.legs
    }

    /// Returns the leg of a charge.
    pub fn leg(&self, ordinal: ChargeOrdinal) -> Option<&Leg> {
        self.legs().iter().find(|leg| leg.ordinal == ordinal)
    }

    pub(super) fn leg_mut(&mut self, ordinal: ChargeOrdinal) -> Option<&mut Leg> {
        self.state.legs.iter_mut().find(|leg| leg.ordinal == ordinal)
    }

    /// Returns the published status.
    pub fn status(&self) -> RefundStatus {
        let legs: Vec<LegStatus> = self.legs().iter().map(Leg::status).collect();
        refund_status(self.facts.origin, self.state.scope, &legs)
    }

    /// Returns the money of the succeeded legs.
    pub fn returned(&self) -> ReturnedMoney {
        let succeeded = self.legs().iter().filter(|leg| leg.status() == LegStatus::Succeeded);
        let total = succeeded.fold(0_i64, |sum, leg| sum.saturating_add(leg.amount));
        ReturnedMoney { amounts: self.state.requested.in_returned(total), total }
    }

    /// Whether no leg was submitted to the acquirer. A void that was refused before has moved no money.
    pub fn is_unsubmitted(&self) -> bool {
        self.legs().iter().all(|leg| leg.failure() == Some(RefundFailureCode::NotSubmitted))
    }

    /// Returns the failure of the lowest failed leg.
    pub fn failure(&self) -> Option<RefundFailureCode> {
        self.legs().iter().find_map(Leg::failure)
    }

    /// Returns the progress of the look-ups, exactly while a leg is in doubt: the earliest times, and whether any leg is
    /// escalated.
    pub fn verification(&self) -> Option<Reconciliation> {
        let doubts = self.legs().iter().filter_map(|leg| match leg.stage() {
            LegStage::Verifying(doubt) => Some(doubt),
            _ => None,
        });
        Reconciliation::of(doubts)
    }

    /// Returns when the next step of a leg is due.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        self.legs().iter().filter_map(Leg::due_at).min()
    }

    /// Returns the failed part, for another refund; `None` if a leg is open or none failed.
    pub fn retryable(&self) -> Option<Retryable> {
        let is_open = self.state.ended_at.is_none();
        let failed = self.legs().iter().filter(|leg| leg.status() == LegStatus::Failed);
        let legs: Vec<(ChargeOrdinal, i64)> = failed.map(|leg| (leg.ordinal, leg.amount)).collect();
        if is_open || legs.is_empty() {
            return None;
        }
        let (returned, requested) = (self.returned().amounts, self.state.requested);
        let noted = self.state.note.as_ref().map_or(&[][..], |note| &note.lines);
        Some(Retryable {
            credits: unnoted(&self.state.planned, noted),
            amounts: RefundAmounts {
                amount: requested.amount.saturating_sub(returned.amount),
                voluntary_tip: requested.voluntary_tip.saturating_sub(returned.voluntary_tip),
            },
            legs,
        })
    }

    /// Whether the credit note is late: by the day of issue of the numbered `note`, and before that by the last change of
    /// the refund. `None` if no line is credited.
    pub fn is_late(&self, note: Option<&FiscalDocument>) -> Option<bool> {
        self.state.note.as_ref()?;
        let issued = note.and_then(FiscalDocument::is_numbered_late);
        let original = self.facts.original_issued_on;
        let at_last_change = || original.is_some_and(|day| is_late(day, local_date(self.state.updated_at)));
        Some(issued.unwrap_or_else(at_last_change))
    }

    /// Replaces the text for the credit note, for a corrected note.
    pub fn describe(&mut self, description: Option<NoteText>, now: DateTime<Utc>) {
        self.state.description = description;
        self.touch(now);
    }

    /// Returns the text of the reason on the credit note (`RazonModificacion`).
    pub fn modification_text(&self) -> &str {
        let of_reason = self.state.reason.unwrap_or(RefundReason::Other).text();
        self.state.description.as_ref().map_or(of_reason, |description| description.as_str())
    }

    pub(super) const fn touch(&mut self, now: DateTime<Utc>) {
        self.state.updated_at = now;
        self.state.version = self.state.version.saturating_add(1);
    }
}

impl RefundState {
    /// Applies a plan, except for its legs.
    fn apply_plan(&mut self, plan: RefundPlan, purpose: RefundPurpose) {
        (self.scope, self.reason, self.description) = (Some(plan.scope), Some(purpose.reason), purpose.description);
        (self.requested, self.undocumented) = (plan.requested, plan.undocumented);
        self.planned = plan.note.as_ref().map_or_else(Vec::new, |note| note.lines.clone());
        self.note = plan.note;
    }

    /// Returns the state of found money.
    fn unattributed(total: i64, legs: Vec<Leg>, now: DateTime<Utc>) -> Self {
        Self {
            scope: None,
            reason: None,
            description: None,
            requested: RefundAmounts { amount: total, voluntary_tip: 0 },
            total,
            undocumented: 0,
            planned: Vec::new(),
            note: None,
            legs,
            ended_at: None,
            updated_at: now,
            version: 0,
        }
    }
}
