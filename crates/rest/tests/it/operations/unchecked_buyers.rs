//! Buyers with a wrong check digit: the register decides.

use sandbox::{Fault, Target};

use crate::support::{APPROVED_CARD, Request, SALE, World, check, on_each_store, with, without};

/// A registered cédula that fails the formula of Luhn.
const LISTED: &str = "000-0002124-9";
/// An RNC and a cédula with wrong check digits that no register lists.
const UNLISTED: [&str; 2] = ["101850044", "00000021240"];

fn buyer(tax_id: &str) -> String {
    format!(r#"{{"identityKind":"domestic","taxId":"{tax_id}"}}"#)
}

/// A sale with a tax invoice for that buyer.
fn sale(tax_id: &str) -> String {
    with(&with(SALE, "fiscalDocument.kind", r#""fiscal_credit""#), "fiscalDocument.buyer", &buyer(tax_id))
}

fn choice(tax_id: &str) -> String {
    format!(r#"{{"kind":"fiscal_credit","buyer":{}}}"#, buyer(tax_id))
}

/// A rejected document, and the correction for that buyer.
async fn rejected(world: &World) -> (String, impl Fn(&str) -> String) {
    let refused = with(SALE, "fiscalDocument.merchantInvoiceNumber", r#""RJ-1""#);
    let created = world.issued(&refused, APPROVED_CARD).await;
    let document: serde_json::Value = serde_json::from_str(SALE).unwrap();
    let document = without(&document["fiscalDocument"].to_string(), "issuanceMode");
    let body = with(&with(&document, "merchantInvoiceNumber", r#""INV-9""#), "kind", r#""fiscal_credit""#);
    let at = format!("/v1/fiscal_documents/{}/corrections", created.field("/fiscalDocument/id"));
    (at, move |tax_id: &str| with(&body, "buyer", &buyer(tax_id)))
}

#[actix_web::test]
async fn a_number_with_a_wrong_check_digit_is_accepted_if_the_register_lists_it() {
    on_each_store(async |world| {
        let created = world.issued(&sale(LISTED), APPROVED_CARD).await;
        let document = format!("/v1/fiscal_documents/{}", created.field("/fiscalDocument/id"));
        let document = world.send(&Request::get(document, &world.one.key)).await;
        let plain = world.sale(SALE).await;
        let at = format!("/v1/payments/{}/fiscal-document-choice", plain.field("/id"));
        let chosen = world.send(&Request::put(at, &world.one.key, choice(LISTED))).await;
        let (corrections, correction) = rejected(&world).await;
        let corrected = world.send(&Request::post(corrections, &world.one.key, correction(LISTED))).await;

        assert_eq!(
            (document.field("/status"), document.field("/buyer/taxId")),
            ("issued".into(), "00000021249".into())
        );
        assert_eq!((chosen.status, chosen.field("/fiscalDocument/buyer/taxId")), (200, "00000021249".to_owned()));
        assert_eq!((corrected.status, corrected.field("/buyer/taxId")), (201, "00000021249".to_owned()));
    })
    .await;
}

#[actix_web::test]
async fn a_number_with_a_wrong_check_digit_is_refused_if_no_register_lists_it() {
    on_each_store(async |world| {
        let plain = world.sale(SALE).await;
        let at = format!("/v1/payments/{}/fiscal-document-choice", plain.field("/id"));
        let (corrections, correction) = rejected(&world).await;
        let refused = |param| (400, "fiscal_buyer_tax_id_invalid", Some(param));
        for tax_id in UNLISTED {
            let rows = vec![
                (Request::post("/v1/payments", &world.one.key, sale(tax_id)), refused("fiscalDocument.buyer.taxId")),
                (Request::put(at.clone(), &world.one.key, choice(tax_id)), refused("buyer.taxId")),
                (Request::post(corrections.clone(), &world.one.key, correction(tax_id)), refused("buyer.taxId")),
            ];
            check(&world, rows).await;
        }
    })
    .await;
}

/// If the register does not respond, the check digit decides, and no sale waits for the register.
#[actix_web::test]
async fn a_register_that_does_not_answer_lists_no_number() {
    on_each_store(async |world| {
        world.faults.inject(Target::Directory, Fault::BeforeRequest, 1).unwrap();
        let refused = (400, "fiscal_buyer_tax_id_invalid", Some("fiscalDocument.buyer.taxId"));
        check(&world, vec![(Request::post("/v1/payments", &world.one.key, sale(LISTED)), refused)]).await;
    })
    .await;
}
