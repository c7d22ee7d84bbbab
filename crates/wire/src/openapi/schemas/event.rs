//! What happened.

use domain::{EventId, EventKind, FiscalDocumentId, MerchantAccountId, PaymentId, RequestId};
use serde_json::{Value, json};

use super::{
    super::schema::{boolean, choice, count, id, instant, nullable, one_of, only, open, open_choice, required, saying},
    Named, document,
    payment::page_of,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("Event", event()),
        ("EventSelector", choice(event_patterns().iter().map(String::as_str).chain(["*"]))),
        ("DeletedSplit", deleted_split()),
        ("Truncated", truncated()),
        ("EventList", page_of("Event")),
    ]
}

/// What can be asked for: every kind, and every family of kinds as `payment.*`.
pub(in crate::openapi) fn event_patterns() -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    for kind in EventKind::ALL {
        let (family, _) = kind.as_str().split_once('.').unwrap_or_default();
        let family = format!("{family}.*");
        if !patterns.contains(&family) {
            patterns.push(family);
        }
    }
    patterns.extend(EventKind::ALL.iter().map(|kind| kind.as_str().to_owned()));
    patterns
}

fn event() -> Value {
    // Generators support this union only if all alternatives are listed here: they do not support nested unions.
    let others = [
        "EventPayment",
        "PaymentSplit",
        "DeletedSplit",
        "PaymentPart",
        "MerchantAccount",
        "WebhookEndpoint",
        "Truncated",
    ];
    let documents = document::STATUSES.map(|(_, document, _, _)| document);
    let object = one_of(&[&others, documents.as_slice()].concat());
    let data = open([
        required("object", saying(object, "What it happened to, as it stood right after.")),
        required(
            "previousStatus",
            saying(nullable(json!({"type": "string"})), "The status that was left, if one was."),
        ),
    ]);
    let sequence = "Counts the events of one payment, its split and its document, without gaps. Ignore what \
                    comes late. null where it is about no payment.";
    open([
        required("id", id(EventId::PREFIX)),
        required("object", only("event")),
        required("type", open_choice(EventKind::ALL.iter().map(|it| it.as_str()))),
        required("apiVersion", only("v1")),
        required("isLiveMode", boolean()),
        required("createdAt", instant()),
        required("sequence", saying(nullable(count()), sequence)),
        required("merchantAccountId", saying(nullable(id(MerchantAccountId::PREFIX)), "null where it is about none.")),
        required("request", open([required("id", nullable(id(RequestId::PREFIX)))])),
        required("data", data),
    ])
}

fn deleted_split() -> Value {
    let deleted = open([
        required("object", only("payment_split")),
        required("paymentId", id(PaymentId::PREFIX)),
        required("isDeleted", saying(boolean(), "Always true.")),
    ]);
    saying(deleted, "Stands for a split that is no more: the payment is whole again.")
}

fn truncated() -> Value {
    let of_either = id(&format!("({}|{})", PaymentId::PREFIX, FiscalDocumentId::PREFIX));
    let truncated = open([
        required("id", of_either),
        required("object", choice(["payment", "fiscal_document"])),
        required("isTruncated", saying(boolean(), "Always true.")),
    ]);
    saying(truncated, "Stands for what would make the event longer than 64 KiB: retrieve it.")
}
