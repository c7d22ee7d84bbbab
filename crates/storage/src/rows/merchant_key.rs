use domain::credential::MerchantKey;
use ports::{KeyUse, StoredKey, Tenant};

use super::{Inconsistent, StoredRow, row};
use crate::schema::{merchant_key_uses, merchant_keys};

row! {
    /// One row of `merchant_keys`.
    MerchantKeyRow in merchant_keys by hint {
        digest: Vec<u8>,
        merchant: String,
        mode: String,
        role: String,
        accounts: String,
        may_refund: bool,
        hint: String,
        created_at: i64,
        ends_at: Option<i64>,
    }
    MerchantKey { digest, merchant, mode, role, accounts, may_refund, hint, created_at, ends_at }
}

/// A key, and whether live mode is enabled for the merchant.
impl StoredRow for (MerchantKeyRow, bool) {
    type Value = StoredKey;

    fn restore(self) -> Result<StoredKey, Inconsistent> {
        Ok(StoredKey { key: self.0.restore()?, is_live_enabled: self.1 })
    }
}

row! {
    /// One row of `merchant_key_uses`.
    KeyUseRow in merchant_key_uses by merchant {
        merchant: String,
        mode: String,
        digest: Vec<u8>,
        last_used_at: i64,
    }
    KeyUse { tenant: Tenant { merchant, mode }, digest, at: last_used_at }
}
