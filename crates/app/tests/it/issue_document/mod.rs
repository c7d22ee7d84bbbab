mod set_up;
mod turns;

use app::{Error, issue_document};
use chrono::TimeDelta;
use domain::{
    EventKind,
    fiscal::{Acceptance, DocumentStatus, Issuance, IssueStep, ProblemCode, Taxpayer, Verdict},
    sale::Sale,
    text::BoundedText,
};
use mockall::Sequence;
use ports::{
    Artifact, ArtifactKind, Commit, Committed, Malformed, NumberError, Signatory, SignatureInvalid, SignedXml,
    Unavailable, Unprintable,
};
use testkit::sample;

use crate::support::{Mocks, signatory};

/// A paid sale before the look-up of the buyer's name.
fn paid_by_a_company() -> Sale {
    let mut draft = sample::draft();
    draft.document.buyer_tax_id = BoundedText::parse("101000007");
    let mut sale = draft
        .open(
            sample::sale_ids(1),
            &sample::sale_context(),
            &domain::account::AccountSelector::default(),
            &domain::money::AmountLimits::default(),
            sample::noon(),
        )
        .unwrap();
    sale.submit(sample::attempt_id(1), sample::card(), sample::noon()).unwrap();
    sale.apply_outcome(&sample::attempt_id(1), domain::payment::ProviderOutcome::Approved, sample::noon()).unwrap();
    sale
}

fn numbered() -> Sale {
    let mut sale = sample::paid(1);
    sale.document.numbered(sample::numbered(1), sample::noon()).unwrap();
    sale
}

fn signed() -> Sale {
    let mut sale = numbered();
    sale.document.signed(sample::signed(1), sample::noon()).unwrap();
    sale
}

/// Returns `sale` once and then a sale without a due step, so that no step follows an [`overtaken`] commit.
fn one_commit(sale: Sale) -> Mocks {
    let mut mocks = Mocks::default();
    let mut finds = 0;
    mocks.sales.expect_find_by_document().returning(move |_, _| {
        finds += 1;
        Ok(Some(if finds == 1 { sale.clone() } else { sample::issued(1) }))
    });
    mocks
}

/// Another worker was faster.
fn overtaken(_: Commit) -> Result<Committed, Unavailable> {
    Ok(Committed::Stale)
}

async fn run(mocks: Mocks) {
    issue_document(&mocks.into_ports(), &sample::tenant(), &sample::document_id(1)).await.unwrap();
}

fn next_step(commit: &Commit) -> Option<IssueStep> {
    commit.documents.first().unwrap().to.next_step()
}

fn status(commit: &Commit) -> DocumentStatus {
    commit.documents.first().unwrap().to.status()
}

#[tokio::test]
async fn the_directory_names_the_buyer_first() {
    let mut mocks = one_commit(paid_by_a_company());
    mocks.directory.expect_find().once().returning(|tax_id| {
        let legal_name = "COMPRADOR, SRL".to_owned();
        Ok(Some(Taxpayer { tax_id: tax_id.clone(), legal_name, is_active: true, is_government: false }))
    });
    mocks.sales.expect_commit().withf(|it| next_step(it) == Some(IssueStep::AssignNumber)).once().returning(overtaken);

    run(mocks).await;
}

#[tokio::test]
async fn an_unknown_buyer_costs_no_number() {
    let mut mocks = one_commit(paid_by_a_company());
    mocks.directory.expect_find().once().returning(|_| Ok(None));
    mocks
        .sales
        .expect_commit()
        .withf(|it| it.events[0].kind == EventKind::FiscalDocumentRejected)
        .once()
        .returning(|_| Ok(Committed::Done));

    // No number is expected to be allotted.
    run(mocks).await;
}

#[tokio::test]
async fn without_numbers_the_document_waits_and_the_payment_stays_paid() {
    let mut mocks = one_commit(sample::paid(1));
    mocks.numbers.expect_assign().once().returning(|_| Err(NumberError::Exhausted));
    mocks
        .sales
        .expect_commit()
        .withf(|it| status(it) == DocumentStatus::Delayed && it.payment.is_none())
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn the_signed_and_rendered_bytes_are_stored_with_the_fact() {
    let mut mocks = signing();
    mocks.printer.expect_print().once().returning(|_, _, _| Ok(b"%PDF".to_vec()));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            let kinds: Vec<ArtifactKind> = it.artifacts.iter().map(|it| it.kind).collect();
            kinds == [ArtifactKind::SignedDocument, ArtifactKind::SignedSummary, ArtifactKind::PrintedRepresentation]
                && next_step(it) == Some(IssueStep::Inquire)
        })
        .once()
        .returning(overtaken);

    run(mocks).await;
}

/// The authority and the buyer are owed the document itself.
#[tokio::test]
async fn a_document_that_cannot_be_drawn_is_signed_all_the_same() {
    let mut mocks = signing();
    mocks.printer.expect_print().once().returning(|_, _, _| Err(Unprintable { reason: "no ink".to_owned() }));
    mocks
        .sales
        .expect_commit()
        .withf(|it| it.artifacts.len() == 2 && next_step(it) == Some(IssueStep::Inquire))
        .once()
        .returning(overtaken);

    run(mocks).await;
}

/// The steps before the submission are stored with it, before the call, and the document is read once.
#[tokio::test]
async fn from_payment_to_acceptance_there_are_two_commits_beside_the_number() {
    let mut mocks = that_signs(Mocks::default());
    let mut in_order = Sequence::new();
    mocks.sales.expect_find_by_document().once().in_sequence(&mut in_order).returning(|_, _| Ok(Some(sample::paid(1))));
    mocks.numbers.expect_assign().once().in_sequence(&mut in_order).returning(|_| Ok(sample::numbered(1)));
    mocks.work.expect_head_of_queue().once().returning(|_, _| Ok(None));
    mocks.printer.expect_print().once().in_sequence(&mut in_order).returning(|_, _, _| Ok(b"%PDF".to_vec()));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            let change = it.documents.first().unwrap();
            let is_signed = |issuance: &Issuance| issuance.stage.document().is_some();
            let is_whole = it.artifacts.len() == 3 && change.to.stage().issuance().is_some_and(is_signed);
            let is_based = change.based_on == Some(sample::paid(1).document.version());
            is_whole && is_based && change.lease_until.is_some() && next_step(it) == Some(IssueStep::Inquire)
        })
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    then_it_goes_out_and_is_accepted(&mut mocks, &mut in_order);

    run(mocks).await;
}

/// The commits after the intent of the submission.
fn then_it_goes_out_and_is_accepted(mocks: &mut Mocks, in_order: &mut Sequence) {
    mocks
        .authority
        .expect_submit()
        .withf(|it| it.xml == b"<RFCE/>signed")
        .once()
        .in_sequence(in_order)
        .returning(|_| Verdict::Accepted(Acceptance::Accepted));
    mocks
        .sales
        .expect_commit()
        .withf(|it| it.events[0].kind == EventKind::FiscalDocumentIssued && it.artifacts.is_empty())
        .once()
        .in_sequence(in_order)
        .returning(|_| Ok(Committed::Done));
}

/// A document to be signed, a working signer, and an empty queue.
fn signing() -> Mocks {
    let mut mocks = that_signs(one_commit(numbered()));
    mocks.work.expect_head_of_queue().returning(|_, _| Ok(None));
    mocks
}

fn that_signs(mut mocks: Mocks) -> Mocks {
    mocks.signer.expect_verify().times(2).returning(|xml| {
        assert!(xml.ends_with(b"signed"));
        Ok(signatory())
    });
    mocks.merchants.expect_certificate().returning(|_, _| Ok(Some(sample::stored_certificate(1))));
    mocks.composer.expect_compose().returning(|_, _, _| Ok("<ECF/>".to_owned()));
    mocks
        .composer
        .expect_summarize()
        .withf(|_, _, code| code == "sign__")
        .returning(|_, _, _| Ok("<RFCE/>".to_owned()));
    mocks
        .signer
        .expect_sign()
        .times(2)
        .returning(|_, xml| Ok(SignedXml { xml: format!("{xml}signed"), signature_value: "sign____".to_owned() }));
    mocks
}

/// Neither stored nor sent: the number waits for a valid signature by our certificate.
#[tokio::test]
async fn a_signature_that_does_not_verify_is_refused() {
    let of_another_tenant = Signatory { certificate: b"another".to_vec(), ..signatory() };
    for verdict in [Err(SignatureInvalid { reason: "altered" }), Ok(of_another_tenant)] {
        let mut mocks = one_commit(numbered());
        mocks.merchants.expect_certificate().returning(|_, _| Ok(Some(sample::stored_certificate(1))));
        mocks.composer.expect_compose().returning(|_, _, _| Ok("<ECF/>".to_owned()));
        let signed = |xml| Ok(SignedXml { xml, signature_value: "sign____".to_owned() });
        mocks.signer.expect_sign().once().returning(move |_, xml| signed(xml));
        mocks.signer.expect_verify().once().return_once(|_| verdict);

        let issued = issue_document(&mocks.into_ports(), &sample::tenant(), &sample::document_id(1)).await;

        assert!(matches!(issued, Err(Error::Internal(_))), "{issued:?}");
    }
}

#[tokio::test]
async fn without_a_certificate_no_document_is_signed() {
    let mut mocks = one_commit(numbered());
    mocks.merchants.expect_certificate().returning(|_, _| Ok(None));
    mocks
        .sales
        .expect_commit()
        .withf(|it| status(it) == DocumentStatus::Delayed)
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn a_document_that_breaks_the_format_is_rejected_by_us() {
    let mut mocks = one_commit(numbered());
    mocks.merchants.expect_certificate().returning(|_, _| Ok(Some(sample::stored_certificate(1))));
    mocks.composer.expect_compose().returning(|_, _, _| Err(Malformed { element: "NombreItem", rule: "not empty" }));
    mocks
        .sales
        .expect_commit()
        .withf(|it| status(it) == DocumentStatus::Rejected)
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn the_submission_is_durable_before_it_is_made() {
    let mut mocks = one_commit(signed());
    mocks.work.expect_head_of_queue().returning(|_, _| Ok(None));
    let bytes = b"<RFCE/>signed".to_vec();
    mocks.artifacts.expect_find().withf(|_, _, _, kind| *kind == ArtifactKind::SignedSummary).returning(
        move |_, id, revision, kind| {
            let (document, bytes) = (id.clone(), bytes.clone());
            Ok(Some(Artifact { document, revision, kind, sha256: sample::digest(1), bytes }))
        },
    );
    let mut in_order = Sequence::new();
    mocks
        .sales
        .expect_commit()
        .withf(|it| next_step(it) == Some(IssueStep::Inquire))
        .once()
        .in_sequence(&mut in_order)
        .returning(|_| Ok(Committed::Done));
    then_it_goes_out_and_is_accepted(&mut mocks, &mut in_order);

    run(mocks).await;
}

#[tokio::test]
async fn after_a_crash_the_submission_is_looked_up_and_not_repeated() {
    let mut sale = signed();
    sale.document.submitting(sample::noon()).unwrap();
    let mut mocks = one_commit(sale);
    mocks.authority.expect_inquire().once().returning(|_| Verdict::Accepted(Acceptance::Accepted));
    mocks
        .sales
        .expect_commit()
        .withf(|it| status(it) == DocumentStatus::Issued)
        .once()
        .returning(|_| Ok(Committed::Done));

    // No submission is expected.
    run(mocks).await;
}

#[tokio::test]
async fn an_authority_that_cannot_be_asked_leaves_the_submission_unresolved() {
    let mut sale = signed();
    sale.document.submitting(sample::noon()).unwrap();
    let mut mocks = one_commit(sale);
    mocks.authority.expect_inquire().once().returning(|_| Verdict::Unavailable);
    mocks
        .sales
        .expect_commit()
        .withf(|it| next_step(it) == Some(IssueStep::Inquire) && it.events[0].kind == EventKind::FiscalDocumentDelayed)
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn a_refused_login_leaves_the_submission_unresolved() {
    let mut sale = signed();
    sale.document.submitting(sample::noon()).unwrap();
    let mut mocks = one_commit(sale);
    mocks.authority.expect_inquire().once().returning(|_| Verdict::Blocked(ProblemCode::CertificateInvalid));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            let stage = it.documents.first().unwrap().to.stage().clone();
            next_step(it) == Some(IssueStep::Inquire)
                && matches!(stage, domain::fiscal::DocumentStage::Delayed(_, problem)
                    if problem.code == ProblemCode::CertificateInvalid)
        })
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}

#[tokio::test]
async fn an_expired_certificate_does_not_sign() {
    let mut mocks = one_commit(numbered());
    let mut expired = sample::stored_certificate(1);
    expired.facts.not_after = sample::noon() - TimeDelta::seconds(1);
    mocks.merchants.expect_certificate().return_once(|_, _| Ok(Some(expired)));
    mocks
        .sales
        .expect_commit()
        .withf(|it| {
            let stage = it.documents.first().unwrap().to.stage().clone();
            matches!(stage, domain::fiscal::DocumentStage::Delayed(_, problem)
                if problem.code == ProblemCode::CertificateInvalid)
        })
        .once()
        .returning(|_| Ok(Committed::Done));

    run(mocks).await;
}
