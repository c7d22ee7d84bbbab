//! A card that is approved after its payment has moved on, with a crash before and after every effect: in the end no
//! money is taken or reserved, and each event was sent once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use app::{Ports, SubmitCard, open_split, submit_card};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    AttemptId, MerchantAccountId, PaymentId, account::Provider, attempt::AttemptState, refund::RefundTerms,
    split::SplitDraft,
};
use ports::{
    AttemptRef, AuthStep, CardProvider, CardToken, Charge, Clock, EventFilter, Hold, ListedReturn, LookUp, Opening,
    Page, ProviderResponse, RefundLookup, RefundRequest, RefundResponse, ReturnsUnlisted,
};
use testkit::memory::TestClock;

use super::{
    command,
    crash_trigger::{CrashTrigger, CrashingPort, survives},
    world::World,
};
use crate::support::render;

const GOOD: &str = "4222220000000008";
const LOST_RESPONSE: &str = "4222220005000003";

/// Reason why an approval is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    /// The response to the call takes twenty minutes.
    Answered,
    /// The response is lost, and look-ups do not show the approval for fifty minutes.
    Shown,
    /// The call never returns.
    Never,
}

/// A provider that is late, or has issuers that reserve funds for an unusual time.
struct LateProvider {
    port: Arc<dyn CardProvider>,
    clock: Arc<TestClock>,
    late: Late,
    shown_at: DateTime<Utc>,
    hold_validity: Option<TimeDelta>,
    /// The time of the request for each hold.
    held_at: Mutex<BTreeMap<AttemptId, DateTime<Utc>>>,
    /// Whether cards are stored on request.
    stores_cards: bool,
    /// Ports of another process, which acts meanwhile.
    meanwhile: Ports,
}

impl LateProvider {
    async fn wait(&self) {
        if self.late == Late::Answered {
            World::pass(&self.clock, &self.meanwhile, TimeDelta::minutes(20)).await;
        }
    }
}

#[async_trait]
impl CardProvider for LateProvider {
    fn needs_opening(&self, opening: &Opening) -> bool {
        self.port.needs_opening(opening)
    }

    async fn open(&self, opening: Opening) -> ProviderResponse {
        self.port.open(opening).await
    }

    fn supports_wallets(&self) -> bool {
        self.port.supports_wallets()
    }

    async fn charge(&self, charge: Charge) -> ProviderResponse {
        self.wait().await;
        self.port.charge(charge).await
    }

    async fn continue_authentication(
        &self,
        attempt_ref: AttemptRef,
        reference: Option<String>,
        step: AuthStep,
    ) -> ProviderResponse {
        self.port.continue_authentication(attempt_ref, reference, step).await
    }

    fn hold_validity(&self) -> Option<TimeDelta> {
        self.hold_validity
    }

    async fn hold(&self, charge: Charge) -> ProviderResponse {
        self.wait().await;
        self.held_at.lock().unwrap().insert(charge.attempt.attempt.clone(), self.clock.now());
        self.port.hold(Charge { stores_card: charge.stores_card && self.stores_cards, ..charge }).await
    }

    async fn capture(&self, hold: Hold) -> ProviderResponse {
        self.port.capture(hold).await
    }

    async fn void(&self, hold: Hold) -> ProviderResponse {
        self.port.void(hold).await
    }

    async fn look_up(&self, attempt: AttemptRef) -> LookUp {
        let now = self.clock.now();
        if now < self.shown_at {
            return LookUp::NotFound;
        }
        let held_at = self.held_at.lock().unwrap().get(&attempt.attempt).copied();
        let is_over = held_at.zip(self.hold_validity).is_some_and(|(at, life)| now >= at + life);
        match self.port.look_up(attempt).await {
            LookUp::Held { .. } if is_over => LookUp::Gone,
            found => found,
        }
    }

    async fn reverse(&self, attempt: AttemptRef) -> ProviderResponse {
        self.port.reverse(attempt).await
    }

    async fn delete_token(&self, account: &MerchantAccountId, card: &CardToken) -> bool {
        self.port.delete_token(account, card).await
    }

    async fn refund_terms(&self, account: &MerchantAccountId) -> RefundTerms {
        self.port.refund_terms(account).await
    }

    async fn refund(&self, refund: RefundRequest) -> RefundResponse {
        self.port.refund(refund).await
    }

    async fn look_up_refund(&self, refund: RefundRequest) -> RefundLookup {
        self.port.look_up_refund(refund).await
    }

    async fn list_returns(
        &self,
        account: &MerchantAccountId,
        day: NaiveDate,
    ) -> Result<Vec<ListedReturn>, ReturnsUnlisted> {
        self.port.list_returns(account, day).await
    }
}

impl World {
    /// The ports of a process with a late provider, which may crash.
    fn with_late_provider(&self, late: Late, shown_at: DateTime<Utc>, trigger: Option<&CrashTrigger>) -> Ports {
        let (mut ports, meanwhile) = (self.ports(trigger), self.ports(None));
        let port = meanwhile.providers[&Provider::Simulator].clone();
        let late_provider: Arc<dyn CardProvider> = Arc::new(LateProvider {
            hold_validity: port.hold_validity(),
            held_at: Mutex::default(),
            stores_cards: false,
            port,
            clock: self.clock.clone(),
            late,
            shown_at,
            meanwhile,
        });
        let provider = match trigger {
            Some(trigger) => Arc::new(CrashingPort { port: late_provider, trigger: trigger.clone() }),
            None => late_provider,
        };
        ports.providers.insert(Provider::Simulator, provider);
        ports
    }

    /// The ports of a process with issuers that reserve funds for that time, and a provider that may store cards.
    pub(crate) fn with_hold_validity(&self, hold_validity: TimeDelta, stores_cards: bool) -> Ports {
        let (mut ports, meanwhile) = (self.ports(None), self.ports(None));
        let port = meanwhile.providers[&Provider::Simulator].clone();
        let (clock, shown_at) = (self.clock.clone(), self.clock.now());
        let provider = LateProvider {
            port,
            clock,
            late: Late::Never,
            shown_at,
            hold_validity: Some(hold_validity),
            held_at: Mutex::default(),
            stores_cards,
            meanwhile,
        };
        ports.providers.insert(Provider::Simulator, Arc::new(provider));
        ports
    }

    /// Checks that no money is taken or reserved, and that the reversal was reported once.
    async fn check_reversed(&self, payment: &PaymentId, at: &str) -> bool {
        let known = self.at_the_acquirer(payment).await;
        let filter = EventFilter { payment: Some(payment.clone()), ..EventFilter::default() };
        let events = self.stores.events.search(&self.tenant, &filter, &Page { after: None, limit: 100 }).await.unwrap();
        let reversals = events.iter().filter(|it| it.kind.as_str() == "payment.late_approval_reversed").count();
        let sale = self.sale(payment).await;
        assert!(sale.payment.orphans().is_empty(), "{at}: {:?}", sale.payment.orphans());
        let Some((_, transaction)) = known.first() else {
            assert_eq!(reversals, 0, "{at}");
            return false;
        };
        assert_eq!((known.len(), transaction.status, reversals), (1, "reversed", 1), "{at}");
        let id = domain::AttemptId::parse(&transaction.attempt_id).unwrap();
        let attempt = self.stores.sales.find_attempt(&self.tenant, &id).await.unwrap().unwrap();
        assert_eq!(attempt.state, AttemptState::Reversed, "{at}");
        true
    }
}

/// Returns whether there was such a crash point, and whether the provider had received the card before.
async fn crash_at(world: &World, point: usize, late: Late, part: Option<u8>) -> (bool, bool) {
    let (payment, caller) = world.open_sale().await;
    let at = format!("crash point {point}, {late:?}, part {part:?}");
    if part.is_some() {
        let (ports, three) = (world.ports(None), SplitDraft::Equal { part_count: 3 });
        let keyed = world.keyed_as(format!("{at}, split"));
        open_split(&ports, &world.merchant(), &keyed, payment.as_str(), three, &render).await.unwrap();
    }
    let shown_at = if late == Late::Shown { world.clock.now() + TimeDelta::minutes(50) } else { world.clock.now() };
    let trigger = CrashTrigger::at_effect(point);
    let (crashing, clock) = (world.with_late_provider(late, shown_at, Some(&trigger)), world.clock.clone());
    let keyed = world.keyed_as(at.clone());
    let number = if late == Late::Shown { LOST_RESPONSE } else { GOOD };
    let command = SubmitCard { part_ordinal: part, ..command(&payment, number) };
    survives(async move {
        let _ = submit_card(&crashing, &caller, &keyed, command, &render).await;
        World::pass(&clock, &crashing, TimeDelta::hours(2)).await;
    })
    .await;
    world.restart().await;
    let ports = world.with_late_provider(late, shown_at, None);
    // The last look-up of an orphaned attempt is a day later.
    World::pass(&world.clock, &ports, TimeDelta::hours(27)).await;
    let is_received = world.check_reversed(&payment, &at).await;
    (trigger.has_fired(), is_received)
}

async fn check(late: Late, part: Option<u8>) {
    let world = World::new().await;
    let (mut point, mut received) = (1, 0);
    loop {
        let (has_fired, is_received) = crash_at(&world, point, late, part).await;
        received += usize::from(is_received);
        if !has_fired {
            break;
        }
        point += 1;
    }
    assert!(
        point > 8 && received > 5,
        "only {point} crash points, {received} of them after the provider received the card"
    );
}

#[tokio::test]
async fn a_charge_with_a_late_response_is_reversed_after_any_crash() {
    check(Late::Answered, None).await;
}

#[tokio::test]
async fn a_charge_that_is_visible_late_is_reversed_after_any_crash() {
    check(Late::Shown, None).await;
}

#[tokio::test]
async fn a_share_that_is_reserved_late_is_released_after_any_crash() {
    check(Late::Answered, Some(2)).await;
    check(Late::Shown, Some(2)).await;
}
