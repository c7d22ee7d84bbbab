use app::StoredIdentities;
use ports::{NoSignature, SignedXml, TenantSigner};
use testkit::sample;

use crate::support::{Mocks, signatory};

#[tokio::test]
async fn a_tenant_signs_with_its_stored_certificate() {
    let mut mocks = Mocks::default();
    let mut stored = Some(sample::stored_certificate(1));
    mocks.merchants.expect_certificate().times(2).returning(move |tenant, _| {
        assert_eq!(*tenant, sample::tenant());
        Ok(stored.take())
    });
    mocks
        .signer
        .expect_sign()
        .once()
        .returning(|_, xml| Ok(SignedXml { xml: format!("{xml}signed"), signature_value: "sign____".to_owned() }));
    mocks.signer.expect_verify().once().returning(|_| Ok(signatory()));
    let ports = mocks.into_ports();
    let identities = StoredIdentities::new(ports.merchants, ports.vault, ports.signer, ports.clock);

    let signed = identities.sign_for(&sample::tenant(), "<SemillaModel/>".to_owned()).await.unwrap();
    let unsigned = identities.sign_for(&sample::tenant(), "<SemillaModel/>".to_owned()).await;

    assert_eq!(signed.xml, "<SemillaModel/>signed");
    assert!(matches!(unsigned, Err(NoSignature::NoCertificate)));
}
