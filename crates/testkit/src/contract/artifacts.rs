//! Signed bytes.

use ports::{Artifact, ArtifactKind, Commit};

use super::Stores;
use crate::sample::{self, document_id, tenant};

/// Bytes are stored exactly as signed, by document, revision and kind.
pub async fn signed_bytes_come_back(stores: &Stores) {
    let document = Artifact { bytes: (0..=255).cycle().take(300_000).collect(), ..sample::artifact(1) };
    let summary = Artifact { kind: ArtifactKind::SignedSummary, ..sample::artifact(1) };
    let corrected = Artifact { revision: 2, ..sample::artifact(1) };
    let artifacts = vec![document.clone(), summary.clone()];
    stores.commit(Commit { artifacts, ..sample::creation(&sample::paid(1)) }).await;
    stores.commit(Commit { artifacts: vec![corrected.clone()], ..sample::empty_commit(&sample::paid(1)) }).await;

    for artifact in [document, summary, corrected] {
        let Artifact { document, revision, kind, .. } = &artifact;
        let found = stores.artifacts.find(&tenant(), document, *revision, *kind).await.expect("the store answers");
        assert_eq!(found.as_ref(), Some(&artifact));
    }
    let unsigned = stores.artifacts.find(&tenant(), &document_id(1), 2, ArtifactKind::SignedSummary).await;
    assert_eq!(unsigned.expect("the store answers"), None);
}

/// Signed bytes are never replaced: a second signature is refused.
pub async fn signed_bytes_never_change(stores: &Stores) {
    let forged = Artifact { bytes: b"<ECF>another</ECF>".to_vec(), ..sample::artifact(1) };
    stores.commit(Commit { artifacts: vec![sample::artifact(1)], ..sample::creation(&sample::paid(1)) }).await;

    stores.refuse(Commit { artifacts: vec![forged], ..sample::empty_commit(&sample::paid(1)) }).await;

    let found = stores.artifacts.find(&tenant(), &document_id(1), 1, ArtifactKind::SignedDocument).await;
    assert_eq!(found.expect("the store answers"), Some(sample::artifact(1)));
}
