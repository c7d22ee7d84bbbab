//! A credit note that the authority rejects, and its correction.

use app::operators::report_numbers;
use chrono::TimeDelta;
use domain::fiscal::{DocumentKind, NumberFate};
use serde_json::{Value, json};

use super::{
    documents::{check_document, values},
    figures::Figures,
    receipt::{Entry, Note, check_receipt},
    shop::{Shop, Sold, known_case},
};
use crate::{
    refunds::{ALL, correction, refund},
    support::{APPROVED_CARD, on_each_store},
};

async fn refund_all(shop: &Shop, sold: &Sold) -> Value {
    let refunded = shop.world.done(&refund(&sold.created, &shop.admin, ALL)).await;
    shop.pass(TimeDelta::seconds(1)).await;
    shop.get(&format!("/refunds/{}", refunded.field("/id"))).await
}

/// Asserts the receipt, and the credited amount of the original.
async fn check_returned(shop: &Shop, sold: &Sold, note: Note, credited: i64) {
    let entry = Entry { day: "01/03/2026".to_owned(), status: "Devuelto", shares: vec![(None, 1_933_48, true)], note };
    check_receipt(shop, sold, true, &[entry]).await;
    let original = shop.get(&format!("/fiscal_documents/{}", sold.document())).await;
    assert_eq!(original["creditedMinorUnits"], credited);
    let summary = shop.get(&format!("/payments/{}", sold.payment())).await["refundSummary"].clone();
    assert_eq!((&summary["refundedAmount"]["minorUnits"], &summary["refundCount"]), (&json!(1_933_48), &json!(1)));
}

/// The authority counts the number of the rejected revision as used, so the correction has the next free number.
#[actix_web::test]
async fn a_rejected_credit_note_is_accepted_after_a_correction_under_another_number() {
    on_each_store(async |world| {
        let shop = Shop::open(world).await;
        let case = known_case("RF001");
        let sold = shop.sell(&case, "NC-RJ-1", APPROVED_CARD).await;
        let rejected = refund_all(&shop, &sold).await;
        let note = rejected["creditNote"].clone();
        assert_eq!((&note["status"], &note["revision"]), (&json!("rejected"), &json!(1)));
        assert_eq!(rejected["status"], "succeeded", "the money is back");
        assert_eq!(shop.emails(&sold).len(), 1, "the e-mail of the sale");
        check_returned(&shop, &sold, Note::Pending, 0).await;
        // Another note takes the next number before the correction.
        let other = refund_all(&shop, &shop.sell(&case, "OTHER-1", APPROVED_CARD).await).await;
        assert_eq!(other["creditNote"]["fiscalNumber"], "E340000000002");
        let money_moves = shop.world.acquirer.transactions().len();

        let (id, body) = (rejected["id"].as_str().unwrap(), r#"{"description":"Plato devuelto"}"#);
        let corrected = shop.world.done(&correction(id, &shop.admin, body)).await;
        assert_eq!((corrected.status, &corrected.json()["revision"]), (201, &json!(2)));
        check_returned(&shop, &sold, Note::Pending, 0).await;
        shop.pass(TimeDelta::seconds(1)).await;

        let read = shop.get(&format!("/refunds/{id}")).await;
        let accepted = &read["creditNote"];
        assert_eq!((&accepted["id"], &accepted["status"]), (&note["id"], &json!("issued")));
        assert_eq!(accepted["fiscalNumber"], "E340000000003");
        for field in ["returned", "lines", "breakdown", "legs", "status"] {
            assert_eq!(read[field], rejected[field], "{field}");
        }
        assert_eq!((&accepted["lines"], &accepted["modifies"]), (&note["lines"], &note["modifies"]));
        assert_eq!(shop.world.acquirer.transactions().len(), money_moves);
        let known = &case["steps"][0]["expected"]["creditNote"];
        let document = (note["id"].as_str().unwrap(), "E340000000003");
        let emails = shop.emails(&sold);
        check_document(&shop, document, &Figures::of_note(&case, known), &emails[0]).await;
        assert!(emails.len() == 2 && emails[0].text.contains("Motivo: Plato devuelto."), "{emails:?}");
        let xml = String::from_utf8(shop.file(document.0, "signed-document").await).unwrap();
        assert_eq!(values(&xml, "RazonModificacion"), ["Plato devuelto"]);
        check_returned(&shop, &sold, Note::Issued("E340000000003".to_owned()), 1_933_48).await;

        let revisions = shop.get(&format!("/fiscal_documents/{}/revisions", document.0)).await;
        let replaced = &revisions["data"][0];
        assert_eq!((&replaced["revision"], &replaced["status"]), (&json!(1), &json!("rejected")));
        check_numbers(&shop).await;
    })
    .await;
}

/// Asserts that three numbers were used without a gap, each once: the first is spent by the rejection.
async fn check_numbers(shop: &Shop) {
    let received = shop.notes_at_the_authority().await;
    let received: Vec<_> = received.iter().map(|it| (it.number.as_str(), it.status, it.is_number_spent)).collect();
    let expected =
        [("E340000000001", "rejected", true), ("E340000000002", "accepted", true), ("E340000000003", "accepted", true)];
    assert_eq!(received, expected);
    let (ledger, tenant) = (&*shop.world.ledger, &shop.world.one.tenant);
    let report = report_numbers(ledger, tenant, Some(DocumentKind::CreditNote), &mut |_, _| Ok(())).await.unwrap();
    let [range] = report.ranges.try_into().unwrap();
    assert_eq!((range.range.first, range.unused), (1, 997));
    assert_eq!(range.fates, [(NumberFate::Accepted, 2), (NumberFate::Corrected, 1)].into());
}
