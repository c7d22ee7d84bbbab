//! Connection to the bank, which loses calls and responses.

use async_trait::async_trait;
use chrono::{NaiveDate, TimeDelta};
use domain::{AttemptId, MerchantAccountId, attempt::AttemptKind, payment::DeclineCode, refund::RefundTerms};
use ports::{
    AttemptRef, AuthStep, CallOutcome, CardProvider, CardToken, Charge, Hold, ListedReturn, LookUp, NotSubmitted,
    Opening, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnsUnlisted,
};

use crate::{
    bank::{Done, HOLD_LIFE, Wish},
    bug::Bug,
    node::Node,
    returns::TERMS,
    way::{Way, action, response},
};

/// Look-ups show no attempt for longer than the proof of its absence takes.
const TOO_LONG: u64 = 35 * 60 * 1000;

/// Declines of the simulated issuers: some can be retried, `SuspectedFraud` cannot.
const DECLINES: [DeclineCode; 3] =
    [DeclineCode::InsufficientFunds, DeclineCode::DoNotHonor, DeclineCode::SuspectedFraud];

/// The challenges of simulated issuers.
const WISHES: [Wish; 3] = [Wish::Answer, Wish::Look, Wish::LookAndAnswer];

impl Node {
    pub(crate) fn way(&self) -> Way {
        let world = &self.world;
        if world.has_fault(|it| it.down) {
            return Way::Down;
        }
        if !world.has_fault(|it| it.silent) {
            return Way::Clear;
        }
        match world.below(3) {
            0 => Way::Lost,
            1 => Way::Done(0),
            _ => Way::Done(world.below(120_000).into()),
        }
    }

    /// Fate of a card, which may arrive after its payment has moved on.
    fn way_of_card(&self) -> Way {
        let world = &self.world;
        if !world.has_fault(|it| it.late) {
            return self.way();
        }
        let delay = TOO_LONG + u64::from(world.below(1_200_000));
        if world.below(2) == 0 { Way::Slow(delay) } else { Way::Done(delay) }
    }

    async fn send_card(&self, charge: &Charge) -> CallOutcome {
        let Self { world, process, .. } = self;
        let attempt = &charge.attempt.attempt;
        world.leave(*process, "charge").await;
        let way = self.way_of_card();
        if way == Way::Down {
            return CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
        }
        let now = world.executor.now();
        let finding = world.bank.lock().audit_charge(attempt, charge.amount, &world.tables.lock(), now);
        world.find(finding);
        let decline = self.draws_decline();
        let wish = world.has_fault(|it| it.ask).then(|| world.chance.lock().one_of(&WISHES));
        if let Way::Slow(delay) = way {
            world.report(*process, || format!("sends {attempt}, which is under way for {delay}"));
            world.executor.pause(delay).await;
        }
        let (now, known) = (world.executor.now(), world.tables.lock().attempts.get(attempt.as_str()).cloned());
        let done = match known.filter(|_| way != Way::Lost) {
            Some(intent) => {
                let delay = if let Way::Done(delay) = way { delay } else { 0 };
                world.bank.lock().charge(&intent, (now, delay), decline, wish)
            }
            None => Done::Yes,
        };
        world.report(*process, || format!("sends {attempt}: {way:?}, {done:?}"));
        world.leave(*process, "charged").await;
        if let (Way::Clear | Way::Slow(_), Done::Asked(wish)) = (way, done) {
            self.send_browser(charge, wish);
        }
        self.received(way, done)
    }

    /// The issuer's decline, if any.
    pub(crate) fn draws_decline(&self) -> Option<DeclineCode> {
        self.world.has_fault(|it| it.decline).then(|| self.world.chance.lock().one_of(&DECLINES))
    }

    async fn check_hold(&self, hold: &AttemptId, kind: AttemptKind) -> CallOutcome {
        let Self { world, process, .. } = self;
        world.leave(*process, kind.as_str()).await;
        let way = self.way();
        if way == Way::Down {
            return CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
        }
        let finding = world.bank.lock().audit_call(hold, kind, &world.tables.lock());
        world.find(finding);
        let now = world.executor.now();
        let is_refused = world.has_fault(|it| it.decline);
        let done = match kind {
            _ if way == Way::Lost => Done::Yes,
            _ if is_refused => Done::Declined(DeclineCode::GenericDecline),
            AttemptKind::Capture => world.bank.lock().capture(hold, now),
            _ => world.bank.lock().free(hold, now),
        };
        world.report(*process, || format!("tells {hold} {kind:?}: {way:?}, {done:?}"));
        world.leave(*process, kind.as_str()).await;
        self.received(way, done)
    }

    pub(crate) fn received(&self, way: Way, done: Done) -> CallOutcome {
        match (way, done) {
            (Way::Clear | Way::Slow(_), Done::Yes) => CallOutcome::Approved,
            (Way::Clear | Way::Slow(_), Done::Declined(code)) => CallOutcome::Declined(code),
            (Way::Clear | Way::Slow(_), Done::Asked(wish)) => CallOutcome::ActionRequired(action(wish)),
            (Way::Clear | Way::Slow(_), Done::Repeated) => CallOutcome::Ambiguous,
            (Way::Clear | Way::Slow(_), Done::Rejected) => CallOutcome::NotSubmitted(NotSubmitted::Rejected),
            _ if self.world.bug == Some(Bug::TakesDoubtForDecline) => {
                CallOutcome::Declined(DeclineCode::GenericDecline)
            }
            _ => CallOutcome::Ambiguous,
        }
    }

    async fn take_card(&self, charge: Charge) -> ProviderResponse {
        let mut outcome = self.send_card(&charge).await;
        if self.world.bug == Some(Bug::SendsAgain) && outcome == CallOutcome::Ambiguous {
            outcome = self.send_card(&charge).await;
        }
        response(outcome, &charge.attempt)
    }
}

#[async_trait]
impl CardProvider for Node {
    fn needs_opening(&self, _: &Opening) -> bool {
        false
    }

    async fn open(&self, _: Opening) -> ProviderResponse {
        unreachable!("the simulated provider wants no opening")
    }

    fn supports_wallets(&self) -> bool {
        false
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.take_card(charge).await
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        _: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        self.go_on(attempt_ref, step).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        Some(TimeDelta::milliseconds(i64::try_from(HOLD_LIFE).unwrap_or(i64::MAX)))
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.take_card(charge).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        let mut outcome = self.check_hold(&hold.attempt.attempt, AttemptKind::Capture).await;
        let bug = self.world.bug;
        if bug == Some(Bug::CapturesAgain) && outcome == CallOutcome::Ambiguous {
            outcome = self.check_hold(&hold.attempt.attempt, AttemptKind::Capture).await;
        }
        if bug == Some(Bug::TakesRefusalForCapture) && matches!(outcome, CallOutcome::Declined(_)) {
            outcome = CallOutcome::Approved;
        }
        response(outcome, &hold.attempt)
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        if self.world.bug == Some(Bug::ForgetsVoids) {
            return response(CallOutcome::Approved, &hold.attempt);
        }
        response(self.check_hold(&hold.attempt.attempt, AttemptKind::Release).await, &hold.attempt)
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let Self { world, process, .. } = self;
        world.leave(*process, "look_up").await;
        if world.has_fault(|it| it.blind) {
            return LookUp::Unknown;
        }
        let found = world.bank.lock().look_up(&attempt.attempt, world.executor.now());
        world.report(*process, || format!("looks {} up: {found:?}", attempt.attempt));
        world.leave(*process, "looked_up").await;
        if world.bug == Some(Bug::BelievesNotFound) && found == LookUp::NotFound {
            return LookUp::Declined(DeclineCode::GenericDecline);
        }
        found
    }

    async fn delete_token(&self, _: &MerchantAccountId, _: &CardToken) -> bool {
        unreachable!("the simulated provider keeps no card")
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        if self.world.bug == Some(Bug::ForgetsReversals) {
            return response(CallOutcome::Approved, &attempt);
        }
        response(self.check_hold(&attempt.attempt, AttemptKind::Release).await, &attempt)
    }

    async fn refund_terms(&self, _: &MerchantAccountId) -> RefundTerms {
        TERMS
    }

    async fn refund(&self, request: RefundRequest) -> RefundResponse {
        self.return_money(request).await
    }

    async fn look_up_refund(&self, request: RefundRequest) -> RefundLookup {
        self.find_return(request).await
    }

    async fn list_returns(&self, _: &MerchantAccountId, day: NaiveDate) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.list_day(day).await
    }
}
