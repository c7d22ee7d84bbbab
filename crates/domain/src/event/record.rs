use chrono::{DateTime, Utc};

use super::EventKind;
use crate::{
    EventId, FiscalDocument, MerchantAccountId, Refund, RequestId,
    account::{Account, Readiness},
    sale::Sale,
    webhook::WebhookEndpoint,
};

/// A stored event with its subject after the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRecord {
    /// The identifier.
    pub id: EventId,
    /// The kind.
    pub kind: EventKind,
    /// When.
    pub created_at: DateTime<Utc>,
    /// The request that caused the event, if any.
    pub request: Option<RequestId>,
    /// The subject.
    pub subject: Subject,
}

/// Subject of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A payment and its document.
    Sale(Box<SaleEvent>),
    /// A merchant's account and its readiness.
    Account(Box<AccountEvent>),
    /// A webhook endpoint after the change.
    Endpoint(Box<WebhookEndpoint>),
}

/// Payload of a payment's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaleEvent {
    /// The status that was left, if one was.
    pub previous_status: Option<String>,
    /// The part of the split, if the event is about one.
    pub part: Option<u8>,
    /// Number in the payment's sequence, from 1, without gaps.
    pub sequence: u32,
    /// The sale right after. Of an event about a credit note, the document may be in a later state.
    pub sale: Sale,
    /// The refund right after, of an event about a refund.
    pub refund: Option<Box<Refund>>,
    /// The credit note right after: of an event about a credit note, or about a refund that has one.
    pub note: Option<Box<FiscalDocument>>,
}

/// Payload of an account's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEvent {
    /// The account right after.
    pub account: Account,
    /// The readiness after the change.
    pub readiness: Readiness,
    /// The status of the event before.
    pub previous_status: String,
}

impl EventRecord {
    /// Returns the payload of a payment's event.
    pub fn of_sale(&self) -> Option<&SaleEvent> {
        match &self.subject {
            Subject::Sale(it) => Some(it),
            Subject::Account(_) | Subject::Endpoint(_) => None,
        }
    }

    /// Returns the account, if the event is about one.
    pub fn account(&self) -> Option<&MerchantAccountId> {
        match &self.subject {
            Subject::Sale(it) => Some(&it.sale.payment.facts.account),
            Subject::Account(it) => Some(&it.account.id),
            Subject::Endpoint(_) => None,
        }
    }
}
