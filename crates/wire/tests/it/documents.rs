//! Fiscal documents in each status, and their e-mails in each status.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    FiscalDocument,
    account::AccountSelector,
    fiscal::{
        Acceptance, DocumentKind, DocumentState, EmailDelivery, EmailProblem, EmailStatus, FiscalNumber,
        GovernmentEligibility, Numbered, Observation, ProblemCode, Verdict,
    },
    money::AmountLimits,
    payment::{DeclineCode, ProviderOutcome},
    sale::Sale,
    text::{BoundedText, Email},
};
use serde_json::Value;
use testkit::sample;
use wire::{ListResponse, to_bytes};

use crate::{contract::assert_described, golden::assert_golden};

fn later(seconds: i64) -> DateTime<Utc> {
    sample::noon() + TimeDelta::seconds(seconds)
}

/// Returns a sale with a government document and a registered buyer.
fn government() -> Sale {
    let mut draft = sample::draft();
    draft.document.kind = DocumentKind::Government;
    draft.document.government =
        Some(GovernmentEligibility { authority_reference: BoundedText::parse("OC-2026-17").unwrap() });
    draft.document.buyer_tax_id = BoundedText::parse("4-01-00737-4");
    draft.document.delivery_email = Email::parse("compras@ministerio.example");
    let (names, wish, limits) = (sample::sale_ids(1), AccountSelector::default(), AmountLimits::default());
    draft.open(names, &sample::sale_context(), &wish, &limits, sample::noon()).unwrap()
}

fn paid_government() -> Sale {
    let mut sale = government();
    sale.submit(sample::attempt_id(1), sample::card(), later(1)).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), ProviderOutcome::Approved, later(2)).unwrap();
    sale.document.buyer_identified("Ministerio de Ejemplo".to_owned(), later(3)).unwrap();
    sale
}

fn sent_government() -> Sale {
    let number = FiscalNumber::new(DocumentKind::Government, 7).unwrap();
    let numbered = Numbered { number, valid_until: NaiveDate::from_ymd_opt(2027, 12, 31), issue_date: sample::today() };
    let mut sale = paid_government();
    sale.document.numbered(numbered, later(4)).unwrap();
    sale.document.signed(sample::signed(1), later(5)).unwrap();
    sale.document.submitting(later(6)).unwrap();
    sale
}

fn after(verdict: Verdict) -> Sale {
    let mut sale = sent_government();
    sale.document.apply_verdict(verdict, later(7)).unwrap();
    sale
}

fn canceled() -> Sale {
    let mut sale = government();
    sale.cancel(later(8)).unwrap();
    sale
}

/// Returns sales for each status of a document, several for statuses with optional facts.
fn statuses() -> Vec<(&'static str, Sale)> {
    let observation = Observation { code: "1".to_owned(), message: "Fecha distinta".to_owned() };
    let messages =
        vec![Observation { code: "2020".to_owned(), message: "El monto de la línea 1 no es válido".to_owned() }];
    let rejected =
        Verdict::Rejected { code: ProblemCode::LineRejected, is_number_spent: true, authority_messages: messages };
    vec![
        ("requested", government()),
        ("issuing", paid_government()),
        ("issuing_sent", sent_government()),
        ("delayed", after(Verdict::Unavailable)),
        ("issued", sample::issued(1)),
        ("issued_with_observations", after(Verdict::Accepted(Acceptance::WithObservations(vec![observation])))),
        ("rejected", after(rejected)),
        ("canceled", canceled()),
    ]
}

#[test]
fn only_the_merchant_reads_the_messages_of_the_authority() {
    let long = format!("{} fin", "ñ".repeat(500));
    let message = |message: &str| Observation { code: "1385".to_owned(), message: message.to_owned() };
    let messages = [vec![message("El RNC 99887766 no existe"), message(&long)], vec![message("x"); 25]].concat();
    let refused = |code| after(Verdict::Rejected { code, is_number_spent: true, authority_messages: messages.clone() });

    for code in [ProblemCode::UnclassifiedRejection, ProblemCode::CertificateInvalid] {
        let sale = refused(code);
        let document = full(&sale);
        let messages = document["problem"]["authorityMessages"].as_array().unwrap();

        assert_eq!(messages.len(), 20);
        assert_eq!(messages[0], serde_json::json!({"code": "1385", "message": "El RNC 99887766 no existe"}));
        assert_eq!(messages[1]["message"], "ñ".repeat(500));
        let receipt = String::from_utf8(to_bytes(&wire::FiscalDocumentResponse::receipt(&sale))).unwrap();
        assert!(!receipt.contains("99887766") && !receipt.contains("authorityMessages"));
    }
}

#[test]
fn revisions_are_a_list_of_documents() {
    let refused = after(Verdict::Rejected {
        code: ProblemCode::LineRejected,
        is_number_spent: true,
        authority_messages: Vec::new(),
    });

    assert_golden(
        "fiscal-revision-list",
        &ListResponse::new(vec![wire::FiscalDocumentResponse::full(&refused)], false, "AQAAAZ"),
    );
}

fn full(sale: &Sale) -> Value {
    serde_json::from_slice(&to_bytes(&wire::FiscalDocumentResponse::full(sale))).unwrap()
}

/// Returns a sale whose e-mail has `status`.
fn delivered(status: EmailStatus) -> Sale {
    let Sale { payment, document } = sample::issued(1);
    let email = Email::parse("ana@ejemplo.example").filter(|_| status != EmailStatus::NotRequested);
    let state = DocumentState { delivery: EmailDelivery { email, status }, ..document.state().clone() };
    Sale { payment, document: FiscalDocument::restore(document.facts, state) }
}

#[test]
fn a_document_in_each_status_matches_its_file() {
    for (name, sale) in statuses() {
        assert_golden(&format!("fiscal-document-{name}"), &wire::FiscalDocumentResponse::full(&sale));
    }
    assert_golden("receipt-document", &wire::FiscalDocumentResponse::receipt(&sample::issued(1)));
}

#[test]
fn a_receipt_omits_only_the_merchants_numbers_and_the_email_address() {
    for (name, sale) in statuses() {
        let mut expected = full(&sale);
        for field in ["merchantInvoiceNumber", "merchantOrderNumber"] {
            expected.as_object_mut().unwrap().remove(field).unwrap();
        }
        if let Some(problem) = expected.get_mut("problem").and_then(Value::as_object_mut) {
            problem.remove("authorityMessages").unwrap();
        }
        expected["delivery"]["email"] = Value::Null;
        let receipt: Value = serde_json::from_slice(&to_bytes(&wire::FiscalDocumentResponse::receipt(&sale))).unwrap();

        assert_eq!(receipt, expected, "{name}");
        assert_described("ReceiptDocument", &receipt);
    }
}

#[test]
fn every_status_after_requested_may_have_a_problem() {
    for (name, sale) in statuses() {
        let document = full(&sale);
        let problem = document.get("problem");

        assert_eq!(problem.is_none(), name == "requested", "{name}");
        let is_filled = problem.is_some_and(|it| !it.is_null());
        assert_eq!(is_filled, ["delayed", "rejected"].contains(&name), "{name}");
    }
}

#[test]
fn a_canceled_document_shows_the_end_of_its_payment() {
    let mut expired = government();
    expired.expire_due(later(24 * 3600)).unwrap();
    let mut declined = government();
    declined.submit(sample::attempt_id(1), sample::card(), later(1)).unwrap();
    declined
        .apply_outcome(&sample::attempt_id(1), ProviderOutcome::Declined(DeclineCode::SuspectedFraud), later(2))
        .unwrap();

    assert_eq!(full(&canceled())["reason"], "payment_canceled");
    assert_eq!(full(&expired)["reason"], "payment_expired");
    assert_eq!(full(&declined)["reason"], "payment_declined");
}

#[test]
fn a_buyer_is_domestic_and_its_name_may_be_pending() {
    let buyer = &full(&government())["buyer"];

    assert_eq!(
        *buyer,
        serde_json::json!({"identityKind": "domestic", "taxId": "401007374", "foreignId": null, "legalName": null})
    );
    assert_eq!(full(&paid_government())["buyer"]["legalName"], "Ministerio de Ejemplo");
    assert_eq!(full(&sample::sale(1)).get("buyer"), None);
}

#[test]
fn an_issued_document_has_a_verification_url_and_artifacts() {
    let document = full(&sample::issued(1));

    assert_eq!(document["fiscalNumber"], "E320000000001");
    assert_eq!(document.get("sequenceValidUntil"), None);
    assert!(document["verificationUrl"].as_str().unwrap().contains("ENCF=E320000000001"));
    assert_eq!(document["artifacts"]["signedDocument"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(document["artifacts"]["printedRepresentation"]["sizeBytes"], 4096);
}

#[test]
fn an_email_shows_the_facts_of_its_status() {
    let at = later(60);
    let failed = EmailStatus::Failed { at, code: EmailProblem::MailboxUnavailable };
    let email = "ana@ejemplo.example";
    let rows = [
        (EmailStatus::NotRequested, serde_json::json!({"email": null, "status": "not_requested"})),
        (EmailStatus::WaitingForDocument, serde_json::json!({"email": email, "status": "waiting_for_document"})),
        (
            EmailStatus::Queued { at },
            serde_json::json!({"email": email, "status": "queued", "queuedAt": "2026-03-01T12:01:00.000Z"}),
        ),
        (
            EmailStatus::Sent { at },
            serde_json::json!({"email": email, "status": "sent", "sentAt": "2026-03-01T12:01:00.000Z"}),
        ),
        (
            failed,
            serde_json::json!({"email": email, "status": "failed", "failedAt": "2026-03-01T12:01:00.000Z",
                "problem": {"code": "mailbox_unavailable"}}),
        ),
        (EmailStatus::Canceled, serde_json::json!({"email": email, "status": "canceled"})),
    ];
    for (status, expected) in rows {
        let document = full(&delivered(status));

        assert_eq!(document["delivery"], expected);
        assert_described("FiscalDocument", &document);
    }
}
