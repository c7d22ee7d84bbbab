use chrono::{DateTime, Utc};
use domain::{
    RefundId,
    attempt::{Attempt, AttemptState},
    refund::{ChargeOrdinal, LegResult, OperatorFinding, RefundContradiction, RefundRecord},
};
use ports::{Commit, Tenant};

use super::{
    alert::alert,
    apply::refused,
    change::changed,
    facts::{load_sale, note_id},
};
use crate::{
    Error, Ports,
    transact::{Step, transact},
};

/// Settlement of a leg of a refund, by the records of the acquirer.
#[derive(Clone, Debug)]
pub struct SettleRefund {
    /// The refund.
    pub refund: RefundId,
    /// The charge of the leg.
    pub ordinal: ChargeOrdinal,
    /// Whether the money was returned.
    pub result: LegResult,
    /// The operator, and the reference of the operation.
    pub finding: OperatorFinding,
}

/// Records an operator's finding about a leg that is in doubt and escalated. Returns `None` for any other leg.
pub(crate) async fn settle_leg(
    ports: &Ports,
    tenant: &Tenant,
    command: &SettleRefund,
) -> Result<Option<RefundRecord>, Error> {
    let Some(record) = ports.refunds.find(tenant, &command.refund).await? else { return Ok(None) };
    let (payment, refund) = (&record.refund.facts.payment, &command.refund);
    let settled = transact(ports, |_| async move {
        let before = load_sale(ports, tenant, payment).await?;
        let was = before.existing(refund)?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let is = after.refund_mut(refund).ok_or(RefundContradiction::UnknownRefund)?;
        let attempt = was.leg(command.ordinal).and_then(|leg| leg.stage().attempt());
        let progress = is.settle_by_operator(command.ordinal, command.result, command.finding.clone(), now);
        let (Ok(progress), Some(attempt)) = (progress, attempt) else { return Ok(Step::Return(None)) };
        let mut events = progress.events;
        events.extend(after.settle_legs(was, note_id(ports), now)?);
        let attempt = ports.sales.find_attempt(tenant, attempt).await?.ok_or(RefundContradiction::Stored)?;
        let attempts = vec![resolved(attempt, command, now)];
        let record = after.record(refund).ok_or(RefundContradiction::UnknownRefund)?;
        let commit = Commit { events: events.clone(), attempts, ..changed(&before, &after, refund, None, now) };
        Ok::<_, Error>(Step::Commit(Box::new(commit), Some((record, events))))
    });
    Ok(settled.await?.map(|(record, events)| {
        alert(refund, &events);
        record
    }))
}

fn resolved(attempt: Attempt, command: &SettleRefund, now: DateTime<Utc>) -> Attempt {
    let reference = command.finding.reference.as_str().to_owned();
    match command.result {
        LegResult::Returned => attempt.resolved(AttemptState::Approved, Some(reference), now),
        LegResult::NotReturned => attempt.resolved(refused(), None, now),
    }
}
