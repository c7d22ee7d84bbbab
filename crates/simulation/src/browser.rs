//! Payers with a challenge: they return once, twice, too late, or never.

use std::sync::Arc;

use app::{IssuerReturn, return_from_issuer};
use ports::{AttemptRef, AuthStep, CallOutcome, Charge, NotSubmitted, ProviderResponse};

use crate::{
    bank::{Done, Wish},
    bug::Bug,
    executor::Process,
    node::Node,
    way::{Way, response},
    world::{PROCESSES, World},
};

/// Timeout of a browser in milliseconds.
const TIMEOUT: u64 = 30_000;
/// A return after this time is too late.
const TOO_LONG: u32 = 16 * 60 * 1000;

impl Node {
    /// Sends the payer's browser to the issuer, once the response to the card requires this.
    pub(crate) fn send_browser(&self, charge: &Charge, wish: Wish) {
        let Some(answered) = charge.authentication.as_ref().map(|it| it.returns.challenge.clone()) else { return };
        let link = answered.rsplit('/').nth(1).unwrap_or_default().to_owned();
        let world = self.world.clone();
        self.world.executor.spawn(Process::OUTSIDE, async move { world.visit(&link, wish).await });
    }

    async fn take_step(&self, attempt_ref: &AttemptRef, is_answer: bool) -> CallOutcome {
        let Self { world, process, .. } = self;
        let attempt = &attempt_ref.attempt;
        world.leave(*process, "go_on").await;
        let way = self.way();
        if way == Way::Down {
            return CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
        }
        let now = world.executor.now();
        let finding = world.bank.lock().audit_step(attempt, is_answer, &world.tables.lock(), now);
        world.find(finding);
        let decline = self.draws_decline();
        let delay = if let Way::Done(delay) = way { delay } else { 0 };
        let done = match way {
            Way::Lost => Done::Yes,
            _ => world.bank.lock().go_on(attempt, is_answer, (now, delay), decline),
        };
        world.report(*process, || format!("goes on with {attempt}: {way:?}, {done:?}"));
        world.leave(*process, "went_on").await;
        self.received(way, done)
    }

    pub(crate) async fn go_on(&self, attempt_ref: AttemptRef, step: AuthStep) -> ProviderResponse {
        let is_answer = matches!(step, AuthStep::ChallengeDone { .. });
        let mut outcome = self.take_step(&attempt_ref, is_answer).await;
        if self.world.bug == Some(Bug::TakesStepsAgain) && outcome == CallOutcome::Ambiguous {
            outcome = self.take_step(&attempt_ref, is_answer).await;
        }
        response(outcome, &attempt_ref)
    }
}

impl World {
    /// A payer with the issuer.
    async fn visit(self: Arc<Self>, link: &str, wish: Wish) {
        let steps: &[IssuerReturn] = match wish {
            Wish::Look => &[IssuerReturn::MethodDone],
            Wish::LookAndAnswer => &[IssuerReturn::MethodDone, IssuerReturn::ChallengeResult(String::new())],
            Wish::Answer => &[IssuerReturn::ChallengeResult(String::new())],
        };
        for step in steps {
            let mood = self.below(8);
            if mood == 7 {
                return;
            }
            let late = if mood == 6 { TOO_LONG } else { 0 };
            self.executor.pause(u64::from(10_000 + late + self.below(60_000))).await;
            if mood == 5 {
                // An impatient payer sends the form twice at once.
                let (world, link, step) = (self.clone(), link.to_owned(), step.clone());
                self.executor.spawn(Process::OUTSIDE, async move { world.return_browser(&link, &step).await });
            }
            self.return_browser(link, step).await;
        }
    }

    /// Sends a browser's form until a response arrives, like a reloaded page.
    async fn return_browser(self: &Arc<Self>, link: &str, returned: &IssuerReturn) {
        for _ in 0..3 {
            let process = PROCESSES[self.below(3) as usize];
            if self.is_up(process) {
                let (ports, link, returned) =
                    (Node::new(self.clone(), process).ports(), link.to_owned(), returned.clone());
                let (_, reply) =
                    self.serve(process, async move { return_from_issuer(&ports, &link, returned, None).await });
                if let Some(Ok(_)) = reply.read(&self.executor, TIMEOUT).await {
                    return;
                }
            }
            self.executor.pause(u64::from(self.below(20_000)) + 1_000).await;
        }
    }
}
