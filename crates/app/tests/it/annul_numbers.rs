use app::operators::{AnnulmentNotSent, AnnulmentPorts, AnnulmentRequest, annul_numbers, resume_annulment};
use domain::{
    AnnulmentId,
    fiscal::{
        AnnulmentState, AnnulmentVerdict, AssignedNumber, DocumentKind, Environment, NumberFate, NumberRange,
        ProblemCode,
    },
};
use mockall::Sequence;
use ports::{Committed, MockNumberLedger, MockRangeAuthority, SignedXml};
use testkit::{
    contract::number_ledger::withdrawal,
    sample::{self, symbols, tenant},
};

use crate::support::{Mocks, signatory};

const WISH: AnnulmentRequest = AnnulmentRequest {
    kind: DocumentKind::Consumer,
    environment: Environment::PreCertification,
    range: Some(1),
    from: None,
    to: None,
};

/// Returns a range from 1 to 100 with `assigned` assigned numbers.
fn range(assigned: u64) -> NumberRange {
    NumberRange { first: 1, last: 100, next: assigned + 1, ..sample::range(DocumentKind::Consumer) }
}

/// A world with a certificate, and an authority that responds with `verdict`.
fn world(verdict: AnnulmentVerdict) -> (Mocks, MockRangeAuthority) {
    let mut mocks = Mocks::default();
    mocks.merchants.expect_certificate().returning(|_, _| Ok(Some(sample::stored_certificate(1))));
    mocks.composer.expect_annul().returning(|it| Ok(format!("{} to {}", it.first, it.last)));
    let signed = |xml| Ok(SignedXml { xml: format!("signed {xml}"), signature_value: "aB3+/=".to_owned() });
    mocks.signer.expect_sign().returning(move |_, xml| signed(xml));
    mocks.signer.expect_verify().returning(|_| Ok(signatory()));
    let mut authority = MockRangeAuthority::new();
    authority.expect_annul().return_once(move |_| verdict);
    (mocks, authority)
}

#[tokio::test]
async fn the_range_is_cut_before_the_authority_is_called() {
    let (mocks, _) = world(AnnulmentVerdict::Unavailable);
    let (mut ledger, mut authority, mut in_order) =
        (MockNumberLedger::new(), MockRangeAuthority::new(), Sequence::new());
    ledger.expect_ranges().return_once(|_| Ok(vec![range(10)]));
    ledger
        .expect_withdraw()
        .withf(|it| it.from == range(10) && it.to.range.next == 101 && it.xml == b"signed 11 to 100")
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    authority
        .expect_annul()
        .withf(|it| it.xml == b"signed 11 to 100" && it.file_name.ends_with("E320000000011.xml"))
        .once()
        .in_sequence(&mut in_order)
        .return_once(|_| AnnulmentVerdict::Annulled(Vec::new()));
    let is_annulled = |it: &domain::fiscal::Annulment| it.state == AnnulmentState::Annulled;
    let settled = ledger.expect_settle().withf(move |_, it| is_annulled(it)).once();
    settled.in_sequence(&mut in_order).returning(|_, _| Ok(()));

    let annulment_ports = AnnulmentPorts { ledger: &ledger, authority: &authority };
    let done = annul_numbers(&mocks.into_ports(), annulment_ports, &tenant(), WISH).await.unwrap();

    assert_eq!((done.annulment.first, done.annulment.last), (11, 100));
}

/// After numbers are cut off, an error never reports that they were not annulled: it names the command that resumes
/// the annulment.
#[tokio::test]
async fn an_unstored_result_names_the_annulment_to_resume() {
    let down = || ports::Unavailable { what: "the store", source: "it is down".into() };
    for (is_cut, begin) in [(true, "the numbers are cut off"), (false, "it is not known whether")] {
        let (mocks, authority) = world(AnnulmentVerdict::Annulled(Vec::new()));
        let mut ledger = MockNumberLedger::new();
        ledger.expect_ranges().return_once(|_| Ok(vec![range(10)]));
        let cut = move |_| if is_cut { Ok(Committed::Done) } else { Err(down()) };
        ledger.expect_withdraw().return_once(cut);
        ledger.expect_settle().returning(move |_, _| Err(down()));

        let annulment_ports = AnnulmentPorts { ledger: &ledger, authority: &authority };
        let message =
            annul_numbers(&mocks.into_ports(), annulment_ports, &tenant(), WISH).await.unwrap_err().to_string();

        assert!(message.starts_with(begin) && message.contains("--resume annulment_"), "{message}");
    }
}

#[tokio::test]
async fn a_number_that_was_assigned_meanwhile_is_left_out() {
    let (mocks, authority) = world(AnnulmentVerdict::Unknown(Vec::new()));
    let mut ledger = MockNumberLedger::new();
    let mut reads = 9;
    ledger.expect_ranges().times(2).returning(move |_| {
        reads += 1;
        Ok(vec![range(reads)])
    });
    let mut cuts = 0;
    ledger.expect_withdraw().times(2).returning(move |_| {
        cuts += 1;
        Ok(if cuts == 1 { Committed::Stale } else { Committed::Done })
    });
    ledger.expect_settle().once().returning(|_, _| Ok(()));

    let annulment_ports = AnnulmentPorts { ledger: &ledger, authority: &authority };
    let done = annul_numbers(&mocks.into_ports(), annulment_ports, &tenant(), WISH).await.unwrap();

    assert_eq!((done.annulment.first, done.annulment.state), (12, AnnulmentState::Unresolved));
}

#[tokio::test]
async fn a_used_number_is_refused_without_a_change() {
    let (mut mocks, _) = world(AnnulmentVerdict::Unavailable);
    // Neither a withdrawal nor the authority is expected.
    let (mut ledger, authority) = (MockNumberLedger::new(), MockRangeAuthority::new());
    ledger.expect_ranges().return_once(|_| Ok(vec![range(10)]));
    ledger.expect_annulments().return_once(|_| Ok(Vec::new()));
    let assigned = AssignedNumber {
        numbered: sample::numbered(10),
        document: sample::document_id(10),
        revision: 1,
        payment: sample::payment_id(10),
        assigned_at: sample::noon(),
        fate: NumberFate::Accepted,
        decided_at: Some(sample::noon()),
    };
    ledger
        .expect_assigned()
        .withf(|_, it, from, limit| (it.last, *from, *limit) == (10, 10, 1))
        .return_once(|_, _, _, _| Ok(vec![assigned]));
    mocks.sales.expect_find_by_document().return_once(|_, _| Ok(Some(sample::issued(10))));
    mocks.search.expect_revisions().return_once(|_, _, _| Ok(Vec::new()));

    let annulment_ports = AnnulmentPorts { ledger: &ledger, authority: &authority };
    let request = AnnulmentRequest { from: Some(10), ..WISH };
    let refused = annul_numbers(&mocks.into_ports(), annulment_ports, &tenant(), request).await.unwrap_err();

    assert!(refused.to_string().starts_with("some numbers were assigned to documents and are spent"), "{refused}");
}

#[tokio::test]
async fn numbers_are_found_in_the_range_that_has_them() {
    let (mocks, authority) = world(AnnulmentVerdict::Annulled(Vec::new()));
    let mut ledger = MockNumberLedger::new();
    let beyond = NumberRange { first: 121, next: 121, last: 200, ..range(0) };
    ledger.expect_ranges().returning(move |_| Ok(vec![range(10), beyond.clone()]));
    let cut = ledger.expect_withdraw().once();
    cut.withf(|it| {
        let rest = it.to.beyond.as_ref().map(|it| (it.first, it.next, it.last));
        (it.from.first, it.to.range.last, rest) == (121, 129, Some((141, 141, 200)))
    });
    cut.returning(|_| Ok(Committed::Done));
    ledger.expect_settle().once().returning(|_, _| Ok(()));
    let (ports, annulment_ports) = (mocks.into_ports(), AnnulmentPorts { ledger: &ledger, authority: &authority });

    let request = AnnulmentRequest { range: None, from: Some(130), to: Some(140), ..WISH };
    let done = annul_numbers(&ports, annulment_ports, &tenant(), request).await.unwrap();
    let between = AnnulmentRequest { from: Some(110), to: Some(115), ..request };
    let gone = annul_numbers(&ports, annulment_ports, &tenant(), between).await.unwrap_err();

    assert_eq!((done.annulment.range, done.annulment.first, done.annulment.last), (121, 130, 140));
    assert_eq!(gone.to_string(), "no range contains that number: it was never granted, or annulled before");
}

#[tokio::test]
async fn a_resumed_annulment_is_sent_byte_for_byte() {
    let (mocks, _) = world(AnnulmentVerdict::Unavailable);
    let (mut ledger, mut authority) = (MockNumberLedger::new(), MockRangeAuthority::new());
    let cut = withdrawal(1, &range(10), 11, 100);
    let (annulment, xml) = (cut.annulment.clone(), cut.xml.clone());
    ledger.expect_annulment().return_once(move |_, _| Ok(Some((annulment, xml))));
    ledger.expect_settle().once().returning(|_, _| Ok(()));
    authority
        .expect_annul()
        .withf(move |it| it.xml == cut.xml)
        .once()
        .return_once(|_| AnnulmentVerdict::Blocked(ProblemCode::CertificateInvalid));

    let annulment_ports = AnnulmentPorts { ledger: &ledger, authority: &authority };
    let id = AnnulmentId::new(&symbols(1));
    let done = resume_annulment(&mocks.into_ports(), annulment_ports, &tenant(), &id).await.unwrap();

    assert_eq!(done.not_sent, Some(AnnulmentNotSent::Blocked(ProblemCode::CertificateInvalid)));
    assert_eq!(done.annulment.state, AnnulmentState::Unresolved);
}
