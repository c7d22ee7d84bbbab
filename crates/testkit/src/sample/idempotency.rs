use ports::{Artifact, ArtifactKind, KeyRecord, KeyScope, KeyState, StoredResponse};

use super::{digest, document_id, noon, request_id, tenant};

/// The `n`th idempotency key of the tenant, used for the first time at [`noon`].
pub fn key(n: u32) -> KeyRecord {
    KeyRecord {
        scope: KeyScope { tenant: tenant(), payment: None },
        digest: digest(n),
        fingerprint: digest(1000),
        first_used_at: noon(),
        epoch: 1,
        state: KeyState::InProgress { lease_until: noon() + KeyRecord::LEASE, attempt: None },
    }
}

/// A `201` that can be given again.
pub fn stored_response() -> StoredResponse {
    StoredResponse {
        status: 201,
        etag: Some("\"1\"".to_owned()),
        request: request_id(1),
        sealed_body: b"the sealed body".to_vec(),
    }
}

/// The signed document of the `n`th sale. Its bytes are no document, and its digest is not theirs.
pub fn artifact(n: u32) -> Artifact {
    Artifact {
        document: document_id(n),
        revision: 1,
        kind: ArtifactKind::SignedDocument,
        sha256: digest(n),
        bytes: b"<ECF>the signed document</ECF>".to_vec(),
    }
}
