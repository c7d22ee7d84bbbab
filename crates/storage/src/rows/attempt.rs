use domain::attempt::Attempt;
use ports::Tenant;

use super::{Inconsistent, StoredRow, restore_tenant, row};
use crate::schema::attempts;

row! {
    /// One row of `attempts`, but for the account, which is the payment's.
    AttemptRow in attempts by id {
        merchant: String,
        mode: String,
        id: String,
        payment: String,
        number: i64,
        part: Option<i64>,
        refund: Option<String>,
        kind: String,
        card: Option<String>,
        started_at: i64,
        provider_reference: Option<String>,
        challenge_link: Option<String>,
        updated_at: i64,
        (amount: i64, currency: String) as amount,
        (state: String, decline_code: Option<String>) as state,
    }
    Attempt {
        id,
        payment,
        number,
        part,
        refund,
        kind,
        amount,
        card,
        link: challenge_link,
        started_at,
        state,
        provider_reference,
        updated_at,
    } of Tenant { merchant, mode }
}

/// An attempt with merchant and mode.
impl StoredRow for (AttemptRow, String, String) {
    type Value = (Tenant, Attempt);

    fn restore(self) -> Result<(Tenant, Attempt), Inconsistent> {
        let (attempt, merchant, mode) = self;
        Ok((restore_tenant("attempts", merchant, mode)?, attempt.restore()?))
    }
}
