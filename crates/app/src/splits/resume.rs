use std::collections::VecDeque;

use domain::{AttemptId, sale::Sale};

use super::{
    call::Call,
    run_calls::{IfNotSubmitted, PendingCommand, begin_calls, run_calls},
};
use crate::{
    Error, Ports, RenderSale, Response,
    idempotency::KeyLease,
    payments::resume::{finish, take_over},
};

/// Resumes a command after a crash of its first process, when the first intents were committed. Calls that may have
/// been made are looked up, never repeated; due work makes the other ones.
pub(super) async fn resume(
    ports: &Ports,
    sale: Sale,
    mut lease: KeyLease,
    attempt: &AttemptId,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let mut waiting: VecDeque<Call> = Call::interrupted(ports, &sale).await?.into();
    if waiting.is_empty() {
        return finish(ports, sale, attempt, &lease, render).await;
    }
    let now = take_over(ports, &sale, &mut lease, attempt).await?;
    let mut same = sale.clone();
    let first_calls = begin_calls(&mut same, &mut waiting, now);
    // The calls of the first process may have been submitted, so the decision stays.
    let if_not_submitted = IfNotSubmitted::KeepDecision;
    let command = PendingCommand { lease, render, before: sale, if_not_submitted, is_reached: false, failure: None };
    let response = run_calls(ports, same, first_calls, waiting, Some(command)).await?;
    response.ok_or_else(|| Error::internal("the last outcome has no response"))
}
