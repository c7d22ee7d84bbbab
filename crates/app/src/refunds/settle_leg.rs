use chrono::{DateTime, Utc};
use domain::{
    Event, RefundId,
    attempt::{Attempt, AttemptState},
    refund::{AcquirerReference, RefundRecord},
};
use ports::{Commit, Tenant};

use super::{
    alert::alert,
    apply::refused,
    change::changed,
    facts::{contradiction, note_id, stored},
};
use crate::{
    Error, Ports,
    transact::{Step, transact},
};

/// An operator's finding about a leg in doubt.
pub(crate) struct LegFinding<'a> {
    pub(crate) refund: &'a RefundId,
    pub(crate) ordinal: Option<u8>,
    pub(crate) is_returned: bool,
    pub(crate) reference: &'a AcquirerReference,
}

/// Records an operator's finding about a leg that is in doubt and escalated. Returns `None` for any other leg.
pub(crate) async fn settle_leg(
    ports: &Ports,
    tenant: &Tenant,
    finding: LegFinding<'_>,
) -> Result<Option<RefundRecord>, Error> {
    let Some(record) = ports.refunds.find(tenant, finding.refund).await? else { return Ok(None) };
    let (payment, finding) = (&record.refund.facts.payment, &finding);
    let settled = transact(ports, |_| async move {
        let before = stored(ports, tenant, payment).await?;
        let was = before.refund(finding.refund).ok_or_else(contradiction)?;
        let now = ports.clock.now();
        let mut after = before.clone();
        let refund = after.refund_mut(finding.refund).ok_or_else(contradiction)?;
        let leg = was.legs().iter().find(|leg| leg.ordinal == finding.ordinal);
        let attempt = leg.and_then(|leg| leg.stage().attempt().cloned());
        let reference = finding.reference.clone();
        let progress = refund.settle_by_operator(finding.ordinal, finding.is_returned, reference, now);
        let (Ok(progress), Some(attempt)) = (progress, attempt) else { return Ok(Step::Return(None)) };
        let mut events: Vec<Event> = progress.events.into_iter().map(Event::from).collect();
        events.extend(after.follow(was, note_id(ports), now)?);
        let attempt = ports.sales.find_attempt(tenant, &attempt).await?.ok_or_else(contradiction)?;
        let attempts = vec![resolved(attempt, finding, now)];
        let record = after.record(finding.refund).ok_or_else(contradiction)?;
        let commit = changed(&before, &after, finding.refund, None, now);
        let commit = Commit { events: events.clone(), attempts, ..commit };
        Ok::<_, Error>(Step::Commit(Box::new(commit), Some((record, events))))
    });
    Ok(settled.await?.map(|(record, events)| {
        alert(finding.refund, &events);
        record
    }))
}

fn resolved(attempt: Attempt, finding: &LegFinding<'_>, now: DateTime<Utc>) -> Attempt {
    let reference = finding.reference.as_str().to_owned();
    match finding.is_returned {
        true => attempt.resolved(AttemptState::Approved, Some(reference), now),
        false => attempt.resolved(refused(), None, now),
    }
}
