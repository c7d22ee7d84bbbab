use std::collections::VecDeque;

use domain::{AttemptId, sale::Sale};
use ports::{Commit, CommitError};

use super::{
    call::Call,
    drive::{Asked, begin, drive},
};
use crate::{
    Answer, Error, Ports,
    keyed::{Claim, in_progress},
    outcome::{RenderSale, commit_about},
    submit_card::finish,
};

/// Whoever began under this key is gone after the first intents were made durable. What they may
/// have asked for is looked up and never asked for again; what they did not begin is due to the worker.
pub(super) async fn resume(
    ports: &Ports,
    sale: Sale,
    mut claim: Claim,
    attempt: &AttemptId,
    render: RenderSale<'_>,
) -> Result<Answer, Error> {
    let mut waiting: VecDeque<Call> = Call::left_behind(ports, &sale).await?.into();
    if waiting.is_empty() {
        return finish(ports, sale, attempt, &mut claim, render).await;
    }
    let now = ports.clock.now();
    let held = claim.hold(attempt, now);
    // Of many who find the key left behind, one goes on with it.
    let taking_over = Commit { key: Some(held), ..commit_about(&sale, Some(claim.request().clone()), now) };
    match ports.sales.commit(taking_over).await {
        Ok(()) => claim.stands(now),
        Err(CommitError::KeyTaken) => return Err(in_progress()),
        Err(CommitError::Stale) => return Err(Error::internal("nothing but a key was taken over")),
        Err(CommitError::Unavailable(error)) => return Err(error.into()),
    }
    let mut same = sale.clone();
    let begun = begin(&mut same, &mut waiting, now);
    let asked = Asked { claim, render, before: sale, is_reached: true, failure: None };
    let answer = drive(ports, same, begun, waiting, Some(asked)).await?;
    answer.ok_or_else(|| Error::internal("the last outcome has no answer"))
}
