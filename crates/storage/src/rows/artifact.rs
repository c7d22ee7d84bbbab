use ports::{Artifact, Tenant};

use super::row;
use crate::schema::artifacts;

row! {
    /// One row of `artifacts`.
    ArtifactRow in artifacts by document {
        merchant: String,
        mode: String,
        document: String,
        revision: i64,
        kind: String,
        sha256: Vec<u8>,
        bytes: Vec<u8>,
    }
    Artifact { document, revision, kind, sha256, bytes } of Tenant { merchant, mode }
}
