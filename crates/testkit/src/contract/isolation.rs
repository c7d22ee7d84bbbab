//! Data of another tenant are not found.

use ports::{ArtifactKind, Commit, KeyChange, KeyScope};

use super::Stores;
use crate::sample;

/// Another merchant, or another mode, finds no data of a sale.
pub async fn another_tenant_finds_no_sale(stores: &Stores) {
    let sale = sample::paid(1);
    let commit = Commit {
        attempts: vec![sample::attempt(1)],
        artifacts: vec![sample::artifact(1)],
        key: Some(KeyChange { to: sample::key(1), based_on: None }),
        ..sample::creation(&sale)
    };
    stores.commit(commit).await;

    for stranger in Stores::strangers() {
        let facts = &sale.payment.facts;
        let sales = [
            stores.sales.find(&stranger, &facts.id).await,
            stores.sales.find_by_document(&stranger, &facts.document).await,
            stores.sales.find_by_reference(&stranger, &facts.checkout_reference).await,
        ];
        for found in sales {
            assert_eq!(found.expect("the store answers"), None);
        }
        let attempt = stores.sales.find_attempt(&stranger, &sample::attempt_id(1)).await;
        assert_eq!(attempt.expect("the store answers"), None);
        let artifact = stores.artifacts.find(&stranger, &facts.document, 1, ArtifactKind::SignedDocument).await;
        assert_eq!(artifact.expect("the store answers"), None);
        let scope = KeyScope { tenant: stranger, payment: None };
        let key = stores.idempotency.find(&scope, &sample::digest(1)).await;
        assert_eq!(key.expect("the store answers"), None);
    }
}

/// Another merchant, or another mode, has a separate set-up.
pub async fn another_tenant_has_another_setup(stores: &Stores) {
    stores.registry.add_certificate(sample::stored_certificate(1)).await.expect("a new certificate");

    for stranger in Stores::strangers() {
        let setup = stores.merchants.setup(&stranger).await.expect("the store answers");
        assert_eq!(setup, ports::Setup::default());
        assert_eq!(stores.merchants.certificate(&stranger, sample::noon()).await.expect("the store answers"), None);
    }
}
