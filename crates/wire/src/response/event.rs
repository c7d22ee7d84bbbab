use domain::{
    event::{self, EventRecord, SaleEvent},
    sale::Sale,
};
use serde::Serialize;

use super::{
    FiscalDocumentResponse, MerchantAccountResponse, PaymentPartResponse, PaymentResponse, PaymentSplitResponse,
    PublicUrls, Timestamp, WebhookEndpointResponse, payment::EventPayment, to_bytes,
};

/// Something that happened, as it is sent to endpoints and as it can be read again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventPayload<'a> {
    id: &'a str,
    object: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    api_version: &'static str,
    is_live_mode: bool,
    created_at: Timestamp,
    /// `null` where it is about no payment.
    sequence: Option<u32>,
    merchant_account_id: Option<&'a str>,
    request: Request<'a>,
    data: Data<'a>,
}

/// What brought it about.
#[derive(Serialize)]
struct Request<'a> {
    /// `null` where no request did.
    id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    object: Subject<'a>,
    previous_status: Option<&'a str>,
}

/// What it happened to, as it stood right after.
#[derive(Serialize)]
#[serde(untagged)]
enum Subject<'a> {
    Payment(Box<EventPayment<'a>>),
    FiscalDocument(Box<FiscalDocumentResponse<'a>>),
    PaymentSplit(Box<PaymentSplitResponse<'a>>),
    DeletedSplit(DeletedSplit<'a>),
    PaymentPart(Box<PaymentPartResponse<'a>>),
    MerchantAccount(Box<MerchantAccountResponse<'a>>),
    WebhookEndpoint(Box<WebhookEndpointResponse<'a>>),
    Truncated(Truncated<'a>),
}

/// The name of a split that is no more: the payment is whole again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeletedSplit<'a> {
    object: &'static str,
    payment_id: &'a str,
    is_deleted: bool,
}

/// The name of something that is too long to be told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Truncated<'a> {
    id: &'a str,
    object: &'static str,
    is_truncated: bool,
}

impl<'a> EventPayload<'a> {
    /// No event is longer, in bytes. Receivers set a limit to what they take.
    pub const MAX: usize = 64 * 1024;

    /// The event that is kept as `record`. It tells of the moment when it happened, whenever it is told.
    pub fn new(record: &'a EventRecord, urls: &PublicUrls) -> Self {
        let EventRecord { id, kind, created_at, request, subject } = record;
        let (mode, told, object) = match subject {
            event::Subject::Sale(told) => {
                (told.sale.payment.facts.mode, Some(&**told), Subject::of(record, told, urls))
            }
            event::Subject::Account(it) => {
                let account = MerchantAccountResponse::new(&it.account, &it.readiness);
                (it.account.mode, None, Subject::MerchantAccount(Box::new(account)))
            }
            event::Subject::Endpoint(it) => (it.mode, None, Subject::WebhookEndpoint(Box::new((&**it).into()))),
        };
        let event = Self {
            id: id.as_str(),
            object: "event",
            kind: kind.as_str(),
            api_version: "v1",
            is_live_mode: mode.is_live(),
            created_at: (*created_at).into(),
            sequence: told.map(|it| it.sequence),
            merchant_account_id: record.account().map(|it| it.as_str()),
            request: Request { id: request.as_ref().map(|it| it.as_str()) },
            data: Data { object, previous_status: left(subject) },
        };
        event.within_bounds(Truncated::of(record))
    }

    fn within_bounds(self, instead: Truncated<'a>) -> Self {
        if to_bytes(&self).len() <= Self::MAX {
            return self;
        }
        Self { data: Data { object: Subject::Truncated(instead), ..self.data }, ..self }
    }
}

impl<'a> Subject<'a> {
    fn of(record: &'a EventRecord, told: &'a SaleEvent, urls: &PublicUrls) -> Self {
        let SaleEvent { part, sale, .. } = told;
        let part = part.and_then(|ordinal| PaymentPartResponse::of(sale, ordinal, urls));
        match (family(record), PaymentSplitResponse::of(sale), part) {
            ("fiscal_document", ..) => Self::FiscalDocument(Box::new(FiscalDocumentResponse::full(sale))),
            ("payment_split", Some(split), _) => Self::PaymentSplit(Box::new(split)),
            ("payment_split", None, _) => Self::DeletedSplit(DeletedSplit::of(sale)),
            ("payment_part", _, Some(part)) => Self::PaymentPart(Box::new(part)),
            _ => Self::Payment(Box::new(PaymentResponse::told(sale, urls, record.created_at))),
        }
    }
}

impl<'a> DeletedSplit<'a> {
    fn of(sale: &'a Sale) -> Self {
        Self { object: "payment_split", payment_id: sale.payment.facts.id.as_str(), is_deleted: true }
    }
}

impl<'a> Truncated<'a> {
    /// A split, its parts, an account and an endpoint are never too long.
    fn of(record: &'a EventRecord) -> Self {
        let (id, object) = match (&record.subject, family(record)) {
            (event::Subject::Account(it), _) => (it.account.id.as_str(), "merchant_account"),
            (event::Subject::Endpoint(it), _) => (it.id.as_str(), "webhook_endpoint"),
            (event::Subject::Sale(it), "fiscal_document") => (it.sale.document.facts.id.as_str(), "fiscal_document"),
            (event::Subject::Sale(it), _) => (it.sale.payment.facts.id.as_str(), "payment"),
        };
        Self { id, object, is_truncated: true }
    }
}

/// The status that was left.
fn left(subject: &event::Subject) -> Option<&str> {
    match subject {
        event::Subject::Sale(it) => it.previous_status.as_deref(),
        event::Subject::Account(it) => Some(&it.previous_status),
        event::Subject::Endpoint(_) => None,
    }
}

/// What the event is about: the first part of its kind.
fn family(record: &EventRecord) -> &'static str {
    let kind = record.kind.as_str();
    kind.split_once('.').map_or(kind, |(family, _)| family)
}
