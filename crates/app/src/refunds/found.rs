//! Money that the acquirer returned without a refund of ours, or for a leg that had failed.

use chrono::{DateTime, Utc};
use domain::{
    Event, RefundId,
    refund::{FoundMoney, RefundConditions, RefundOrigin, RefundedSale},
};

use super::facts::{new_facts, note_id};
use crate::{Error, Ports};

/// Adds a refund that records the money. Returns its ID and the events.
pub(super) fn record_found(
    ports: &Ports,
    after: &mut RefundedSale,
    money: FoundMoney,
    conditions: RefundConditions,
    now: DateTime<Utc>,
) -> Result<(RefundId, Vec<Event>), Error> {
    let facts = new_facts(ports, &after.sale, RefundOrigin::Provider, now);
    let id = facts.id.clone();
    let events = after.record_found(facts, money, note_id(ports), conditions, now)?;
    Ok((id, events))
}
