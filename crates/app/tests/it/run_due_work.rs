//! Due work runs concurrently.

use std::sync::Arc;

use app::run_due_work;
use async_trait::async_trait;
use domain::FiscalDocumentId;
use ports::{Artifact, ArtifactKind, ArtifactStore, Tenant, Unavailable, Work};
use testkit::sample;
use tokio::sync::Barrier;

use crate::support::Mocks;

/// A store that responds only after all calls have arrived.
struct Crowded(Barrier);

#[async_trait]
impl ArtifactStore for Crowded {
    async fn find(
        &self,
        _: &Tenant,
        _: &FiscalDocumentId,
        _: u32,
        _: ArtifactKind,
    ) -> Result<Option<Artifact>, Unavailable> {
        self.0.wait().await;
        Err(Unavailable { what: "the shelf", source: "it is crowded".into() })
    }
}

#[tokio::test]
async fn a_slow_item_does_not_delay_the_others() {
    let mut mocks = Mocks::default();
    let due = [1, 2, 3].map(|n| Work::Document(sample::tenant(), sample::document_id(n)));
    mocks.work.expect_claim().return_once(move |_, _, _| Ok(due.to_vec()));
    mocks.sales.expect_find_by_document().returning(|_, _| {
        let mut sale = sample::paid(1);
        sale.document.numbered(sample::numbered(1), sample::noon()).unwrap();
        sale.document.signed(sample::signed(1), sample::noon()).unwrap();
        Ok(Some(sale))
    });
    mocks.work.expect_head_of_queue().returning(|_, _| Ok(None));
    mocks.work.expect_due_renders().withf(|now, lease_until, _| now < lease_until).returning(|_, _, _| Ok(Vec::new()));
    // Each that failed is put off by itself.
    mocks.work.expect_postpone().times(3).returning(|_, _| Ok(()));
    let ports = app::Ports { artifacts: Arc::new(Crowded(Barrier::new(3))), ..mocks.into_ports() };

    assert_eq!(run_due_work(&ports, 20).await.unwrap(), 3);
}
