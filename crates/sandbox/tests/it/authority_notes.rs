//! Credit notes, judged against the documents that they modify.

use std::fs;

use chrono::TimeDelta;
use domain::fiscal::{
    Acceptance,
    ProblemCode::{self, *},
    Verdict,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::unsigned::{
    ACCEPTED, AuthorityBackend, UnsignedDocument, fiscal_credit, government, part_note, rejected, summary, whole_note,
};

/// Returns an authority that has accepted these documents.
async fn with(accepted: &[UnsignedDocument]) -> AuthorityBackend {
    let office = AuthorityBackend::new();
    for document in accepted {
        assert_eq!(office.send(document).await, ACCEPTED, "{}", document.number);
    }
    office
}

/// Sends a note, and returns the authority's code and the problem.
async fn refusal(office: &AuthorityBackend, note: &UnsignedDocument) -> (String, ProblemCode) {
    let Verdict::Rejected { code, is_number_spent, .. } = office.send(note).await else {
        panic!("accepted: {}", note.xml)
    };
    assert!(is_number_spent, "{code:?}");
    assert_eq!(office.send(note).await, Verdict::Duplicate);
    (office.documents().await[0].messages[0].code.clone(), code)
}

/// A note of everything behind the summary of a consumer.
fn note_of_summary() -> UnsignedDocument {
    let buyer = "<RNCComprador>101000007</RNCComprador><RazonSocialComprador>COMPRADOR, SRL</RazonSocialComprador>";
    let consumer = "<RazonSocialComprador>CONSUMIDOR FINAL</RazonSocialComprador>";
    part_note().with(buyer, consumer).with("E310000000001", "E320000000001")
}

#[tokio::test]
async fn notes_of_every_kind_are_accepted() {
    with(&[fiscal_credit(), whole_note(&fiscal_credit())]).await;
    with(&[government(), whole_note(&government())]).await;
    with(&[fiscal_credit(), part_note()]).await;
    with(&[summary(), note_of_summary()]).await;
}

#[tokio::test]
async fn a_note_without_an_accepted_original_is_refused() {
    let unknown = ("614".to_owned(), ModifiedDocumentUnknown);
    let note = whole_note(&fiscal_credit());

    assert_eq!(refusal(&AuthorityBackend::new(), &note).await, unknown);

    let office = AuthorityBackend::new();
    office.send(&fiscal_credit().with("101000007", "101000008")).await;
    assert_eq!(refusal(&office, &note).await, unknown);

    // No note modifies a note.
    let office = with(&[fiscal_credit(), part_note()]).await;
    let of_note = part_note().numbered("E340000000003").with("E310000000001", "E340000000002");
    assert_eq!(refusal(&office, &of_note).await, unknown);

    let office = with(&[fiscal_credit()]).await;
    assert_eq!(refusal(&office, &part_note().with("E310000000001", "B0100000001")).await, unknown);
}

/// Each note breaks one rule.
#[tokio::test]
async fn a_note_that_breaks_a_rule_is_refused() {
    let part = || part_note();
    for (note, code, problem) in [
        (part().with("Modificado>01-03-2026", "Modificado>28-02-2026"), "634", DocumentMalformed),
        (part().with("<RNCComprador>101000007", "<RNCComprador>131880681"), "615", CreditBalanceExceeded),
        (part().with("<RNCComprador>101000007</RNCComprador>", ""), "615", CreditBalanceExceeded),
        (part().with("<IndicadorNotaCredito>0", "<IndicadorNotaCredito>1"), "156", DocumentMalformed),
        (part().with("<TipoIngresos>01</TipoIngresos>", ""), "181", DocumentMalformed),
        (part().with("<CodigoModificacion>3", "<CodigoModificacion>4"), "0", DocumentMalformed),
        (part().with("<CodigoModificacion>3", "<CodigoModificacion>1"), "0", DocumentMalformed),
        // The buyer comes before the reference, and the totals come after.
        (part().with("<RNCComprador>101000007", "<RNCComprador>101000008"), "1385", BuyerTaxIdNotRegistered),
        (part().with("<ITBIS1>18", "<ITBIS1>16"), "0", TotalsRejected),
    ] {
        let office = with(&[fiscal_credit()]).await;
        assert_eq!(refusal(&office, &note).await, (code.to_owned(), problem), "{}", note.xml);
        assert_eq!(office.send(&part().numbered("E340000000009")).await, ACCEPTED);
    }
}

/// The first violated rule decides.
#[tokio::test]
async fn the_date_of_the_original_comes_before_its_buyer() {
    let office = with(&[fiscal_credit()]).await;
    let note = part_note()
        .with("Modificado>01-03-2026", "Modificado>28-02-2026")
        .with("<RNCComprador>101000007", "<RNCComprador>131880681");

    assert_eq!(refusal(&office, &note).await, ("634".to_owned(), DocumentMalformed));
}

#[tokio::test]
async fn notes_never_exceed_their_original() {
    let exceeded = ("615".to_owned(), CreditBalanceExceeded);
    // 1,933.48 are four notes of 471.99, and 45.52.
    let office = with(&[fiscal_credit()]).await;
    for number in ["E340000000002", "E340000000003", "E340000000004", "E340000000005"] {
        assert_eq!(office.send(&part_note().numbered(number)).await, ACCEPTED);
    }
    assert_eq!(refusal(&office, &part_note().numbered("E340000000006")).await, exceeded);

    let office = with(&[fiscal_credit(), part_note()]).await;
    let rest = whole_note(&fiscal_credit()).with("<CodigoModificacion>1", "<CodigoModificacion>3");
    assert_eq!(refusal(&office, &rest).await, exceeded);
}

/// A note in process counts.
#[tokio::test]
async fn a_slow_note_takes_its_balance_at_once() {
    let office = with(&[fiscal_credit()]).await;
    let slow = whole_note(&fiscal_credit()).invoiced("NC-SL-1");

    assert!(matches!(office.send(&slow).await, Verdict::InProcess { .. }));

    assert_eq!(refusal(&office, &part_note()).await, ("615".to_owned(), CreditBalanceExceeded));
}

/// A refused note leaves the balance to others.
#[tokio::test]
async fn a_refused_note_takes_no_balance() {
    let office = with(&[fiscal_credit()]).await;
    let refused = whole_note(&fiscal_credit()).invoiced("NC-RJ-1");

    assert_eq!(office.send(&refused).await, rejected(UnclassifiedRejection, true));

    let corrected = whole_note(&fiscal_credit()).invoiced("NC-RJ-1").numbered("E340000000002").corrected();
    assert_eq!(office.send(&corrected).await, ACCEPTED);
}

#[tokio::test]
async fn the_indicator_follows_the_number_of_days() {
    for (days, day, indicator) in [(30, "31-03-2026", "0"), (31, "01-04-2026", "1"), (366, "02-03-2027", "1")] {
        let wrong = if indicator == "0" { "1" } else { "0" };
        let note = |indicator: &str| {
            let stated = format!("<IndicadorNotaCredito>{indicator}");
            let issued = format!("<FechaEmision>{day}");
            part_note().with("<IndicadorNotaCredito>0", &stated).with("<FechaEmision>01-03-2026", &issued)
        };
        let office = with(&[fiscal_credit()]).await;
        office.clock.advance(TimeDelta::days(days));

        assert_eq!(refusal(&office, &note(wrong)).await, ("156".to_owned(), DocumentMalformed));
        assert_eq!(office.send(&note(indicator).numbered("E340000000003")).await, ACCEPTED);
    }
}

#[tokio::test]
async fn prefixes_for_notes_leave_the_sale_alone() {
    for invoice in ["NC-RJ-1", "NC-OB-1", "NC-SL-1", "NC-LOST-1", "NC-DOWN-1"] {
        with(&[fiscal_credit().invoiced(invoice)]).await;
    }
}

#[tokio::test]
async fn prefixes_for_sales_leave_notes_alone() {
    for invoice in ["RJ-1", "OB-1", "SL-1", "LOST-1", "DOWN-1"] {
        let office = with(&[fiscal_credit()]).await;
        assert_eq!(office.send(&part_note().invoiced(invoice)).await, ACCEPTED, "{invoice}");
    }
}

#[tokio::test]
async fn notes_have_prefixes_of_their_own() {
    let note = |invoice| part_note().invoiced(invoice);
    let sent = async |invoice: &'static str| {
        let office = with(&[fiscal_credit().invoiced(invoice)]).await;
        let verdict = office.send(&note(invoice)).await;
        (office, verdict)
    };

    let (_, verdict) = sent("NC-RJ-1").await;
    assert_eq!(verdict, rejected(UnclassifiedRejection, true));
    let (_, verdict) = sent("NC-OB-1").await;
    assert!(matches!(verdict, Verdict::Accepted(Acceptance::WithObservations(_))), "{verdict:?}");
    let (_, verdict) = sent("NC-SL-1").await;
    assert!(matches!(verdict, Verdict::InProcess { .. }), "{verdict:?}");

    // The first response is lost, although the invoice has a document already.
    let (office, verdict) = sent("NC-LOST-1").await;
    assert_eq!((verdict, office.ask(&note("NC-LOST-1")).await), (Verdict::Unknown, ACCEPTED));

    let (office, verdict) = sent("NC-DOWN-1").await;
    assert_eq!(verdict, Verdict::Unavailable);
    for expected in [Verdict::Unavailable, Verdict::Unavailable, ACCEPTED] {
        assert_eq!(office.send(&note("NC-DOWN-1")).await, expected);
    }
}

#[tokio::test]
async fn balances_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("authority.jsonl");
    let before = AuthorityBackend::with_journal(&path);
    assert_eq!(before.send(&fiscal_credit()).await, ACCEPTED);
    assert_eq!(before.send(&part_note()).await, ACCEPTED);
    drop(before);

    let after = AuthorityBackend::with_journal(&path);

    let rest = whole_note(&fiscal_credit()).with("<CodigoModificacion>1", "<CodigoModificacion>3");
    assert_eq!(refusal(&after, &rest).await, ("615".to_owned(), CreditBalanceExceeded));
    assert_eq!(after.send(&part_note().numbered("E340000000003")).await, ACCEPTED);
}

/// Journals of 0.1.0 have no facts for credit notes.
#[tokio::test]
async fn documents_of_a_journal_without_facts_for_notes_are_credited() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("authority.jsonl");
    AuthorityBackend::with_journal(&path).send(&fiscal_credit()).await;
    let mut entry: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert!(entry.as_object_mut().unwrap().remove("stated").is_some());
    fs::write(&path, format!("{entry}\n")).unwrap();

    let after = AuthorityBackend::with_journal(&path);

    assert_eq!(after.send(&whole_note(&fiscal_credit())).await, ACCEPTED);
}

/// Two notes of the whole document at once: one is accepted.
#[tokio::test]
async fn simultaneous_notes_share_one_balance() {
    let office = with(&[fiscal_credit()]).await;
    let note = |number| whole_note(&fiscal_credit()).numbered(number);
    let (one, other) = (note("E340000000001"), note("E340000000002"));

    let (one, other) = tokio::join!(office.send(&one), office.send(&other));

    let refused = rejected(CreditBalanceExceeded, true);
    assert!([&one, &other].contains(&&ACCEPTED) && [&one, &other].contains(&&refused), "{one:?} {other:?}");
}
