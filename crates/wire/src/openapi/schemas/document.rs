//! A fiscal document at each status, and its delivery at each of its own.

use domain::{
    FiscalDocumentId, PaymentId,
    fiscal::{EmailProblem, ProblemCode, ProblemOwner},
};
use serde_json::{Value, json};

use super::{
    super::schema::{
        Field, boolean, choice, count, digits, email, id, instant, list, matching, nullable, number, only, open,
        open_choice, optional, page, reference, required, saying, tagged, text, with,
    },
    Named, document_request,
    payment::page_of,
};

/// Each status, and the schemas of a document with it: for the merchant, for the holder of a receipt, and for both.
pub(super) const STATUSES: [(&str, &str, &str, &str); 6] = [
    ("requested", "RequestedFiscalDocument", "RequestedReceiptDocument", "RequestedDocumentView"),
    ("issuing", "IssuingFiscalDocument", "IssuingReceiptDocument", "IssuingDocumentView"),
    ("delayed", "DelayedFiscalDocument", "DelayedReceiptDocument", "DelayedDocumentView"),
    ("issued", "IssuedFiscalDocument", "IssuedReceiptDocument", "IssuedDocumentView"),
    ("rejected", "RejectedFiscalDocument", "RejectedReceiptDocument", "RejectedDocumentView"),
    ("canceled", "CanceledFiscalDocument", "CanceledReceiptDocument", "CanceledDocumentView"),
];

pub(super) fn schemas() -> Vec<Named> {
    let meaning = "A `FiscalDocument` for a merchant key, a `ReceiptDocument` for a checkout token. Only a merchant key \
                   reads `merchantInvoiceNumber` and `merchantOrderNumber`, which are always there then.";
    let mut schemas = vec![
        ("FiscalDocument", tagged("status", &STATUSES.map(|(status, full, _, _)| (status, full)))),
        ("ReceiptDocument", tagged("status", &STATUSES.map(|(status, _, receipt, _)| (status, receipt)))),
        ("FiscalDocumentView", saying(tagged("status", &STATUSES.map(|(status, _, _, view)| (status, view))), meaning)),
        ("FiscalDocumentList", page_of("FiscalDocument")),
        ("FiscalLine", line()),
        ("FiscalBuyer", buyer()),
        ("FiscalProblem", problem()),
        ("Artifact", artifact()),
        ("RequestedDelivery", requested_delivery()),
    ];
    for (status, full, receipt, view) in STATUSES {
        let with_numbers = |field: fn(&'static str, Value) -> Field| {
            let numbers = [field("merchantInvoiceNumber", text(1..=20)), field("merchantOrderNumber", digits(1..=20))];
            open(shared(status).into_iter().chain(numbers))
        };
        schemas.push((full, with_numbers(required)));
        schemas.push((receipt, open(shared(status))));
        schemas.push((view, with_numbers(optional)));
    }
    schemas.extend(deliveries());
    schemas
}

/// What both see of a document at that status.
fn shared(status: &str) -> Vec<Field> {
    let government =
        open([required("entityKind", only("central_government")), required("authorityReference", text(1..=128))]);
    let mut fields = vec![
        required("id", id(FiscalDocumentId::PREFIX)),
        required("object", only("fiscal_document")),
        required("paymentId", id(PaymentId::PREFIX)),
        required("kind", document_request::kind()),
        required("issuanceMode", document_request::issuance_mode()),
        required("revision", json!({"type": "integer", "minimum": 1})),
        optional("buyer", reference("FiscalBuyer")),
        optional("governmentEligibility", government),
        required("lines", list(reference("FiscalLine"))),
        required("delivery", reference("Delivery")),
        required("createdAt", instant()),
        required("updatedAt", instant()),
        required("status", only(status)),
    ];
    fields.extend(at(status));
    fields
}

/// What only that status knows.
fn at(status: &str) -> Vec<Field> {
    let problem = || reference("FiscalProblem");
    match status {
        "issuing" => progress(nullable(problem())),
        "delayed" => progress(problem()),
        "issued" => issued(),
        "rejected" => vec![required("rejectedAt", instant()), required("problem", problem())],
        "canceled" => {
            let reasons = choice(["payment_canceled", "payment_expired", "payment_declined"]);
            vec![
                required("canceledAt", instant()),
                required("reason", reasons),
                required("problem", nullable(problem())),
            ]
        }
        _ => Vec::new(),
    }
}

fn progress(problem: Value) -> Vec<Field> {
    vec![
        optional("submittedAt", instant()),
        required("attemptCount", count()),
        required("nextAttemptAt", instant()),
        required("problem", problem),
    ]
}

fn issued() -> Vec<Field> {
    let observation =
        open([required("code", json!({"type": "string"})), required("message", json!({"type": "string"}))]);
    let drawn = saying(nullable(reference("Artifact")), "null while it is being drawn.");
    let artifacts = open([required("signedDocument", reference("Artifact")), required("printedRepresentation", drawn)]);
    let until = saying(json!({"type": "string", "format": "date"}), "When the range of numbers ends, if it does.");
    vec![
        required("fiscalNumber", saying(matching("^E[0-9]{12}$"), "The e-NCF.")),
        optional("sequenceValidUntil", until),
        required("securityCode", text(6..=6)),
        required("issuedAt", instant()),
        required("signedAt", instant()),
        required("verificationUrl", saying(page(), "Where anybody can check the document; printed as a QR code.")),
        required("acceptance", choice(["accepted", "accepted_with_observations"])),
        required("observations", list(observation)),
        required("artifacts", artifacts),
        required("problem", nullable(reference("FiscalProblem"))),
    ]
}

fn line() -> Value {
    open([
        required("sourceLineId", text(1..=128)),
        required("description", text(1..=80)),
        required("quantity", document_request::quantity()),
        required("measurementUnit", document_request::measurement_unit()),
        required("unitPriceMinorUnits", number()),
        required("itemKind", document_request::item_kind()),
        required("taxTreatment", document_request::tax_treatment()),
        required("isLegalTipApplicable", boolean()),
        optional("group", text(1..=64)),
    ])
}

fn buyer() -> Value {
    open([
        required("identityKind", choice(["domestic", "foreign"])),
        required("taxId", nullable(matching("^([0-9]{9}|[0-9]{11})$"))),
        required("foreignId", nullable(matching("^[A-Za-z0-9][A-Za-z0-9._/-]{0,19}$"))),
        required("legalName", saying(nullable(text(1..=256)), "null until the taxpayer directory has answered.")),
        optional("address", text(1..=100)),
        optional("contactName", text(1..=80)),
        optional("email", email(80)),
    ])
}

fn problem() -> Value {
    let owners = [ProblemOwner::Merchant, ProblemOwner::Service, ProblemOwner::TaxAuthority];
    open([
        required("code", open_choice(ProblemCode::ALL.iter().map(|it| it.as_str()))),
        required("owner", saying(choice(owners.iter().map(|it| it.as_str())), "Who can clear it.")),
        required("isCorrectable", saying(boolean(), "Whether a correction by the merchant clears it.")),
        required("message", saying(json!({"type": "string"}), "For people; its wording may change.")),
        required("fields", saying(list(json!({"type": "string"})), "Dotted paths of the fields to look at.")),
        required("since", instant()),
        optional("authorityMessages", authority_messages()),
    ])
}

/// The limits are those of the response.
fn authority_messages() -> Value {
    let message = open([
        required("code", json!({"type": "string"})),
        required("message", json!({"type": "string", "maxLength": 500})),
    ]);
    let why = "The authority's own codes and messages, as it sent them. Merchant keys alone see them.";
    with(saying(list(message), why), [("maxItems", json!(20))])
}

fn artifact() -> Value {
    open([required("sha256", matching("^[0-9a-f]{64}$")), required("sizeBytes", count())])
}

fn deliveries() -> Vec<Named> {
    let problem = open([required("code", open_choice(EmailProblem::ALL.iter().map(|it| it.as_str())))]);
    let variants: [(&'static str, &'static str, Vec<Field>); 6] = [
        ("not_requested", "DeliveryNotRequested", vec![]),
        ("waiting_for_document", "DeliveryWaitingForDocument", vec![]),
        ("queued", "DeliveryQueued", vec![required("queuedAt", instant())]),
        ("sent", "DeliverySent", vec![required("sentAt", instant())]),
        ("failed", "DeliveryFailed", vec![required("failedAt", instant()), required("problem", problem)]),
        ("canceled", "DeliveryCanceled", vec![]),
    ];
    let tags: Vec<(&str, &str)> = variants.iter().map(|(status, name, _)| (*status, *name)).collect();
    let delivery = saying(tagged("status", &tags), "Where the delivery by e-mail stands.");
    let address = "null if no e-mail was requested, and always for the holder of a checkout token.";
    let variant = |(status, name, facts): (&'static str, &'static str, Vec<Field>)| {
        let own = [required("email", saying(nullable(email(320)), address)), required("status", only(status))];
        (name, open(own.into_iter().chain(facts)))
    };
    let mut schemas: Vec<Named> = variants.into_iter().map(variant).collect();
    schemas.push(("Delivery", delivery));
    schemas
}

fn requested_delivery() -> Value {
    open([required("email", email(320)), required("status", only("waiting_for_document"))])
}
