use chrono::TimeDelta;
use sandbox::{Fault, Target, demo_buyers};
use testkit::sample;

use super::{DENIED, EXPIRED, NO_PAYMENT, NOT_OWNED, check_replay, invalid, lose_sight_of, missing, pay};
use crate::support::{APPROVED_CARD, Request, SALE, TestResponse, World, check, on_each_store, with};

/// A choice of another kind for the buyer of that number.
fn choice(kind: &str, tax_id: &str) -> String {
    format!(r#"{{"kind":"{kind}","buyer":{{"identityKind":"domestic","taxId":"{tax_id}"}}}}"#)
}

fn at(created: &TestResponse) -> String {
    format!("/v1/payments/{}/fiscal-document-choice", created.field("/id"))
}

#[actix_web::test]
async fn a_choice_is_made_by_the_payer_or_the_merchant() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let token = world.token(&created, "pay").await;
        let body = choice("fiscal_credit", demo_buyers().company);

        let chosen = check_replay(&world, &Request::put(at(&created), &token, body), "{}").await;
        let back = world.send(&Request::put(at(&created), &world.one.key, r#"{"kind":"consumer"}"#)).await;

        assert_eq!(chosen.field("/fiscalDocument/kind"), "fiscal_credit");
        assert_eq!(chosen.field("/fiscalDocument/buyer/taxId"), demo_buyers().company);
        assert!(chosen.field("/fiscalDocument/buyer/legalName").starts_with("COMERCIAL"));
        assert_ne!(chosen.header("etag"), created.header("etag"));
        assert_eq!((back.status, back.field("/fiscalDocument/kind")), (200, "consumer".to_owned()));
    })
    .await;
}

#[actix_web::test]
async fn an_invalid_choice_is_refused() {
    on_each_store(async |world| {
        let created = world
            .sale(&with(SALE, "fiscalDocument.allowedKinds", r#"["consumer","fiscal_credit","government"]"#))
            .await;
        let narrow = world.sale(&with(SALE, "fiscalDocument.allowedKinds", r#"["consumer"]"#)).await;
        let receipt = world.issued(SALE, APPROVED_CARD).await;
        let receipt = world.token(&receipt, "receipt").await;
        let buyers = demo_buyers();
        let put = |body: &str| Request::put(at(&created), &world.one.key, body);
        let of = |kind: &str, tax_id: &str| put(&choice(kind, tax_id));
        let public = |tax_id: &str| {
            put(&with(
                &choice("government", tax_id),
                "governmentEligibility",
                r#"{"entityKind":"central_government","authorityReference":"A-1"}"#,
            ))
        };
        let nowhere = format!("/v1/payments/{}/fiscal-document-choice", sample::payment_id(7));
        let eligible =
            with("{}", "governmentEligibility", r#"{"entityKind":"central_government","authorityReference":"A-1"}"#);

        let rows = vec![
            (put("{}").without("idempotency-key"), missing("idempotency-key")),
            (put(r#"{"kind":"nonsense"}"#), invalid("kind")),
            (put(r#"{"buyer":{"identityKind":"domestic"}}"#), missing("buyer.taxId")),
            (of("fiscal_credit", "123"), (400, "fiscal_buyer_tax_id_invalid", Some("buyer.taxId"))),
            (Request::put(at(&created), &receipt, "{}"), DENIED),
            (Request::put(at(&created), &world.restricted().await, "{}"), NOT_OWNED),
            (Request::put(nowhere, &world.one.key, "{}"), NO_PAYMENT),
            (Request::put(at(&created), &world.other.key, "{}"), NO_PAYMENT),
            (put(r#"{"kind":"fiscal_credit"}"#), (409, "fiscal_buyer_required", Some("buyer"))),
            (
                Request::put(at(&narrow), &world.one.key, choice("fiscal_credit", buyers.company)),
                (422, "fiscal_document_kind_not_allowed", Some("kind")),
            ),
            (
                of("government", buyers.government),
                (422, "fiscal_government_eligibility_required", Some("governmentEligibility")),
            ),
            (put(&eligible), (422, "fiscal_government_eligibility_not_allowed", Some("governmentEligibility"))),
            (of("fiscal_credit", buyers.unknown), (422, "fiscal_buyer_not_registered", Some("buyer.taxId"))),
            (of("fiscal_credit", buyers.suspended), (422, "fiscal_buyer_inactive", Some("buyer.taxId"))),
            (public(buyers.company), (422, "fiscal_buyer_not_government_entity", Some("buyer.taxId"))),
        ];

        check(&world, rows).await;
        world.faults.inject(Target::Directory, Fault::BeforeRequest, 1).unwrap();
        let down = (503, "taxpayer_directory_unavailable", Some("buyer.taxId"));
        check(&world, vec![(of("fiscal_credit", buyers.company), down)]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_choice_is_refused_by_the_state_of_the_payment() {
    on_each_store(async |world| {
        let locked = world
            .sale(&with(&with(SALE, "fiscalDocument.isKindLocked", "true"), "fiscalDocument.isBuyerLocked", "true"))
            .await;
        let (open, paid, lost, given_up) =
            (world.sale(SALE).await, world.sale(SALE).await, world.sale(SALE).await, world.sale(SALE).await);
        pay(&world, &paid, APPROVED_CARD).await;
        lose_sight_of(&world, &lost).await;
        cancel(&world, &given_up).await;
        let put = |created: &TestResponse, body: &str| Request::put(at(created), &world.one.key, body);
        let buyer = choice("consumer", demo_buyers().company);

        let rows = vec![
            (
                put(&locked, &choice("fiscal_credit", demo_buyers().company)),
                (409, "fiscal_preset_locked", Some("kind")),
            ),
            (put(&locked, &buyer), (409, "fiscal_preset_locked", Some("buyer"))),
            (put(&paid, &buyer), (409, "payment_not_editable", None)),
            (put(&lost, &buyer), (409, "payment_awaiting_verification", None)),
            (put(&given_up, &buyer), (409, "checkout_window_closed", None)),
        ];

        check(&world, rows).await;
        let used = put(&open, "{}");
        world.send(&used).await;
        world.clock.advance(TimeDelta::hours(24));
        check(&world, vec![(put(&open, &buyer), (409, "checkout_window_closed", None))]).await;
        world.clock.advance(TimeDelta::hours(49));
        check(&world, vec![(used, EXPIRED)]).await;
    })
    .await;
}

async fn cancel(world: &World, created: &TestResponse) {
    let path = format!("/v1/payments/{}/cancellations", created.field("/id"));
    let canceled = world.send(&Request::post(path, &world.one.key, r#"{"reason":"other"}"#)).await;
    assert_eq!(canceled.field("/status"), "canceled");
}

#[actix_web::test]
async fn a_kind_that_the_merchant_cannot_issue_is_not_chosen() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        // The merchant has no numbers of that kind.
        let profile = r#"{"rnc":"401000008"}"#;
        world.send(&Request::put("/v1/merchant_profile", &world.admin().await, profile)).await;
        let body = choice("fiscal_credit", demo_buyers().company);

        let request = Request::put(at(&created), &world.one.key, body);

        check(&world, vec![(request, (422, "fiscal_document_kind_unsupported", Some("kind")))]).await;
    })
    .await;
}

#[actix_web::test]
async fn a_merchant_is_not_its_own_buyer() {
    on_each_store(async |world| {
        let company = demo_buyers().company;
        let seller = world.merchant(company).await;
        let created = world.send(&Request::post("/v1/payments", &seller.key, SALE)).await;

        let request = Request::put(at(&created), &seller.key, choice("fiscal_credit", company));

        check(&world, vec![(request, (422, "fiscal_buyer_is_issuer", Some("buyer.taxId")))]).await;
    })
    .await;
}
