//! The commands of a sale that several payers share; the document follows the money.

use chrono::{DateTime, Utc};

use super::Sale;
use crate::{
    AttemptId, Conflict, Event, EventKind, Refusal,
    account::Readiness,
    attempt::CardSummary,
    fiscal::DocumentStatus,
    payment::AuthReturn,
    split::{
        AuthorizationOutcome, CaptureOutcome, HoldFinding, Organizer, ReleaseOutcome, Renewal, ReplacementOutcome,
        SplitContext, SplitDraft, SplitStatus,
    },
};

impl Sale {
    /// Splits the payment into shares, with a new window.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: faults of the shares by themselves, then that of
    /// [`Payment::check_splittable`](crate::Payment::check_splittable).
    pub fn open_split(
        &mut self,
        draft: &SplitDraft,
        organizer: Organizer,
        context: &SplitContext,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        self.payment.open_split(draft, organizer, context, now)
    }

    /// Replaces the shares of the payment, while no card was submitted.
    ///
    /// # Errors
    ///
    /// As [`open_split`](Self::open_split), or the [`Conflict`] of a split that is in doubt, in
    /// progress or locked.
    pub fn replace_split(
        &mut self,
        draft: &SplitDraft,
        context: &SplitContext,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        self.payment.replace_split(draft, context, now)
    }

    /// Merges an untouched split back into the payment, with the payment's own window.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of a split that is in doubt, in progress or locked.
    pub fn delete_split(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        self.payment.delete_split(now)
    }

    /// Submits a payer's card for a part, to reserve its share. Commit this before the call to the provider.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: the part in doubt, in progress, the window, the split complete,
    /// the part not payable or finally declined, the missing buyer.
    pub fn submit_part(
        &mut self,
        ordinal: u8,
        attempt: AttemptId,
        card: CardSummary,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Refusal> {
        let mut payment = self.payment.clone();
        let events = payment.on_split(now, |split| split.submit(ordinal, attempt, card, now))?;
        if self.document.lacks_buyer() {
            return Err(Refusal::at(Conflict::FiscalBuyerRequired, "buyer"));
        }
        self.payment = payment;
        Ok(events)
    }

    /// Applies the outcome of a card for a part.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if `attempt` belongs to no part: its part has moved on, and an approval is then
    /// [late](crate::Payment::approved_late).
    pub fn apply_authorization(
        &mut self,
        attempt: &AttemptId,
        outcome: AuthorizationOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let change = |split: &mut crate::Split| split.apply_authorization(attempt, outcome, now);
        let events = self.payment.on_split_in_time(now, change)?;
        self.follow(events, now)
    }

    /// Records the return of a payer's browser from the issuer. Returns the events, or `None` for a duplicate return
    /// or an ended challenge.
    ///
    /// Unless the return is a mere notification, the provider is called next: commit this before the call.
    pub fn challenge_returned(
        &mut self,
        attempt: &AttemptId,
        auth_return: AuthReturn,
        now: DateTime<Utc>,
    ) -> Option<Vec<Event>> {
        if self.payment.split().is_none() {
            return self.payment.challenge_returned(attempt, auth_return, now);
        }
        let mut is_accepted = false;
        let change = |split: &mut crate::Split| {
            is_accepted = split.challenge_returned(attempt, auth_return, now);
            Ok::<_, Conflict>(Vec::new())
        };
        self.payment.on_split(now, change).ok().filter(|_| is_accepted)
    }

    /// Captures every reserved part. Each then waits for its call, which is among the
    /// [effects](crate::Split::effects).
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of a split in doubt, complete or not capturable, as after a lapsed reservation: then
    /// [expire](Self::expire_due) the split and commit the events.
    pub fn capture(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        self.payment.on_split(now, |split| split.capture(now))
    }

    /// Like [`capture`](Self::capture), but a bill without any captured part requires that its document can be issued:
    /// after the first capture the others follow.
    ///
    /// # Errors
    ///
    /// As [`capture`](Self::capture), or [`Unprocessable::MerchantAccountNotReady`](crate::Unprocessable).
    pub fn begin_capture(&mut self, readiness: &Readiness, now: DateTime<Utc>) -> Result<Vec<Event>, Refusal> {
        let is_first = self.payment.split().is_none_or(|it| it.status() != SplitStatus::PartiallyPaid);
        let events = self.capture(now)?;
        if is_first {
            readiness.check_existing(self.document.content().kind).map_err(Refusal::without_field)?;
        }
        Ok(events)
    }

    /// Releases every part that is not captured. A reserved part waits for its call.
    ///
    /// # Errors
    ///
    /// The [`Conflict`] of a split in doubt, expired, complete, or locked while a call is running.
    pub fn release(&mut self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.on_split(now, |split| split.release(now))?;
        self.follow(events, now)
    }

    /// Undoes a release or a cancellation if no call could be sent: the payment returns to `before`, and the
    /// caller gets an error.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if a call is open or had an effect.
    pub fn withdraw_release(&mut self, before: &Self, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let before = before.payment.split().ok_or(Conflict::PaymentNotEditable)?;
        self.payment.on_split(now, |split| split.withdraw_release(before).map(|()| Vec::new()))
    }

    /// Opens a new window for an expired split, and renews its document.
    ///
    /// # Errors
    ///
    /// The first [`Refusal`] in the published order: in doubt, not expired, not renewable, the account.
    pub fn renew_split(&mut self, renewal: Renewal, now: DateTime<Utc>) -> Result<Vec<Event>, Refusal> {
        let mut events = self.payment.on_split(now, |split| {
            let mut events = split.renew(renewal, now)?;
            events.push(Event::new(EventKind::PaymentSplitRenewed));
            Ok::<_, Refusal>(events)
        })?;
        if self.document.status() == DocumentStatus::Canceled {
            events.push(self.document.renew(now)?);
        }
        Ok(events)
    }

    /// Begins a due capture, release or replacement as `attempt`. Commit this before the call to the provider.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] unless that call is among the [effects](crate::Split::effects) at `now`.
    pub fn begin_call(&mut self, ordinal: u8, attempt: AttemptId, now: DateTime<Utc>) -> Result<(), Conflict> {
        self.payment.on_split(now, |split| split.begin_call(ordinal, attempt, now).map(|()| Vec::new())).map(drop)
    }

    /// Applies the provider's response to the capture of a part.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if `attempt` is no capture that is open or in doubt.
    pub fn apply_capture(
        &mut self,
        attempt: &AttemptId,
        outcome: CaptureOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.on_split(now, |split| split.apply_capture(attempt, outcome, now))?;
        self.follow(events, now)
    }

    /// Applies the provider's response to the release of a part.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if `attempt` is no release that is open or in doubt.
    pub fn apply_release(
        &mut self,
        attempt: &AttemptId,
        outcome: ReleaseOutcome,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.on_split(now, |split| split.apply_release(attempt, outcome, now))?;
        self.follow(events, now)
    }

    /// Applies the outcome of a replacement of reserved funds. There is no event.
    pub fn apply_replacement(&mut self, attempt: &AttemptId, outcome: ReplacementOutcome, now: DateTime<Utc>) {
        self.payment.apply_replacement(attempt, outcome, now);
    }

    /// Applies the result of a look-up of the part `ordinal`.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if that part is not in doubt.
    pub fn apply_part_finding(
        &mut self,
        ordinal: u8,
        finding: HoldFinding,
        now: DateTime<Utc>,
    ) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.apply_part_finding(ordinal, finding, now)?;
        self.follow(events, now)
    }

    /// Records that the provider reports the funds of the attempt `hold` as released, regardless of our clock.
    ///
    /// # Errors
    ///
    /// A [`Conflict`] if the payment is not split.
    pub fn hold_gone(&mut self, hold: &AttemptId, now: DateTime<Utc>) -> Result<Vec<Event>, Conflict> {
        let events = self.payment.on_split_in_time(now, |split| split.hold_gone(hold, now))?;
        self.follow(events, now)
    }
}
