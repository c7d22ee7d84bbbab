use domain::{
    EventKind, FiscalDocumentId, MerchantAccountId, PaymentId, RefundId, RequestId,
    event::{self, EventRecord, SaleEvent},
    sale::Sale,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::{
    FiscalDocumentResponse, MerchantAccountResponse, MerchantRefundResponse, PaymentPartResponse, PaymentResponse,
    PaymentSplitResponse, PublicUrls, WebhookEndpointResponse,
    payment::EventPayment,
    to_bytes,
    value::{ApiVersion, EventObject, Id, OpenCode, PaymentSplitObject, Timestamp},
};
use crate::schema;

/// Event, in deliveries and in responses.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Event")]
pub struct EventPayload<'a> {
    /// Identifier of the event.
    id: Id<'a, domain::EventId>,
    /// Type of the object.
    object: EventObject,
    /// Type of the event. More types may be added: ignore unknown ones.
    #[serde(rename = "type")]
    kind: OpenCode<EventKind>,
    /// Version of the API that defines the event.
    api_version: ApiVersion,
    /// Whether the event belongs to live mode.
    is_live_mode: bool,
    /// When the event happened.
    created_at: Timestamp,
    /// Position among the events of one payment, with split, documents and refunds, without gaps. Ignore events that arrive
    /// late. `null` for an event without payment.
    #[schemars(range(min = 0))]
    sequence: Option<u32>,
    /// Merchant account of the event. `null` for an event without account.
    merchant_account_id: Option<Id<'a, MerchantAccountId>>,
    /// Request that caused the event.
    request: Request<'a>,
    /// What changed.
    data: Data<'a>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct Request<'a> {
    /// Identifier of the request. `null` if no request caused the event.
    id: Option<Id<'a, RequestId>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Data<'a> {
    /// Object of the event, in the state right after the event.
    object: Subject<'a>,
    /// Status before the event. `null` if the status did not change.
    previous_status: Option<&'a str>,
}

#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
#[schemars(inline)]
enum Subject<'a> {
    Payment(Box<EventPayment<'a>>),
    PaymentSplit(Box<PaymentSplitResponse<'a>>),
    DeletedSplit(DeletedSplit<'a>),
    PaymentPart(Box<PaymentPartResponse<'a>>),
    Refund(Box<MerchantRefundResponse<'a>>),
    MerchantAccount(Box<MerchantAccountResponse<'a>>),
    WebhookEndpoint(Box<WebhookEndpointResponse<'a>>),
    Truncated(Truncated<'a>),
    FiscalDocument(Box<FiscalDocumentResponse<'a>>),
}

/// Split that was deleted: the payment is whole again.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct DeletedSplit<'a> {
    /// Type of the object.
    object: PaymentSplitObject,
    /// Payment that was split.
    payment_id: Id<'a, PaymentId>,
    /// Always true.
    is_deleted: bool,
}

/// Object that would make the event longer than 64 KiB. Retrieve the object by `id`.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Truncated<'a> {
    /// Identifier of the object.
    #[schemars(schema_with = "truncated_id")]
    id: &'a str,
    /// Type of the object.
    #[schemars(extend("enum" = ["payment", "fiscal_document", "refund"]))]
    object: &'static str,
    /// Always true.
    is_truncated: bool,
}

fn truncated_id(_: &mut SchemaGenerator) -> Schema {
    let prefix = format!("({}|{}|{})", PaymentId::PREFIX, FiscalDocumentId::PREFIX, RefundId::PREFIX);
    schema::id(&prefix).try_into().expect("a schema is an object")
}

impl<'a> EventPayload<'a> {
    /// Maximum length of an event in bytes. Receivers limit the bodies that they accept.
    pub const MAX: usize = 64 * 1024;

    /// Returns the payload of a stored event, with the object at the time of the event.
    pub fn new(record: &'a EventRecord, urls: &PublicUrls) -> Self {
        let EventRecord { id, kind, created_at, request, subject } = record;
        let (mode, of_sale, object) = match subject {
            event::Subject::Sale(event) => {
                (event.sale.payment.facts.mode, Some(&**event), Subject::of(record, event, urls))
            }
            event::Subject::Account(event) => {
                let account = MerchantAccountResponse::new(&event.account, &event.readiness);
                (event.account.mode, None, Subject::MerchantAccount(Box::new(account)))
            }
            event::Subject::Endpoint(endpoint) => {
                (endpoint.mode, None, Subject::WebhookEndpoint(Box::new((&**endpoint).into())))
            }
        };
        let event = Self {
            id: id.into(),
            object: EventObject,
            kind: (*kind).into(),
            api_version: ApiVersion,
            is_live_mode: mode.is_live(),
            created_at: (*created_at).into(),
            sequence: of_sale.map(|event| event.sequence),
            merchant_account_id: record.account().map(Id::from),
            request: Request { id: request.as_ref().map(Id::from) },
            data: Data { object, previous_status: previous_status(subject) },
        };
        event.within_bounds(Truncated::of(record))
    }

    fn within_bounds(self, replacement: Truncated<'a>) -> Self {
        if to_bytes(&self).len() <= Self::MAX {
            return self;
        }
        Self { data: Data { object: Subject::Truncated(replacement), ..self.data }, ..self }
    }
}

impl<'a> Subject<'a> {
    fn of(record: &'a EventRecord, event: &'a SaleEvent, urls: &PublicUrls) -> Self {
        let SaleEvent { part, sale, refund, note, .. } = event;
        let part = part.and_then(|ordinal| PaymentPartResponse::of(sale, ordinal, urls));
        match (object_type(record), refund, note) {
            ("refund", Some(refund), note) => {
                return Self::Refund(Box::new(MerchantRefundResponse::new(refund, note.as_deref())));
            }
            ("credit_note", _, Some(note)) => {
                return Self::FiscalDocument(Box::new(FiscalDocumentResponse::note(note)));
            }
            _ => {}
        }
        match (object_type(record), PaymentSplitResponse::of(sale), part) {
            ("fiscal_document", ..) => Self::FiscalDocument(Box::new(FiscalDocumentResponse::full(sale))),
            ("payment_split", Some(split), _) => Self::PaymentSplit(Box::new(split)),
            ("payment_split", None, _) => Self::DeletedSplit(DeletedSplit::of(sale)),
            ("payment_part", _, Some(part)) => Self::PaymentPart(Box::new(part)),
            _ => Self::Payment(Box::new(PaymentResponse::for_event(sale, urls, record.created_at))),
        }
    }
}

impl<'a> DeletedSplit<'a> {
    fn of(sale: &'a Sale) -> Self {
        Self { object: PaymentSplitObject, payment_id: (&sale.payment.facts.id).into(), is_deleted: true }
    }
}

impl<'a> Truncated<'a> {
    /// Splits, parts, accounts and endpoints are always short enough.
    fn of(record: &'a EventRecord) -> Self {
        let (id, object) = match (&record.subject, object_type(record)) {
            (event::Subject::Account(event), _) => (event.account.id.as_str(), "merchant_account"),
            (event::Subject::Endpoint(endpoint), _) => (endpoint.id.as_str(), "webhook_endpoint"),
            (event::Subject::Sale(event), "fiscal_document") => {
                (event.sale.document.facts.id.as_str(), "fiscal_document")
            }
            (event::Subject::Sale(event), object) => match (object, &event.refund, &event.note) {
                ("refund", Some(refund), _) => (refund.facts.id.as_str(), "refund"),
                ("credit_note", _, Some(note)) => (note.facts.id.as_str(), "fiscal_document"),
                _ => (event.sale.payment.facts.id.as_str(), "payment"),
            },
        };
        Self { id, object, is_truncated: true }
    }
}

fn previous_status(subject: &event::Subject) -> Option<&str> {
    match subject {
        event::Subject::Sale(event) => event.previous_status.as_deref(),
        event::Subject::Account(event) => Some(&event.previous_status),
        event::Subject::Endpoint(_) => None,
    }
}

/// Type of the object of an event: the first segment of the type.
fn object_type(record: &EventRecord) -> &'static str {
    let kind = record.kind.as_str();
    kind.split_once('.').map_or(kind, |(object, _)| object)
}
