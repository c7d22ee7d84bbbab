use app::{Error, get_printed_representation, get_signed_document};
use domain::{
    Conflict,
    fiscal::{Acceptance, Printed, Signed, Verdict},
    sale::Sale,
};
use ports::{Artifact, ArtifactKind, Signatory, SignatureInvalid};
use testkit::sample;

use crate::support::{Mocks, merchant, squeeze};

const BYTES: &[u8] = b"<ECF>signed</ECF>";

/// An issued sale with the hash of [`BYTES`], and a store that returns `bytes`.
fn world(bytes: &'static [u8], is_signature_good: bool) -> Mocks {
    let mut mocks = Mocks::default();
    mocks.sales.expect_find_by_document().returning(|_, _| Ok(Some(issued())));
    mocks.artifacts.expect_find().returning(|_, document, revision, _| {
        let kind = ArtifactKind::SignedDocument;
        let document = document.clone();
        Ok(Some(Artifact { document, revision, kind, sha256: squeeze(BYTES), bytes: bytes.to_vec() }))
    });
    mocks.signer.expect_verify().returning(move |_| {
        let (not_before, not_after) = (sample::noon(), sample::noon());
        let signatory = Signatory { subject: "CN=Rosa".to_owned(), certificate: Vec::new(), not_before, not_after };
        if is_signature_good { Ok(signatory) } else { Err(SignatureInvalid { reason: "altered" }) }
    });
    mocks
}

fn issued() -> Sale {
    issued_with(Some(Printed { sha256: squeeze(BYTES), size_bytes: 17 }))
}

fn issued_with(printed: Option<Printed>) -> Sale {
    let mut sale = sample::paid(1);
    let signed = Signed { sha256: squeeze(BYTES), printed, ..sample::signed(1) };
    let accepted = Verdict::Accepted(Acceptance::Accepted);
    sale.document.numbered(sample::numbered(1), sample::noon()).unwrap();
    sale.document.signed(signed, sample::noon()).unwrap();
    sale.document.submitting(sample::noon()).unwrap();
    sale.document.apply_verdict(accepted, sample::noon()).unwrap();
    sale
}

async fn get(mocks: Mocks) -> Result<Vec<u8>, Error> {
    get_signed_document(&mocks.into_ports(), &merchant(), sample::document_id(1).as_str()).await
}

#[tokio::test]
async fn the_bytes_are_served_as_signed() {
    assert_eq!(get(world(BYTES, true)).await.unwrap(), BYTES);
}

#[tokio::test]
async fn a_damaged_copy_is_never_served() {
    assert!(matches!(get(world(b"<ECF>altered</ECF>", true)).await, Err(Error::Artifact(_))));
    assert!(matches!(get(world(BYTES, false)).await, Err(Error::Artifact(_))));
}

#[tokio::test]
async fn a_document_that_is_not_issued_has_no_artifact_yet() {
    let mut mocks = Mocks::default();
    mocks.sales.expect_find_by_document().returning(|_, _| Ok(Some(sample::paid(1))));

    let error = get(mocks).await.unwrap_err();

    assert!(matches!(error, Error::Refusal(it) if it.code == Conflict::FiscalArtifactNotReady.into()));
}

/// A printed representation is served unchanged, or not at all.
#[tokio::test]
async fn the_printed_representation_is_served_as_drawn_or_not_at_all() {
    for (bytes, is_good) in [(BYTES, true), (b"%PDF altered".as_slice(), false)] {
        let mocks = world(bytes, true);

        let got = get_printed_representation(&mocks.into_ports(), &merchant(), sample::document_id(1).as_str()).await;

        match got {
            Ok(got) => assert!(is_good && got == BYTES),
            Err(error) => assert!(!is_good && matches!(error, Error::Artifact(_))),
        }
    }
}

/// A failed rendering has no printed representation; the document itself is available.
#[tokio::test]
async fn a_missing_rendering_is_not_ready() {
    let mut mocks = Mocks::default();
    mocks.sales.expect_find_by_document().returning(|_, _| Ok(Some(issued_with(None))));

    let got = get_printed_representation(&mocks.into_ports(), &merchant(), sample::document_id(1).as_str()).await;

    assert!(matches!(got, Err(Error::Refusal(it)) if it.code == Conflict::FiscalArtifactNotReady.into()));
}
