//! Merchants, payers and organizers, with their commands, their order and their mistakes.

use std::sync::Arc;

use domain::PaymentId;

use crate::{
    client::{Command, Ended},
    executor::Process,
    world::World,
};

/// A little longer than a bill may be shared.
const WINDOW: u64 = 125 * 60 * 1000;

impl World {
    /// Sends the customers of a simulated evening to the restaurants.
    pub(crate) fn open_endpoints(self: &Arc<Self>) {
        for n in 0..2 + self.below(3) {
            let world = self.clone();
            self.executor.spawn(Process::OUTSIDE, async move { world.sale(n).await });
        }
    }

    fn walk_in(self: &Arc<Self>, command: Command, tries: u32, who: String) {
        let world = self.clone();
        self.executor.spawn(Process::OUTSIDE, async move { world.insist(command, tries, &who).await });
    }

    async fn idle(&self, at_most: u32) {
        self.executor.pause(self.below(at_most).into()).await;
    }

    /// One sale, from creation to payment.
    async fn sale(self: Arc<Self>, n: u32) {
        self.idle(60_000).await;
        let Some(payment) = self.created(n).await else { return };
        let parts = [0, 0, 2, 3, 4][self.below(5) as usize];
        let has_refunds = self.tables.lock().has_refunds;
        if has_refunds {
            self.open_returns(n, &payment);
        }
        if has_refunds && parts == 0 && self.below(2) == 1 {
            self.clone().insist(Command::Tip(payment.clone()), 1, &format!("tip-{n}")).await;
        }
        if parts == 0 {
            for payer in 0..1 + self.below(2) {
                self.walk_in(Command::Pay(payment.clone(), None), 3, format!("pay-{n}-{payer}"));
            }
        } else {
            self.split_bill(n, &payment, parts).await;
        }
        if self.below(5) == 4 {
            self.walk_in(Command::Cancel(payment), 1, format!("cancel-{n}"));
        }
    }

    /// Several payers, and an organizer that may be in a hurry or cancel.
    async fn split_bill(self: &Arc<Self>, n: u32, payment: &PaymentId, parts: u8) {
        let open = Command::Split(payment.clone(), parts);
        self.clone().insist(open, 2, &format!("split-{n}")).await;
        for ordinal in 1..=parts {
            for payer in 0..1 + self.below(2) {
                let who = format!("pay-{n}-{ordinal}-{payer}");
                self.walk_in(Command::Pay(payment.clone(), Some(ordinal)), 4, who);
            }
        }
        for organizer in 0..1 + self.below(2) {
            self.walk_in(Command::Capture(payment.clone()), 8, format!("capture-{n}-{organizer}"));
        }
        if self.below(4) == 3 {
            self.walk_in(Command::Release(payment.clone()), 1, format!("release-{n}"));
        }
        if self.below(4) == 3 {
            let world = self.clone();
            let (renewal, who) = (Command::Renew(payment.clone()), format!("renew-{n}"));
            self.executor.spawn(Process::OUTSIDE, async move {
                world.executor.pause(WINDOW).await;
                world.insist(renewal, 2, &who).await;
            });
        }
    }

    /// Returns the payment, if the merchant received the response.
    async fn created(self: &Arc<Self>, n: u32) -> Option<PaymentId> {
        let Ended::Answered(body) = self.command(&format!("create-{n}"), Command::Create(n)).await else { return None };
        let text = String::from_utf8(body).ok()?;
        PaymentId::parse(text.split(' ').next()?)
    }

    /// Sends the same command several times, each with a new key, as with another card.
    async fn insist(self: Arc<Self>, command: Command, tries: u32, who: &str) {
        for attempt in 0..tries {
            self.idle(90_000).await;
            let key = format!("{who}-{attempt}");
            match self.command(&key, command.clone()).await {
                Ended::Answered(body) if !is_done(&command, &String::from_utf8_lossy(&body)) => {}
                Ended::Answered(_) => return,
                Ended::Refused | Ended::GivenUp => {}
            }
        }
    }
}

/// Whether the client needs no further attempt.
fn is_done(command: &Command, body: &str) -> bool {
    match command {
        // A single share may be declined in every status of the payment.
        Command::Pay(_, None) => !body.contains(" declined "),
        Command::Pay(_, Some(_)) => body.contains(" authorized "),
        Command::Capture(_) => body.contains(" succeeded "),
        _ => true,
    }
}
