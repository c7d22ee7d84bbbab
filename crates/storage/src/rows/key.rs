use ports::{KeyRecord, KeyScope, Tenant};

use super::row;
use crate::schema::idempotency_keys;

row! {
    /// One row of `idempotency_keys`.
    #[derive(diesel::AsChangeset)]
    #[diesel(primary_key(merchant, mode, payment, digest), treat_none_as_null = true)]
    KeyRow in idempotency_keys by merchant {
        merchant: String,
        mode: String,
        payment: String,
        digest: Vec<u8>,
        fingerprint: Vec<u8>,
        first_used_at: i64,
        epoch: i64,
        (
            state: String,
            lease_until: Option<i64>,
            attempt: Option<String>,
            status: Option<i64>,
            etag: Option<String>,
            request: Option<String>,
            sealed_body: Option<Vec<u8>>
        ) as state,
    }
    KeyRecord {
        scope: KeyScope { tenant: Tenant { merchant, mode }, payment },
        digest,
        fingerprint,
        first_used_at,
        epoch,
        state,
    }
}
