//! Rows with facts of another stage are refused.

use domain::{
    Payment,
    payment::{OrphanStage, OrphanedAttempt, PaymentState, Verification},
    sale::Sale,
};
use serde_json::{Value, json};
use testkit::{
    contract::{Stores, done},
    sample,
};

use crate::raw::Raw;

fn rejection(code: &str, is_number_spent: bool) -> Value {
    json!({
        "problem": { "code": code, "since": 0 },
        "at": 0,
        "times": 1,
        "is_number_spent": is_number_spent,
        "authority_messages": [],
    })
}

fn numbered() -> Value {
    json!({ "number": "E320000000007", "valid_until": null, "issue_date": "2026-03-01" })
}

fn document() -> Value {
    let sha256 = "07".repeat(32);
    let signed = json!({ "at": 0, "security_code": "S/DQdu", "sha256": sha256, "size_bytes": 9, "printed": null });
    json!({ "numbered": numbered(), "signed": signed, "duplicates": 0, "term_warned_at": null })
}

fn dispatch() -> Value {
    json!({ "document": document(), "queue": "queued", "resubmission": null })
}

fn awaiting_number() -> Value {
    json!({ "awaiting": "number", "rejection": null })
}

fn awaiting_signature() -> Value {
    json!({ "awaiting": "signature", "numbered": numbered(), "duplicates": 0, "resubmission": null })
}

fn awaiting_submission() -> Value {
    json!({ "awaiting": "submission", "dispatch": dispatch(), "submitted_at": null })
}

fn awaiting_verdict() -> Value {
    json!({ "awaiting": "verdict", "dispatch": dispatch(), "submitted_at": 0, "track_id": "t-1" })
}

fn awaiting_setup() -> Value {
    json!({
        "awaiting": "setup",
        "document": document(),
        "submitted_at": 0,
        "is_skipped": false,
        "rejection": rejection("issuer_not_authorized", false),
    })
}

/// Replaces or adds a value at `pointer`.
fn with(mut stage: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    stage.pointer_mut(parent).unwrap()[name] = value;
    stage
}

fn without(mut stage: Value, name: &str) -> Value {
    stage.as_object_mut().unwrap().remove(name).unwrap();
    stage
}

/// Stores a document in progress in that stage. Returns whether the row is legal.
async fn is_restored(stores: &Stores, raw: &impl Raw, (status, stage, submissions): (&str, &Value, u32)) -> bool {
    let issuance = json!({ "stage": stage, "submissions": submissions, "waits": 0, "next_attempt_at": 0 });
    let problem = json!({ "code": "issuer_not_authorized", "since": 0 });
    let facts = if status == "delayed" { json!([issuance, problem]) } else { issuance };
    // The columns agree with the stage, so that only the stage can be illegal.
    let documents = [&stage["numbered"], &stage["document"]["numbered"], &stage["dispatch"]["document"]["numbered"]];
    let number = if documents.iter().any(|it| it.is_object()) { "'E320000000007'" } else { "NULL" };
    let is_on_its_way = matches!(status, "issuing" | "delayed");
    let is_queued = is_on_its_way && stage["dispatch"]["queue"] == "queued";
    let (queue, since) = if is_queued { ("'summaries'", "0") } else { ("NULL", "NULL") };
    let problem = if status == "delayed" { "'issuer_not_authorized'" } else { "NULL" };
    let due_at = if is_on_its_way { "1" } else { "NULL" };
    let statement = format!(
        "UPDATE fiscal_documents SET status = '{status}', stage = '{facts}', fiscal_number = {number}, \
         queue = {queue}, queued_at = {since}, problem = {problem}, due_at = {due_at}"
    );
    raw.run(&statement).await.expect("the columns do not contradict each other");
    let id = sample::document_id(1);
    match stores.sales.find_by_document(&sample::tenant(), &id).await {
        Ok(found) => found.is_some(),
        Err(error) => {
            assert_eq!(error.source.to_string(), format!("fiscal_documents.stage of {id} is inconsistent"), "{stage}");
            false
        }
    }
}

pub(crate) async fn a_document_has_the_facts_of_its_stage_alone(stores: &Stores, raw: &impl Raw) {
    open(stores).await;
    for stage in [awaiting_number(), awaiting_signature(), awaiting_submission(), awaiting_verdict()] {
        for status in ["issuing", "delayed"] {
            assert!(is_restored(stores, raw, (status, &stage, 1)).await, "{status} {stage}");
        }
        // An issued document has a number in a column.
        if stage["awaiting"] != "number" {
            assert!(!is_restored(stores, raw, ("issued", &stage, 1)).await, "{stage}");
        }
        assert!(!is_restored(stores, raw, ("rejected", &stage, 1)).await, "{stage}");
    }
    assert!(is_restored(stores, raw, ("delayed", &awaiting_setup(), 1)).await);

    for (stage, pointer, value) in [
        (awaiting_number(), "/numbered", numbered()),
        (awaiting_number(), "/submitted_at", json!(0)),
        (awaiting_number(), "/dispatch", dispatch()),
        (awaiting_number(), "/awaiting", json!("approval")),
        (awaiting_signature(), "/queue", json!("queued")),
        (awaiting_signature(), "/signed", document()["signed"].clone()),
        (awaiting_submission(), "/track_id", json!("t-1")),
        (awaiting_submission(), "/dispatch/is_skipped", json!(true)),
        (awaiting_submission(), "/dispatch/queue", json!("unknown")),
        (awaiting_verdict(), "/rejection", rejection("issuer_not_authorized", false)),
        (awaiting_verdict(), "/dispatch/document/numbered", Value::Null),
        (awaiting_verdict(), "/dispatch/document/signed", Value::Null),
        (awaiting_setup(), "/track_id", json!("t-1")),
        (awaiting_setup(), "/queue", json!("queued")),
        (awaiting_setup(), "/resubmission", Value::Null),
    ] {
        let other = with(stage, pointer, value);
        assert!(!is_restored(stores, raw, ("delayed", &other, 1)).await, "{pointer} in {other}");
    }
    for (stage, name) in [
        (awaiting_signature(), "numbered"),
        (awaiting_signature(), "duplicates"),
        (awaiting_submission(), "dispatch"),
        (awaiting_verdict(), "dispatch"),
        (awaiting_verdict(), "submitted_at"),
        (awaiting_setup(), "document"),
        (awaiting_setup(), "submitted_at"),
        (awaiting_setup(), "rejection"),
    ] {
        let other = without(stage, name);
        assert!(!is_restored(stores, raw, ("delayed", &other, 1)).await, "{other} without {name}");
    }
}

pub(crate) async fn a_document_does_not_contradict_its_rejection(stores: &Stores, raw: &impl Raw) {
    open(stores).await;
    assert!(!is_restored(stores, raw, ("issuing", &awaiting_setup(), 1)).await, "it is delayed by its rejection");
    for code in ["sequence_expired", "totals_rejected"] {
        let other = with(awaiting_setup(), "/rejection", rejection(code, false));
        assert!(
            !is_restored(stores, raw, ("delayed", &other, 1)).await,
            "it is delayed by another problem than {code}"
        );
    }
    let renumbered = with(awaiting_number(), "/rejection", rejection("totals_rejected", true));
    assert!(!is_restored(stores, raw, ("issuing", &renumbered, 1)).await, "it was not rejected for the set-up");

    for (stage, code, is_number_spent, mode, expected) in [
        (awaiting_submission(), "clock_skew", false, "same_bytes", true),
        (awaiting_submission(), "clock_skew", true, "renumber", true),
        // A correction reuses the number.
        (awaiting_signature(), "totals_rejected", false, "resign", true),
        // The document is not signed.
        (awaiting_signature(), "clock_skew", false, "same_bytes", false),
        // The number is spent.
        (awaiting_submission(), "clock_skew", true, "same_bytes", false),
        (awaiting_submission(), "clock_skew", true, "resign", false),
        // The setup did not cause the rejection.
        (awaiting_signature(), "totals_rejected", true, "renumber", false),
        (awaiting_signature(), "clock_skew", false, "again", false),
    ] {
        let resubmission = json!({ "rejection": rejection(code, is_number_spent), "mode": mode });
        let pointer = if stage["awaiting"] == "signature" { "/resubmission" } else { "/dispatch/resubmission" };
        let stage = with(stage, pointer, resubmission);
        assert_eq!(is_restored(stores, raw, ("issuing", &stage, 1)).await, expected, "{stage}");
    }
}

pub(crate) async fn the_counters_of_a_document_agree_with_its_stage(stores: &Stores, raw: &impl Raw) {
    open(stores).await;
    let sent_before = with(awaiting_submission(), "/submitted_at", json!(0));
    let reported = |times: u32| with(awaiting_verdict(), "/dispatch/document/duplicates", json!(times));
    let reported_before = with(awaiting_signature(), "/duplicates", json!(1));
    for (status, stage, submissions, expected) in [
        ("issuing", awaiting_verdict(), 0, false),
        ("delayed", awaiting_setup(), 0, false),
        ("issuing", sent_before.clone(), 0, false),
        ("issuing", sent_before, 1, true),
        ("issuing", reported(5), 1, true),
        ("issuing", reported(6), 1, false),
        ("issuing", reported_before.clone(), 0, false),
        ("issuing", reported_before, 1, true),
    ] {
        assert_eq!(is_restored(stores, raw, (status, &stage, submissions)).await, expected, "{submissions} {stage}");
    }
}

pub(crate) async fn an_orphaned_attempt_has_the_facts_of_its_stage_alone(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    for (n, stage) in (1..).zip(OrphanStage::ALL) {
        let Sale { payment, document } = sample::sale(n);
        let progress = Verification::begin(sample::attempt_id(n), sample::noon(), sample::noon());
        let orphans = vec![OrphanedAttempt { stage, progress }];
        let state = PaymentState { orphans, ..payment.state().clone() };
        let sale = Sale { payment: Payment::restore(payment.facts, state), document };
        done(stores.sales.commit(sample::creation(&sale)).await, "a new sale");
        let found = stores.sales.find(&sample::tenant(), &sample::payment_id(n)).await.expect("it can be read");
        assert_eq!(found, Some(sale), "{stage:?}");
    }

    let id = sample::payment_id(1);
    let column = format!("SELECT orphans AS text FROM payments WHERE id = '{id}'");
    let watched: Value = serde_json::from_str(&raw.texts(&column).await[0]).expect("it is JSON");
    for (pointer, value) in [
        ("/orphans/0/is_approved", json!(true)),
        ("/orphans/0/stage/reason", json!("replacement")),
        ("/orphans/0/stage", json!({ "name": "reversal_due" })),
        ("/orphans/0/stage", json!({ "name": "reversing", "reason": null })),
        ("/orphans/0/stage", json!({ "name": "reversing", "reason": "refund" })),
        ("/orphans/0/stage", json!({ "name": "undone", "reason": "replacement" })),
    ] {
        let other = with(watched.clone(), pointer, value);
        let statement = format!("UPDATE payments SET orphans = '{other}' WHERE id = '{id}'");
        raw.run(&statement).await.expect("text is text");
        let broken = stores.sales.find(&sample::tenant(), &id).await.expect_err("it cannot be read");
        assert_eq!(broken.source.to_string(), format!("payments.orphans of {id} is inconsistent"), "{other}");
    }
}

async fn open(stores: &Stores) {
    stores.register_merchant().await;
    done(stores.sales.commit(sample::creation(&sample::paid(1))).await, "a new sale");
}
