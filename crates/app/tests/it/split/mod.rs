//! Bills that several payers share, port by mocked port.

mod capture;
mod commands;
mod pay;
mod release;
mod settle;

use chrono::TimeDelta;
use domain::{
    EventKind,
    attempt::{Attempt, AttemptKind, AttemptState},
    sale::Sale,
    split::PartState,
};
use ports::{CallOutcome, Commit, Hold, KeyState, ProviderResponse};
use testkit::sample;

use crate::support::Mocks;

const PAYMENT: &str = "payment_00000000000000000000000001";

/// A world with `sale` and its attempts, and a provider that reserves funds for a week.
fn world(sale: Sale) -> Mocks {
    let mut mocks = Mocks::ready_for_a_sale().with_unused_key();
    mocks.sales.expect_find().returning(move |_, _| Ok(Some(sale.clone())));
    knowing(mocks)
}

fn knowing(mut mocks: Mocks) -> Mocks {
    mocks.provider.expect_hold_validity().return_const(TimeDelta::days(7));
    mocks.sales.expect_find_attempt().returning(|_, id| {
        let ordinals = 1..=10;
        let found = ordinals.flat_map(|ordinal| (1..=2).map(move |place| (ordinal, place)));
        let known = found.map(|(ordinal, place)| attempt(ordinal, place)).find(|it| it.id == *id);
        Ok(known)
    });
    mocks
}

/// The attempts of [`sample::authorized_split`]: the first holds the funds, the second is a call about them.
fn attempt(ordinal: u8, place: u32) -> Attempt {
    let kind = if place == 1 { AttemptKind::Authorization } else { AttemptKind::Capture };
    let held = (place == 1).then(|| format!("hold-{ordinal}"));
    Attempt { provider_reference: held, ..sample::part_attempt(1, ordinal, place, kind) }
}

fn provider_response(outcome: CallOutcome) -> ProviderResponse {
    ProviderResponse { outcome, reference: Some("tx-1".to_owned()), token: None }
}

fn kinds(commit: &Commit) -> Vec<EventKind> {
    commit.events.iter().map(|it| it.kind).collect()
}

fn part_states(commit: &Commit) -> Vec<PartState> {
    commit.payment.as_ref().map(|it| it.to.split().unwrap().part_states()).unwrap_or_default()
}

/// Returns the part and the state of each attempt in a commit.
fn attempts_of(commit: &Commit) -> Vec<(u8, AttemptState)> {
    commit.attempts.iter().map(|it| (it.part.unwrap(), it.state)).collect()
}

fn is_held(commit: &Commit) -> bool {
    commit.key.as_ref().is_some_and(|it| matches!(it.to.state, KeyState::InProgress { attempt: Some(_), .. }))
}

fn is_completed(commit: &Commit) -> bool {
    commit.key.as_ref().is_some_and(|it| matches!(it.to.state, KeyState::Completed(_)))
}

fn is_reopened(commit: &Commit) -> bool {
    commit.key.as_ref().is_some_and(|it| it.to.state == KeyState::Reopened)
}

/// Whether these are the funds of that part, by every name that they have.
fn is_of(hold: &Hold, ordinal: u8) -> bool {
    hold.attempt.attempt == sample::part_attempt_id(1, ordinal, 1)
        && hold.attempt.account == sample::account_id(1)
        && hold.reference.as_deref() == Some(&format!("hold-{ordinal}"))
}
