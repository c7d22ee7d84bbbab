//! Codes of sales, choices and corrections.

use sandbox::{Fault, Target, demo_buyers};

use super::Seen;
use crate::support::{APPROVED_CARD, REFUSED_CARD, Request, SALE, World, card, with};

const ELIGIBILITY: &str = r#"{"entityKind":"central_government","authorityReference":"A-1"}"#;

pub(super) async fn ask(world: &World, seen: &mut Seen) {
    for (path, value) in [
        ("amount.currency", r#""JPY""#),
        ("amount.currency", r#""USD""#),
        ("amount.minorUnits", "1"),
        ("amount.minorUnits", "1000000000000"),
        ("amount.minorUnits", "118001"),
        ("checkoutDisplay", r#"{"mode":"amount_only"}"#),
        ("fiscalDocument.lines", "[]"),
        ("fiscalDocument.lines.0.unitPriceMinorUnits", "-1"),
        ("fiscalDocument.lines.0.unitPriceMinorUnits", "1000000000000000000"),
        ("fiscalDocument.allowedKinds", r#"["government"]"#),
        ("fiscalDocument.kind", r#""government""#),
        ("fiscalDocument.governmentEligibility", ELIGIBILITY),
        ("fiscalDocument.buyer", r#"{"identityKind":"domestic","taxId":"1"}"#),
    ] {
        seen.send(world, Request::post("/v1/payments", &world.one.key, with(SALE, path, value))).await;
    }
    lines(world, seen).await;
    buyers(world, seen).await;
    provider(world, seen).await;
}

async fn lines(world: &World, seen: &mut Seen) {
    let line = |field: &str, value: &str| with(SALE, &format!("fiscalDocument.lines.0.{field}"), value);
    let zero_total = with(&line("quantity", r#""0.01""#), "fiscalDocument.lines.0.unitPriceMinorUnits", "1");
    let billed: serde_json::Value = serde_json::from_str(SALE).unwrap();
    let billed = &billed["fiscalDocument"]["lines"][0];
    let non_billable =
        with(&with(&billed.to_string(), "isLegalTipApplicable", "true"), "taxTreatment", r#""non_billable""#);
    let tipped = with(SALE, "fiscalDocument.lines", &format!("[{billed},{non_billable}]"));
    for body in [zero_total, tipped] {
        seen.send(world, Request::post("/v1/payments", &world.one.key, body)).await;
    }
}

async fn buyers(world: &World, seen: &mut Seen) {
    let known = demo_buyers();
    let seller = world.merchant(known.company).await;
    let created = world.send(&Request::post("/v1/payments", &seller.key, SALE)).await;
    let path = format!("/v1/payments/{}/fiscal-document-choice", created.field("/id"));
    let body = |kind: &str, tax_id: &str| {
        format!(r#"{{"kind":"{kind}","buyer":{{"identityKind":"domestic","taxId":"{tax_id}"}}}}"#)
    };
    let of_person = with(&body("government", known.person), "governmentEligibility", ELIGIBILITY);
    let bodies = [known.unknown, known.suspended, known.company].map(|it| body("fiscal_credit", it));
    for body in bodies.into_iter().chain([of_person, r#"{"kind":"fiscal_credit"}"#.to_owned()]) {
        seen.send(world, Request::put(&path, &seller.key, body)).await;
    }
    world.faults.inject(Target::Directory, Fault::BeforeRequest, 1).unwrap();
    seen.send(world, Request::put(&path, &seller.key, body("fiscal_credit", known.person))).await;
}

async fn provider(world: &World, seen: &mut Seen) {
    let elsewhere = Request::post("/v1/payments", &world.one.key, SALE).with("provider", "unknown");
    seen.send(world, elsewhere).await;
    let created = world.sale(SALE).await;
    let submission = world.submission(&created, APPROVED_CARD).await;
    let refused = submission.clone().keyed("refused").sending(card(REFUSED_CARD));
    seen.send(world, refused).await;
    world.faults.inject(Target::Acquirer, Fault::BeforeRequest, 2).unwrap();
    seen.send(world, submission).await;
}
