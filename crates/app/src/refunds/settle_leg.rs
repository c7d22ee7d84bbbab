use chrono::{DateTime, Utc};
use domain::{
    RefundId,
    attempt::{Attempt, AttemptState},
    refund::{AcquirerReference, ChargeOrdinal, LegResult, RefundContradiction, RefundRecord},
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

/// An operator's finding about a leg of a refund, by the records of the acquirer.
#[derive(Clone, Debug)]
pub struct SettleRefund {
    /// The refund.
    pub refund: RefundId,
    /// The charge of the leg.
    pub ordinal: ChargeOrdinal,
    /// Whether the money was returned.
    pub result: LegResult,
    /// Reference of the operation, or of the case, at the acquirer.
    pub reference: AcquirerReference,
    /// The operator.
    pub user: String,
}

/// Records an operator's finding about a leg that is in doubt and escalated. Returns `None` for any other leg.
pub(crate) async fn settle_leg(
    ports: &Ports,
    tenant: &Tenant,
    finding: &SettleRefund,
) -> Result<Option<RefundRecord>, Error> {
    let Some(record) = ports.refunds.find(tenant, &finding.refund).await? else { return Ok(None) };
    let (payment, refund) = (&record.refund.facts.payment, &finding.refund);
    let settled = transact(ports, |_| async move {
        let before = load_sale(ports, tenant, payment).await?;
        let was = before.existing(refund)?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let is = after.refund_mut(refund).ok_or(RefundContradiction::UnknownRefund)?;
        let attempt = was.leg(finding.ordinal).and_then(|leg| leg.stage().attempt());
        let progress = is.settle_by_operator(finding.ordinal, finding.result, finding.reference.clone(), now);
        let (Ok(progress), Some(attempt)) = (progress, attempt) else { return Ok(Step::Return(None)) };
        let mut events = progress.events;
        events.extend(after.settle_legs(was, note_id(ports), now)?);
        let attempt = ports.sales.find_attempt(tenant, attempt).await?.ok_or(RefundContradiction::Stored)?;
        let attempts = vec![resolved(attempt, finding, now)];
        let record = after.record(refund).ok_or(RefundContradiction::UnknownRefund)?;
        let commit = Commit { events: events.clone(), attempts, ..changed(&before, &after, refund, None, now) };
        Ok::<_, Error>(Step::Commit(Box::new(commit), Some((record, events))))
    });
    Ok(settled.await?.map(|(record, events)| {
        alert(refund, &events);
        record
    }))
}

fn resolved(attempt: Attempt, finding: &SettleRefund, now: DateTime<Utc>) -> Attempt {
    let reference = finding.reference.as_str().to_owned();
    match finding.result {
        LegResult::Returned => attempt.resolved(AttemptState::Approved, Some(reference), now),
        LegResult::NotReturned => attempt.resolved(refused(), None, now),
    }
}
