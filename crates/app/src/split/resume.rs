use std::collections::VecDeque;

use domain::{AttemptId, sale::Sale};

use super::{
    call::Call,
    drive::{Asked, begin, drive},
};
use crate::{
    Response, Error, Ports,
    keyed::Claim,
    outcome::RenderSale,
    submit_card::{finish, take_over},
};

/// Whoever began under this key is gone after the first intents were made durable. What they may
/// have asked for is looked up and never asked for again; what they did not begin is due to the worker.
pub(super) async fn resume(
    ports: &Ports,
    sale: Sale,
    mut claim: Claim,
    attempt: &AttemptId,
    render: RenderSale<'_>,
) -> Result<Response, Error> {
    let mut waiting: VecDeque<Call> = Call::left_behind(ports, &sale).await?.into();
    if waiting.is_empty() {
        return finish(ports, sale, attempt, &claim, render).await;
    }
    let now = take_over(ports, &sale, &mut claim, attempt).await?;
    let mut same = sale.clone();
    let begun = begin(&mut same, &mut waiting, now);
    let asked = Asked { claim, render, before: sale, is_reached: true, failure: None };
    let answer = drive(ports, same, begun, waiting, Some(asked)).await?;
    answer.ok_or_else(|| Error::internal("the last outcome has no answer"))
}
