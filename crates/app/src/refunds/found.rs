//! Money that the acquirer returned without a refund of ours, or for a leg that had failed.

use chrono::{DateTime, Utc};
use domain::{
    Event, RefundId,
    refund::{AcquirerReference, FoundMoney, LegMethod, RefundOrigin, RefundedSale},
};

use super::facts::{Conditions, card_of, new_facts, note_id};
use crate::{Error, Ports};

/// Money of a charge that was found at the acquirer.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) ordinal: Option<u8>,
    pub(super) amount: i64,
    pub(super) method: LegMethod,
    pub(super) reference: AcquirerReference,
    /// The refund with the failed leg that the money belongs to.
    pub(super) late: Option<RefundId>,
}

/// Adds a refund that records the money. Returns its name and the events.
pub(super) fn record_found(
    ports: &Ports,
    after: &mut RefundedSale,
    found: Found,
    conditions: Conditions,
    now: DateTime<Utc>,
) -> Result<(RefundId, Vec<Event>), Error> {
    let Found { ordinal, amount, method, reference, late } = found;
    let facts = new_facts(ports, &after.sale, RefundOrigin::Provider, now);
    let id = facts.id.clone();
    let card = card_of(&after.sale, ordinal);
    let money = FoundMoney { facts, ordinal, amount, method, reference, card, late };
    let events = after.record_found(money, note_id(ports), conditions, now)?;
    Ok((id, events))
}
