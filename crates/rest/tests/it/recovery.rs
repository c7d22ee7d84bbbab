//! Crashes of a process that holds an idempotency key: the retry resumes
//! the command, and the card is charged once, on either store.

use std::sync::Arc;

use app::{
    Caller, Error, IdempotentRequest, KeyLeaseHandle, Ports, Rendered, Response, SubmitCard, authenticate,
    settle_payment, submit_card,
};
use chrono::TimeDelta;
use domain::{Card, PaymentId, RequestId, sale::Sale};
use testkit::sample;
use zeroize::Zeroizing;

use crate::support::{APPROVED_CARD, ControlledProvider, Log, Request, SALE, World, on_each_store};

/// A payer that retries a card with the same key.
struct Payer {
    payment: PaymentId,
    caller: Caller,
}

impl Payer {
    async fn come(world: &World) -> Self {
        let created = world.sale(SALE).await;
        let payment = PaymentId::parse(&created.field("/id")).unwrap();
        let caller = authenticate(&world.ports, &world.token(&created, "pay").await).await.unwrap();
        Self { payment, caller }
    }

    async fn pay(&self, ports: &Ports) -> Result<Response, Error> {
        let number = Zeroizing::new(APPROVED_CARD.to_owned());
        let card = Card::new(number, Zeroizing::new("737".to_owned()), 12, 2030, None).unwrap();
        let command = SubmitCard {
            payment: self.payment.to_string(),
            instrument: card.into(),
            part_ordinal: None,
            expected_amount: None,
            browser: sample::browser(),
            challenge_base_url: "https://pay.example/c/".to_owned(),
        };
        let request = RequestId::new(&ports.ids.generate());
        let keyed = IdempotentRequest {
            id: request,
            key: "one-key".to_owned(),
            fingerprint_input: b"one card".to_vec(),
            if_match: None,
            lease: KeyLeaseHandle::default(),
        };
        submit_card(ports, &self.caller, &keyed, command, &render).await
    }

    /// Pays in a process that dies when `arrived` completes.
    async fn pay_and_die(self: &Arc<Self>, world: &World, arrived: impl AsyncFnOnce(&ControlledProvider)) {
        let (payer, ports) = (self.clone(), world.ports.clone());
        let process = actix_web::rt::spawn(async move { payer.pay(&ports).await.map(drop) });
        arrived(&world.gate).await;
        process.abort();
        assert!(process.await.is_err_and(|it| it.is_cancelled()), "it died before its end");
        world.gate.stop_blocking();
    }

    async fn status(&self, world: &World) -> String {
        let sale = world.ports.sales.find(&world.one.tenant, &self.payment).await.unwrap().unwrap();
        sale.payment.status().as_str().to_owned()
    }
}

fn render(sale: &Sale, _: chrono::DateTime<chrono::Utc>) -> Rendered {
    Rendered { status: 200, etag: None, body: sale.payment.status().as_str().as_bytes().to_vec() }
}

fn body(response: &Response) -> &str {
    std::str::from_utf8(&response.rendered.body).unwrap()
}

fn is_in_progress(outcome: &Result<Response, Error>) -> bool {
    matches!(outcome, Err(Error::Refusal(it)) if it.code.as_str() == "idempotency_request_in_progress")
}

/// Returns the statuses of the payment's transactions at the acquirer.
fn charges(world: &World) -> Vec<String> {
    world.acquirer.transactions().iter().map(|it| it.status.to_string()).collect()
}

#[actix_web::test]
async fn a_crash_after_the_key_was_claimed_charges_no_card() {
    on_each_store(async |world| {
        let payer = Arc::new(Payer::come(&world).await);
        world.gate.block_calls();
        payer.pay_and_die(&world, async |gate: &ControlledProvider| gate.until_blocked().await).await;
        assert_eq!((payer.status(&world).await.as_str(), charges(&world).len()), ("processing", 0));

        let too_soon = payer.pay(&world.ports).await;
        world.clock.advance(TimeDelta::seconds(61));
        let resumed = payer.pay(&world.ports).await.unwrap();
        let again = payer.pay(&world.ports).await.unwrap();

        assert!(is_in_progress(&too_soon), "{too_soon:?}");
        assert_eq!((body(&resumed), resumed.is_replay, charges(&world).len()), ("verifying", false, 0));
        assert_eq!((body(&again), again.is_replay, &again.request), ("verifying", true, &resumed.request));
        // The card is not charged later: once the absence is certain, the payment waits for a card again.
        for _ in 0..8 {
            world.clock.advance(TimeDelta::minutes(5));
            settle_payment(&world.ports, &world.one.tenant, &payer.payment).await.unwrap();
        }
        assert_eq!((payer.status(&world).await.as_str(), charges(&world).len()), ("requires_customer_action", 0));
    })
    .await;
}

#[actix_web::test]
async fn a_crash_after_the_charge_finds_it_and_does_not_charge_again() {
    on_each_store(async |world| {
        let payer = Arc::new(Payer::come(&world).await);
        world.gate.block_responses();
        payer.pay_and_die(&world, async |gate: &ControlledProvider| gate.until_blocked().await).await;
        assert_eq!((payer.status(&world).await.as_str(), charges(&world)), ("processing", vec!["approved".to_owned()]));

        let too_soon = payer.pay(&world.ports).await;
        world.clock.advance(TimeDelta::seconds(61));
        let resumed = payer.pay(&world.ports).await.unwrap();
        let again = payer.pay(&world.ports).await.unwrap();

        assert!(is_in_progress(&too_soon), "{too_soon:?}");
        assert_eq!((body(&resumed), resumed.is_replay), ("succeeded", false));
        assert_eq!((body(&again), again.is_replay, &again.request), ("succeeded", true, &resumed.request));
        assert_eq!(charges(&world), ["approved"]);
    })
    .await;
}

#[actix_web::test]
async fn a_crash_before_the_response_returns_the_stored_outcome() {
    on_each_store(async |world| {
        let payer = Arc::new(Payer::come(&world).await);
        let unheard = payer.pay(&world.ports).await.unwrap();
        world.clock.advance(TimeDelta::seconds(61));

        let again = payer.pay(&world.ports).await.unwrap();

        assert_eq!((again.rendered, again.is_replay), (unheard.rendered, true));
        assert_eq!((again.request, charges(&world)), (unheard.request, vec!["approved".to_owned()]));
    })
    .await;
}

/// Ten retries when the lease of the crashed process ends: one resumes.
#[actix_web::test]
async fn of_ten_retries_after_a_crash_one_resumes() {
    on_each_store(async |world| {
        let payer = Arc::new(Payer::come(&world).await);
        world.gate.block_responses();
        payer.pay_and_die(&world, async |gate: &ControlledProvider| gate.until_blocked().await).await;
        world.clock.advance(TimeDelta::seconds(61));

        let outcomes = futures_util::future::join_all((0..10).map(|_| payer.pay(&world.ports))).await;

        assert_eq!(outcomes.iter().flatten().filter(|it| !it.is_replay).count(), 1, "{outcomes:?}");
        for outcome in outcomes.iter().filter(|it| it.is_err()) {
            assert!(is_in_progress(outcome), "{outcome:?}");
        }
        assert_eq!((payer.status(&world).await.as_str(), charges(&world)), ("succeeded", vec!["approved".to_owned()]));
    })
    .await;
}

#[actix_web::test]
async fn a_response_about_the_transaction_of_another_payment_is_looked_up_and_alerts() {
    on_each_store(async |world| {
        world.gate.repeat_transaction("transaction-1");
        let pay = async || {
            let created = world.sale(SALE).await;
            let paid = world.send(&world.submission(&created, APPROVED_CARD).await).await;
            (PaymentId::parse(&created.field("/id")).unwrap(), paid.field("/status"))
        };
        let (_, first) = pay().await;
        let log = Log::begin();

        let (second, status) = pay().await;

        assert_eq!([first.as_str(), status.as_str()], ["succeeded", "verifying"]);
        let alert = "by a transaction that has approved another";
        assert_eq!(log.text().matches(alert).count(), 1, "{}", log.text());
        world.clock.advance(TimeDelta::minutes(1));
        settle_payment(&world.ports, &world.one.tenant, &second).await.unwrap();
        let read = world.send(&Request::get(format!("/v1/payments/{second}"), &world.one.key)).await;
        assert_eq!(read.field("/status"), "succeeded", "the provider has a transaction of its own for it");
        assert_eq!(world.acquirer.transactions().len(), 2);
    })
    .await;
}
