//! Payments with a split: the status follows from the parts.

use chrono::{DateTime, Utc};

use super::{Decline, Payment, PaymentStatus, Stage, event_of};
use crate::{
    AttemptId, Conflict, Event, EventKind, Money, Refusal,
    split::{
        HoldFinding, Organizer, PartDoubt, PartStage, PartState, ReplacementOutcome, Share, Split, SplitContext,
        SplitDraft,
    },
};

impl Payment {
    /// The split, if the payment is shared.
    pub const fn split(&self) -> Option<&Split> {
        match &self.state.stage {
            Stage::Split(split) => Some(split),
            _ => None,
        }
    }

    /// Whether the payment may be split.
    ///
    /// # Errors
    ///
    /// The first [`Conflict`] in the published order: split already, in doubt, in progress,
    /// closed, not allowed.
    pub fn check_splittable(&self, context: &SplitContext, now: DateTime<Utc>) -> Result<(), Conflict> {
        let is_open = match &self.state.stage {
            Stage::Split(_) => return Err(Conflict::PaymentSplitExists),
            Stage::Verifying(_) => return Err(Conflict::PaymentAwaitingVerification),
            Stage::Processing(_) | Stage::RequiresCustomerAction(Some(_)) => {
                return Err(Conflict::PaymentMethodAlreadyInProgress);
            }
            Stage::Canceled { .. } | Stage::Expired { .. } => return Err(Conflict::CheckoutWindowClosed),
            _ if now >= self.state.expires_at => return Err(Conflict::CheckoutWindowClosed),
            Stage::Succeeded { .. } => false,
            Stage::Declined { decline: Decline { can_try_again, .. }, .. } => *can_try_again,
            Stage::RequiresCustomerAction(None) => true,
        };
        let half = self.total_amount().minor_units() / 2;
        let is_enough = context.limits.check(Money::new(half, self.facts.amount.currency())).is_ok();
        if !(is_open && context.is_split_enabled && context.can_authorize && is_enough) {
            return Err(Conflict::PaymentSplitNotAllowed);
        }
        Ok(())
    }

    pub(crate) fn open_split(
        &mut self,
        draft: &SplitDraft,
        organizer: Organizer,
        context: &SplitContext,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        let shares = self.allocate_shares(draft, context)?;
        self.check_splittable(context, now)?;
        let split = Split::open(shares, organizer, context.window, now);
        Ok(self.replace_stage(Stage::Split(split), EventKind::PaymentSplitCreated, now))
    }

    pub(crate) fn replace_split(
        &mut self,
        draft: &SplitDraft,
        context: &SplitContext,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        let shares = self.allocate_shares(draft, context)?;
        self.on_split(now, |split| {
            split.check_unlocked(now)?;
            split.replace(shares, context.window, now);
            Ok(vec![Event::new(EventKind::PaymentSplitReplaced)])
        })
    }

    pub(crate) fn delete_split(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        self.split().ok_or(Conflict::PaymentNotEditable)?.check_unlocked(now)?;
        Ok(self.replace_stage(Stage::RequiresCustomerAction(None), EventKind::PaymentSplitDeleted, now))
    }

    /// Applies the expired times of a split in separate steps, so that each new status has an event.
    pub(crate) fn expire_split(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let mut payment = self.clone();
        let mut events = payment.on_split(now, |split| split.end_calls(now))?;
        events.extend(payment.expire_windows(now)?);
        events.extend(payment.on_split(now, |split| Ok::<_, Conflict>(split.warn(now)))?);
        *self = payment;
        Ok(events)
    }

    /// Applies a fact that may have arrived after the end of the window.
    pub(crate) fn on_split_in_time(
        &mut self,
        now: DateTime<Utc>,
        change: impl FnOnce(&mut Split) -> Result<Vec<Event>, Conflict>,
    ) -> Result<Vec<Event>, Conflict> {
        let mut payment = self.clone();
        let mut events = payment.expire_windows(now)?;
        events.extend(payment.on_split(now, change)?);
        *self = payment;
        Ok(events)
    }

    /// Applies a look-up of a part. If look-ups prove that a card was not executed, the attempt is orphaned.
    pub(crate) fn apply_part_finding(
        &mut self,
        ordinal: u8,
        finding: HoldFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let in_doubt = |it: &Self| match it.split()?.part(ordinal)?.stage() {
            PartStage::Verifying(PartDoubt::Authorization(doubt)) => Some(doubt.clone()),
            _ => None,
        };
        let before = in_doubt(self);
        let events = self.on_split_in_time(now, |split| split.apply_finding(ordinal, finding, now))?;
        if let (HoldFinding::NotFound, Some(doubt), None) = (finding, before, in_doubt(self)) {
            self.add_orphan(doubt.attempt, doubt.submitted_at, now);
        }
        Ok(events)
    }

    /// Changes the split, and returns the events, including that of a new payment status. After an error the split is
    /// unchanged.
    pub(crate) fn on_split<E: From<Conflict>>(
        &mut self,
        now: DateTime<Utc>,
        change: impl FnOnce(&mut Split) -> Result<Vec<Event>, E>,
    ) -> Result<Vec<Event>, E> {
        let before = self.split().ok_or(Conflict::PaymentNotEditable)?;
        let mut after = before.clone();
        let mut events = change(&mut after)?;
        // There is one alert for the payment, not one for each part.
        let mut has_alert = before.is_escalated();
        events.retain(|it| {
            it.kind != EventKind::PaymentVerificationEscalated || !std::mem::replace(&mut has_alert, true)
        });
        let orphaned_holds = after.orphan_replacements(before);
        after.extend_once(now);
        let (left, entered) = (before.payment_status(), after.payment_status());
        if entered != left {
            events.push(Event::with_previous_status(event_of(entered), left.as_str()));
        }
        if after != *before {
            self.set_stage(Stage::Split(after), now);
        }
        for it in orphaned_holds {
            self.add_orphan(it.attempt, it.since, now);
        }
        Ok(events)
    }

    /// Applies the outcome of a replacement of reserved funds. The other reservation is reversed, or looked up until
    /// its funds are known to be free.
    pub(crate) fn apply_replacement(&mut self, attempt: &AttemptId, outcome: ReplacementOutcome, now: DateTime<Utc>) {
        let Some(before) = self.split() else { return };
        let mut after = before.clone();
        let orphaned_hold = after.apply_replacement(attempt, outcome, now);
        if after != *before {
            self.set_stage(Stage::Split(after), now);
        }
        match orphaned_hold {
            // The reversal of replaced funds has no event: the payer has paid as much as before.
            Some(it) if it.is_held && it.attempt != *attempt => self.orphan_replaced_hold(it.attempt, it.since, now),
            Some(it) if it.is_held => drop(self.approved_late(&it.attempt, it.since, now)),
            Some(it) => self.add_orphan(it.attempt, it.since, now),
            None => {}
        }
    }

    /// Returns why the tip of a split payment cannot be set: the shares add up to the total.
    pub(super) fn tip_of_split(&self, now: DateTime<Utc>) -> Conflict {
        let Some(split) = self.split() else { return Conflict::PaymentNotEditable };
        match self.status() {
            PaymentStatus::Verifying => Conflict::PaymentAwaitingVerification,
            _ if split.any(&[PartState::Processing]) => Conflict::PaymentMethodAlreadyInProgress,
            PaymentStatus::Succeeded => Conflict::PaymentNotEditable,
            PaymentStatus::Canceled | PaymentStatus::Expired => Conflict::CheckoutWindowClosed,
            _ if split.is_closed(now) => Conflict::CheckoutWindowClosed,
            _ => Conflict::PaymentNotEditable,
        }
    }

    fn expire_windows(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        self.on_split(now, |split| split.close(now))
    }

    fn allocate_shares(&self, draft: &SplitDraft, context: &SplitContext) -> Result<Vec<Share>, Refusal> {
        let itbis = Money::new(self.facts.breakdown.taxes_minor_units, self.facts.amount.currency());
        draft.allocate(self.total_amount(), itbis, &context.limits)
    }

    /// Opens or removes the split.
    fn replace_stage(&mut self, to: Stage, kind: EventKind, now: DateTime<Utc>) -> Vec<Event> {
        let left = self.status();
        self.set_stage(to, now);
        let entered = self.status();
        let moved = (entered != left).then(|| Event::with_previous_status(event_of(entered), left.as_str()));
        std::iter::once(Event::new(kind)).chain(moved).collect()
    }
}
