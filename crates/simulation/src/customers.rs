//! Merchants, payers and organizers: what they want, in what order, and how often they get it wrong.

use std::sync::Arc;

use domain::PaymentId;

use crate::{
    client::{Command, Ended},
    executor::Process,
    world::World,
};

impl World {
    /// Sends the customers of a simulated evening to the restaurants.
    pub(crate) fn open_doors(self: &Arc<Self>) {
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

    /// One sale, from the waiter's tablet to whoever pays it.
    async fn sale(self: Arc<Self>, n: u32) {
        self.idle(60_000).await;
        let Some(payment) = self.created(n).await else { return };
        for payer in 0..1 + self.below(2) {
            self.walk_in(Command::Pay(payment.clone(), None), 3, format!("pay-{n}-{payer}"));
        }
        if self.below(5) == 4 {
            self.walk_in(Command::Cancel(payment), 1, format!("cancel-{n}"));
        }
    }

    /// The payment, if its merchant ever learned of it.
    async fn created(self: &Arc<Self>, n: u32) -> Option<PaymentId> {
        let Ended::Answered(body) = self.command(&format!("create-{n}"), Command::Create(n)).await else { return None };
        let text = String::from_utf8(body).ok()?;
        PaymentId::parse(text.split(' ').next()?)
    }

    /// Sends the same command several times, each under a key of its own, as with another card.
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

/// Whether who sent the command has nothing left to wish for.
fn is_done(command: &Command, body: &str) -> bool {
    match command {
        Command::Pay(..) => !body.contains(" declined "),
        Command::Create(_) | Command::Cancel(_) => true,
    }
}
