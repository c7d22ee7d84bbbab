use domain::fiscal::Annulment;
use ports::Tenant;

use super::{Inconsistent, StoredRow, row};
use crate::schema::annulments;

row! {
    /// One row of `annulments`, but for the bytes.
    AnnulmentRow in annulments by id {
        merchant: String,
        mode: String,
        id: String,
        issuer: String,
        environment: String,
        kind: String,
        range_first: i64,
        first: i64,
        last: i64,
        requested_at: i64,
        state: String,
        resolved_at: Option<i64>,
        authority_messages: String,
    }
    Annulment {
        id,
        issuer,
        environment,
        kind,
        range: range_first,
        first,
        last,
        intended_at: requested_at,
        state,
        settled_at: resolved_at,
        authority_messages,
    } of Tenant { merchant, mode }
}

/// An annulment with the signed bytes.
impl StoredRow for (AnnulmentRow, Vec<u8>) {
    type Value = (Annulment, Vec<u8>);

    fn restore(self) -> Result<(Annulment, Vec<u8>), Inconsistent> {
        Ok((self.0.restore()?, self.1))
    }
}
