//! Payers whose issuers want to see them: they come back once, twice, too late, or never.

use std::sync::Arc;

use app::{IssuerReturn, return_from_issuer};
use domain::payment::Action;
use ports::{AttemptRef, AuthStep, CallOutcome, Charge, NotSubmitted, ProviderResponse};

use crate::{
    bank::{Done, Wish},
    bug::Bug,
    executor::{Process, lock},
    node::Node,
    provider::{Way, said},
    world::{PROCESSES, World},
};

/// A browser waits this many milliseconds for a page.
const PATIENCE: u64 = 30_000;
/// Whoever takes longer comes too late.
const TOO_LONG: u32 = 16 * 60 * 1000;

/// What the issuer wants of a browser, as a provider says it.
pub(crate) fn action(wish: Wish) -> Action {
    match wish {
        Wish::Look | Wish::LookAndAnswer => Action::Method { form: "<form></form>".to_owned() },
        Wish::Answer => Action::Challenge { address: "https://issuer.example".to_owned(), request: "e30=".to_owned() },
    }
}

impl Node {
    /// The payer's browser is on its way to the issuer, once the answer to its card says so.
    pub(crate) fn send_browser(&self, charge: &Charge, wish: Wish) {
        let Some(answered) = charge.authentication.as_ref().map(|it| it.returns.answered.clone()) else { return };
        let link = answered.rsplit('/').nth(1).unwrap_or_default().to_owned();
        let world = self.world.clone();
        self.world.executor.spawn(Process::OUTSIDE, async move { world.visit(&link, wish).await });
    }

    async fn take_step(&self, of: &AttemptRef, is_answer: bool) -> CallOutcome {
        let Self { world, process } = self;
        let attempt = &of.attempt;
        world.leave(*process, "go_on").await;
        let way = self.way();
        if way == Way::Down {
            return CallOutcome::NotSubmitted(NotSubmitted::Unavailable);
        }
        let now = world.executor.now();
        let finding = lock(&world.bank).audit_step(attempt, is_answer, &lock(&world.tables), now);
        world.find(finding);
        let decline = self.draws_decline();
        let delay = if let Way::Done(delay) = way { delay } else { 0 };
        let done = match way {
            Way::Lost => Done::Yes,
            _ => lock(&world.bank).go_on(attempt, is_answer, (now, delay), decline),
        };
        world.tell(*process, || format!("goes on with {attempt}: {way:?}, {done:?}"));
        world.leave(*process, "went_on").await;
        self.heard(way, done)
    }

    pub(crate) async fn go_on(&self, of: AttemptRef, step: AuthStep) -> ProviderResponse {
        let is_answer = matches!(step, AuthStep::Answered { .. });
        let mut outcome = self.take_step(&of, is_answer).await;
        if self.world.bug == Some(Bug::TakesStepsAgain) && outcome == CallOutcome::Ambiguous {
            outcome = self.take_step(&of, is_answer).await;
        }
        said(outcome, &of)
    }
}

impl World {
    /// A payer with the issuer.
    async fn visit(self: Arc<Self>, link: &str, wish: Wish) {
        let steps: &[IssuerReturn] = match wish {
            Wish::Look => &[IssuerReturn::Look],
            Wish::LookAndAnswer => &[IssuerReturn::Look, IssuerReturn::Answer(String::new())],
            Wish::Answer => &[IssuerReturn::Answer(String::new())],
        };
        for step in steps {
            let mood = self.below(8);
            if mood == 7 {
                return;
            }
            let late = if mood == 6 { TOO_LONG } else { 0 };
            self.executor.pause(u64::from(10_000 + late + self.below(60_000))).await;
            if mood == 5 {
                // Who is impatient sends twice at once.
                let (world, link, step) = (self.clone(), link.to_owned(), step.clone());
                self.executor.spawn(Process::OUTSIDE, async move { world.bring(&link, &step).await });
            }
            self.bring(link, step).await;
        }
    }

    /// Sends a browser's form until it has an answer, as whoever reloads a page does.
    async fn bring(self: &Arc<Self>, link: &str, brought: &IssuerReturn) {
        for _ in 0..3 {
            let process = PROCESSES[self.below(3) as usize];
            if self.is_up(process) {
                let (ports, link, brought) =
                    (Node { world: self.clone(), process }.ports(), link.to_owned(), brought.clone());
                let (_, letter) =
                    self.serve(process, async move { return_from_issuer(&ports, &link, brought, None).await });
                if let Some(Ok(_)) = letter.read(&self.executor, PATIENCE).await {
                    return;
                }
            }
            self.executor.pause(u64::from(self.below(20_000)) + 1_000).await;
        }
    }
}
