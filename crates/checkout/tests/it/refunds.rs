//! Refunds on the receipt.

use actix_web::test::TestRequest;
use chrono::TimeDelta;
use domain::{
    Currency, FiscalDocumentId, Money, RefundId,
    credential::Scope,
    fiscal::{Acceptance, Verdict},
    refund::{
        AccountState, Refund, RefundConditions, RefundDraft, RefundFacts, RefundFailureCode, RefundOrigin,
        RefundOutcome, RefundPlan, RefundReason, RefundRecord, RefundSelection, RefundSettlement, RefundTerms,
        RefundedSale,
    },
    sale::Sale,
    split::CaptureOutcome,
};
use testkit::sample;

use crate::support::{Page, World, link};

const PATH: &str = "/p/payment_00000000000000000000000001";
const TERMS: RefundTerms = RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 183, allows_multiple: true };

/// A sale with refunds.
struct Refunded(RefundedSale);

impl Refunded {
    fn of(sale: Sale) -> Self {
        Self(RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() })
    }

    /// Begins the `n`th refund, on the `n`th day of March.
    fn begin(mut self, n: u32, selection: RefundSelection) -> Self {
        let now = sample::noon() + TimeDelta::days(i64::from(n) - 1);
        let draft = RefundDraft {
            selection,
            settlement: RefundSettlement::Acquirer,
            parts: None,
            acknowledges_itbis_loss: false,
        };
        let account = AccountState { can_issue_notes: true, can_use_acquirer: true };
        let conditions = RefundConditions { terms: TERMS, account };
        let context = self.0.context(None, None, conditions, now).unwrap();
        let plan = RefundPlan::decide(&draft, &context).unwrap();
        let payment = &self.0.sale.payment.facts;
        let facts = RefundFacts {
            id: RefundId::new(&sample::symbols(n)),
            payment: payment.id.clone(),
            merchant: payment.merchant.clone(),
            mode: payment.mode,
            account: payment.account.clone(),
            currency: Currency::Dop,
            origin: RefundOrigin::Merchant,
            settlement: RefundSettlement::Acquirer,
            settlement_reference: None,
            refund_reference: None,
            retried: None,
            metadata: None,
            original_issued_on: None,
            created_at: now,
        };
        let refund = Refund::begin(facts, plan, RefundReason::Returned.into(), |_| None);
        self.0.begin(refund, note_id(n), now).unwrap();
        self
    }

    /// Ends a leg of the `n`th refund, when the charge can no longer be voided.
    fn settle(mut self, n: u32, ordinal: Option<u8>, outcome: RefundOutcome) -> Self {
        let id = RefundId::new(&sample::symbols(n));
        let now = sample::noon() + TimeDelta::days(i64::from(n) - 1) + TimeDelta::hours(1);
        let charge = *self.0.charges(Some(&id)).iter().find(|charge| charge.ordinal == ordinal).unwrap();
        let before = self.0.refund(&id).unwrap().clone();
        let refund = self.0.refund_mut(&id).unwrap();
        refund.open_call(&charge, sample::attempt_id(900 + n), &TERMS, now).unwrap();
        refund.apply_outcome(ordinal, &sample::attempt_id(900 + n), outcome, now).unwrap();
        self.0.settle_legs(&before, note_id(n), now).unwrap();
        self
    }

    fn returned(self, n: u32, selection: RefundSelection) -> Self {
        self.begin(n, selection).settle(n, None, RefundOutcome::Approved(None))
    }

    /// Issues every credit note.
    fn with_notes(mut self) -> Self {
        for (n, note) in (1..).zip(&mut self.0.notes) {
            note.numbered(sample::note_number(n), sample::noon()).unwrap();
            note.signed(sample::signed(n), sample::noon()).unwrap();
            note.submitting(sample::noon()).unwrap();
            note.apply_verdict(Verdict::Accepted(Acceptance::Accepted), sample::noon()).unwrap();
        }
        self
    }

    fn records(&self) -> Vec<RefundRecord> {
        self.0.refunds.iter().rev().filter_map(|refund| self.0.record(&refund.facts.id)).collect()
    }

    fn world(&self) -> World {
        World::knowing(std::slice::from_ref(&self.0.sale)).with_refunds(self.records())
    }

    /// The page of the receipt.
    async fn page(&self) -> Page {
        self.world().open(&link(1)).await
    }
}

fn note_id(n: u32) -> FiscalDocumentId {
    sample::document_id(700 + n)
}

fn amount(minor_units: i64) -> RefundSelection {
    RefundSelection::Amount(Money::new(minor_units, Currency::Dop), None)
}

/// A bill for two, whose shares were captured and whose document was issued.
fn shared() -> Sale {
    let mut sale = sample::authorized_split(1, 2);
    sale.capture(sample::noon()).unwrap();
    for ordinal in [1, 2] {
        let attempt = sample::part_attempt_id(1, ordinal, 2);
        sale.begin_call(ordinal, attempt.clone(), sample::noon()).unwrap();
        sale.apply_capture(&attempt, CaptureOutcome::Captured, sample::noon()).unwrap();
    }
    sale.document.numbered(sample::numbered(1), sample::noon()).unwrap();
    sale.document.signed(sample::signed(1), sample::noon()).unwrap();
    sale.document.submitting(sample::noon()).unwrap();
    sale.document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), sample::noon()).unwrap();
    sale
}

#[track_caller]
fn shows(page: &Page, parts: &[&str]) {
    for part in parts {
        assert!(page.html.contains(part), "{part} is not in {}", page.html);
    }
}

#[track_caller]
fn hides(page: &Page, parts: &[&str]) {
    for part in parts {
        assert!(!page.html.contains(part), "{part} is in {}", page.html);
    }
}

#[actix_web::test]
async fn a_receipt_without_refunds_has_no_block() {
    let page = Refunded::of(sample::issued(1)).page().await;

    hides(&page, &["Devoluciones", "Total devuelto", "class=\"card refunds\""]);
}

#[actix_web::test]
async fn a_refund_in_progress_names_the_delay_and_is_polled() {
    let page = Refunded::of(sample::issued(1)).begin(2, amount(500_00)).page().await;

    shows(
        &page,
        &[
            r#"<h2 id="refunds">Devoluciones</h2>"#,
            "<p>02/03/2026: En proceso</p>",
            "<dt>Monto</dt><dd>RD$ 500.00</dd>",
            "puede tardar varios días en verse en su tarjeta",
            "data-poll",
        ],
    );
    hides(&page, &["Total devuelto", "Nota de crédito en camino"]);
}

#[actix_web::test]
async fn returned_money_is_shown_with_its_note_newest_first() {
    let refunds = Refunded::of(sample::issued(1)).returned(1, amount(500_00)).returned(2, RefundSelection::All);
    let owed = refunds.page().await;
    let issued = refunds.with_notes().page().await;

    shows(
        &owed,
        &[r#"<th scope="row">Total devuelto</th><td>RD$ 1,280.00</td>"#, "Devuelto</p>", "Nota de crédito en camino"],
    );
    hides(&owed, &["notes/fiscal_document", "puede tardar"]);
    let days: Vec<usize> = ["02/03/2026: Devuelto", "01/03/2026: Devuelto"]
        .iter()
        .map(|text| issued.html.find(text).unwrap_or_else(|| panic!("{text} is not in {}", issued.html)))
        .collect();
    assert!(days.is_sorted(), "{days:?}");
    shows(
        &issued,
        &[
            "<dt>Nota de crédito</dt><dd>E340000000001</dd>",
            "<dt>Nota de crédito</dt><dd>E340000000002</dd>",
            &format!("href=\"{PATH}/notes/{}/document.pdf\"", note_id(1)),
            &format!("href=\"{PATH}/notes/{}/document.xml\"", note_id(2)),
        ],
    );
    hides(&issued, &["Nota de crédito en camino", "data-poll"]);
}

#[actix_web::test]
async fn each_payer_of_a_split_sees_the_returned_share() {
    let refused = RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider);
    let half = Refunded::of(shared()).begin(1, RefundSelection::All);
    let half = half.settle(1, Some(1), RefundOutcome::Approved(None)).settle(1, Some(2), refused);
    let page = half.page().await;

    shows(
        &page,
        &[
            "Devuelto en parte</p>",
            "<dt>Parte 1</dt><dd>RD$ 640.00 · Devuelto</dd>",
            "<dt>Parte 2</dt><dd>RD$ 640.00 · No se pudo devolver: consulte al comercio</dd>",
            r#"<th scope="row">Total devuelto</th><td>RD$ 640.00</td>"#,
        ],
    );
}

#[actix_web::test]
async fn a_failed_refund_refers_to_the_merchant() {
    let refused = RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider);
    let page = Refunded::of(sample::issued(1)).begin(1, amount(500_00)).settle(1, None, refused).page().await;

    shows(&page, &["01/03/2026: No se pudo devolver: consulte al comercio</p>"]);
    hides(&page, &["Total devuelto", "Nota de crédito"]);
}

#[actix_web::test]
async fn the_block_is_in_the_language_of_the_payer() {
    let world = Refunded::of(sample::issued(1)).returned(2, amount(500_00)).with_notes().world();
    let entered = world.send(TestRequest::get().uri(&link(1))).await;
    let request = TestRequest::get().uri(PATH).insert_header(("cookie", entered.cookie()));
    let page = world.send(request.insert_header(("accept-language", "en"))).await;

    shows(
        &page,
        &[
            ">Refunds</h2>",
            "Mar 2, 2026: Refunded</p>",
            "Total refunded</th><td>RD$ 500.00",
            "<dt>Credit note</dt><dd>E340000000001</dd>",
        ],
    );
}

/// The script of an open page compares versions.
#[actix_web::test]
async fn the_version_of_the_page_changes_with_refund_and_note() {
    let version = async |refunds: &Refunded| {
        let world = refunds.world();
        let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
        world.send(TestRequest::get().uri(&format!("{PATH}/state")).insert_header(("cookie", cookie))).await.html
    };
    let none = Refunded::of(sample::issued(1));
    let mut versions = vec![version(&none).await];
    let begun = none.begin(1, RefundSelection::All);
    versions.push(version(&begun).await);
    let returned = begun.settle(1, None, RefundOutcome::Approved(None));
    versions.push(version(&returned).await);
    versions.push(version(&returned.with_notes()).await);

    let distinct: std::collections::BTreeSet<&String> = versions.iter().collect();
    assert_eq!(distinct.len(), 4, "{versions:?}");
}

/// The payer of a bill that ended incomplete reads that the money came back.
#[actix_web::test]
async fn a_bill_left_in_part_shows_its_return() {
    let left = Refunded::of(sample::left_in_part(1));
    let before = left.page().await;
    let after = left.begin(1, RefundSelection::All).settle(1, Some(1), RefundOutcome::Approved(None)).page().await;

    shows(&before, &["con el comercio para que le devuelva el dinero."]);
    shows(
        &after,
        &["<h2>La venta no se completó</h2>", "Lo que se cobró se devolvió.", "<dt>Parte 1</dt><dd>RD$ 640.00"],
    );
    hides(&after, &["para que le devuelva el dinero", "Nota de crédito"]);
}

/// Only the holder of the receipt sees refunds, and only the notes of this payment.
#[actix_web::test]
async fn the_files_of_a_note_need_a_known_note() {
    let refunds = Refunded::of(sample::issued(1)).returned(1, amount(500_00)).with_notes();
    let world = refunds.world();
    let cookie = world.send(TestRequest::get().uri(&link(1))).await.cookie();
    let get = |path: String| TestRequest::get().uri(&path).insert_header(("cookie", cookie.clone()));

    let foreign = world.send(get(format!("{PATH}/notes/{}/document.pdf", sample::document_id(1)))).await;
    let anonymous = world.send(TestRequest::get().uri(&format!("{PATH}/notes/{}/document.xml", note_id(1)))).await;
    world.set_scope(Scope::Pay);
    let payer = world.send(get(PATH.to_owned())).await;

    assert_eq!((foreign.status, anonymous.status), (404, 404));
    assert_eq!(payer.status, 200);
}

/// Ninety days from the last refund, for its payers.
#[actix_web::test]
async fn the_receipt_stays_for_ninety_days_after_the_last_refund() {
    let refunded = Refunded::of(sample::issued(1)).returned(31, amount(500_00)).world();
    let plain = World::knowing(&[sample::issued(1)]);
    let status = async |world: &World| world.send(TestRequest::get().uri(&link(1))).await.status;

    for world in [&refunded, &plain] {
        world.pass(TimeDelta::days(91));
    }
    assert_eq!((status(&refunded).await, status(&plain).await), (303, 410));
    refunded.pass(TimeDelta::days(30));
    assert_eq!(status(&refunded).await, 410);
}
