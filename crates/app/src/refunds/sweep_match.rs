//! Records a return in a provider's list that no refund of ours has made.

use domain::refund::ListedReturn;
use ports::{AttemptClues, Commit, SweptAccount};

use super::{
    alert::alert,
    change::changed,
    facts::{conditions, load_sale},
    found::record_found,
};
use crate::{
    Error, Ports,
    transact::{Step, transact},
};

/// What a return in a list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// A refund of ours, or a hold that was released: known.
    Known,
    /// A charge of ours: the money was recorded.
    Recorded,
    /// No attempt of ours.
    Unmatched,
}

/// Records a return that no refund of ours has made, once.
pub(super) async fn record_return(
    ports: &Ports,
    account: &SweptAccount,
    listed: &ListedReturn,
) -> Result<Match, Error> {
    let clues = AttemptClues {
        attempt: listed.attempt.clone(),
        endings: listed.attempt_endings.clone(),
        reference: listed.order.clone().unwrap_or_default(),
    };
    let tenant = &account.tenant;
    let candidates = ports.refunds.attempts_matching(tenant, &account.account, &clues).await?;
    let Some((payment, attempts)) = listed.attempts_of_one_payment(candidates) else { return Ok(Match::Unmatched) };
    if let (Some(amount), Some(attempt)) = (listed.amount, attempts.first())
        && amount.currency() != attempt.amount.currency()
    {
        tracing::error!(attempt = %attempt.id, "the provider lists a return in another currency than its charge");
    }
    let (payment, attempts) = (&payment, &attempts);
    let recorded = transact(ports, |_| async move {
        let before = load_sale(ports, tenant, payment).await?;
        let charges = ports.refunds.charges(tenant, payment).await?;
        let money = attempts.iter().find_map(|attempt| before.unrecorded_return(&charges, attempt, listed));
        let Some(money) = money else { return Ok(Step::Return(None)) };
        let now = ports.clock.now();
        let mut after = before.clone();
        let (id, events) = record_found(ports, &mut after, money, conditions(ports, &before.sale).await?, now)?;
        let commit = Commit { events: events.clone(), ..changed(&before, &after, &id, None, now) };
        Ok::<_, Error>(Step::Commit(Box::new(commit), Some((id, events))))
    });
    Ok(match recorded.await? {
        Some((id, events)) => {
            alert(&id, &events);
            Match::Recorded
        }
        None => Match::Known,
    })
}
