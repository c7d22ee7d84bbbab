//! Sales and copies while documents cannot be issued, or the authority is unreachable.

use app::operators::{self, Grant, SkipRequest};
use chrono::TimeDelta;
use domain::{
    Mode,
    fiscal::{DocumentKind, Environment, local_date},
};
use sandbox::{Fault, Target};

use crate::support::{
    APPROVED_CARD, ExpectedError, Request, SALE, TestResponse, World, check, on_each_store, pdf_text, with,
};

const NOT_READY: ExpectedError = (422, "merchant_account_not_ready", None);
const NO_COPY: ExpectedError = (409, "fiscal_artifact_not_ready", None);

/// Moves the clock until less than 15 minutes of the certificate's validity are left.
fn at_the_end_of_the_certificate(world: &World) {
    world.clock.advance(TimeDelta::days(365) - TimeDelta::minutes(10));
}

#[actix_web::test]
async fn a_card_is_not_charged_once_the_certificate_has_ended() {
    on_each_store(async |world| {
        at_the_end_of_the_certificate(&world);
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        world.clock.advance(TimeDelta::minutes(20));

        check(&world, vec![(submission, NOT_READY)]).await;

        assert!(world.acquirer.transactions().is_empty());
        let sale = Request::post("/v1/payments", &world.one.key, SALE);
        let refused = world.send(&sale).await;
        assert_eq!(
            refused.error(),
            (422, "merchant_account_not_ready".to_owned(), Some("fiscalDocument.kind".to_owned()))
        );
        assert!(refused.text().contains("`consumer`"), "{}", refused.text());
    })
    .await;
}

/// Leaves the first merchant no numbers for consumers but those of a new range, valid until today.
async fn numbers_for_consumers(world: &World, valid_today: Option<(u64, u64)>) {
    let (kind, environment) = (DocumentKind::Consumer, Environment::of(Mode::Test));
    let all = SkipRequest { kind, environment, to: 1000, reissues: false };
    operators::skip_numbers(&world.ports, &*world.ledger, &world.one.tenant, all).await.unwrap();
    if let Some((first, last)) = valid_today {
        let valid_until = Some(local_date(world.ports.clock.now()));
        let grant = Grant { kind, environment, first, last, valid_until };
        operators::add_sequence(&world.ports, &world.one.tenant, grant).await.unwrap();
    }
}

#[actix_web::test]
async fn a_kind_without_numbers_is_reported_and_only_its_sales_are_refused() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        numbers_for_consumers(&world, None).await;

        check(&world, vec![(submission, NOT_READY)]).await;

        assert!(world.acquirer.transactions().is_empty());
        let refused = world.send(&Request::post("/v1/payments", &world.one.key, SALE)).await;
        let right = (422, "merchant_account_not_ready".to_owned(), Some("fiscalDocument.kind".to_owned()));
        assert_eq!(refused.error(), right);
        assert!(refused.text().contains("`consumer`"), "{}", refused.text());
        world.sale(&with(SALE, "fiscalDocument.kind", r#""fiscal_credit""#)).await;
        let path = format!("/v1/merchant_accounts/{}", world.one.account);
        let account = world.send(&Request::get(path, &world.admin().await)).await;
        let blocker = |field: &str| account.field(&format!("/readiness/blockers/0/{field}"));
        assert_eq!(account.field("/readiness/status"), "degraded");
        assert_eq!([blocker("code"), blocker("detail")], ["fiscal_sequence_exhausted", "consumer"]);
    })
    .await;
}

#[actix_web::test]
async fn a_card_is_not_charged_once_the_numbers_of_its_kind_have_expired() {
    on_each_store(async |world| {
        numbers_for_consumers(&world, Some((1001, 2000))).await;
        let created = world.sale(SALE).await;
        let submission = world.submission(&created, APPROVED_CARD).await;
        world.clock.advance(TimeDelta::hours(20));

        check(&world, vec![(submission, NOT_READY)]).await;

        assert!(world.acquirer.transactions().is_empty());
    })
    .await;
}

#[actix_web::test]
async fn a_bill_is_not_captured_once_the_certificate_has_ended_and_its_holds_stay() {
    on_each_store(async |world| {
        at_the_end_of_the_certificate(&world);
        let bill = world.reserved_bill(2).await;
        world.clock.advance(TimeDelta::minutes(20));

        check(&world, vec![(bill.capture(), NOT_READY)]).await;

        assert_eq!(world.payment(&bill).await["status"], "authorized");
    })
    .await;
}

fn copy_of(created: &TestResponse) -> String {
    format!("/v1/fiscal_documents/{}/contingency-representation", created.field("/fiscalDocument/id"))
}

#[actix_web::test]
async fn a_signed_document_has_a_contingency_copy_only_until_the_authority_answers() {
    on_each_store(async |world| {
        let created = world.sale(SALE).await;
        let get = Request::get(copy_of(&created), &world.one.key);
        check(&world, vec![(get.clone(), NO_COPY)]).await;
        world.send(&world.submission(&created, APPROVED_CARD).await).await;
        world.faults.inject(Target::Authority, Fault::BeforeRequest, 1).unwrap();
        world.issue(&created).await;

        let receipt = world.token(&created, "receipt").await;
        for request in [get.clone(), Request::get(copy_of(&created), &receipt)] {
            let copy = world.send(&request).await;
            assert_eq!((copy.status, copy.header("content-type")), (200, "application/pdf"), "{}", copy.text());
            let name = r#"attachment; filename="E320000000001-contingencia.pdf""#;
            assert_eq!(copy.header("content-disposition"), name);
            let text = pdf_text(&copy.body);
            let legend = "e-CF emitido en modalidad de Contingencia, el cual podrá ser consultado para su validez \
                          fiscal, a partir de las setenta y dos (72) horas.";
            assert!(text.contains(legend), "{text}");
            assert!(text.contains("E320000000001") && text.contains("Código de Seguridad"), "{text}");
        }
        let printed = get.target.replace("contingency", "printed");
        check(&world, vec![(Request::get(printed, &world.one.key), NO_COPY)]).await;

        world.clock.advance(TimeDelta::minutes(20));
        world.issue(&created).await;
        check(&world, vec![(get, NO_COPY)]).await;
    })
    .await;
}
