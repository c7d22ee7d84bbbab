//! Tables of the simulated database.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{Event, FiscalDocument, Refund, attempt::Attempt, sale::Sale};
use ports::KeyRecord;

use crate::{documents::Documents, event_delivery::EventDelivery, refund_rows::Refunds};

/// Every table.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) sales: BTreeMap<String, Row>,
    pub(crate) attempts: BTreeMap<String, Attempt>,
    pub(crate) documents: Documents,
    pub(crate) refunds: Refunds,
    /// Whether documents are issued and payments refunded.
    pub(crate) has_refunds: bool,
    pub(crate) keys: BTreeMap<(String, [u8; 32]), KeyRecord>,
    pub(crate) delivery: EventDelivery,
    /// How many decisions were made durable.
    pub(crate) commits: u64,
}

/// A sale, its events, and the time of the next due work.
pub(crate) struct Row {
    pub(crate) sale: Sale,
    /// Events of the sale, oldest first.
    pub(crate) announced: Vec<Event>,
    /// The events, each with its moment and what it shows.
    pub(crate) shown: Vec<Shown>,
    pub(crate) due_at: Option<DateTime<Utc>>,
    pub(crate) lease_until: Option<DateTime<Utc>>,
}

/// An event as it is delivered.
pub(crate) struct Shown {
    pub(crate) event: Event,
    pub(crate) at: DateTime<Utc>,
    /// The sale after the event.
    pub(crate) sale: Arc<Sale>,
    /// The refund after the event, of an event about a refund.
    pub(crate) refund: Option<Box<Refund>>,
    /// The credit note after the event.
    pub(crate) note: Option<Box<FiscalDocument>>,
}
