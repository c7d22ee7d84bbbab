use domain::{MerchantId, Mode};

/// Merchant and mode that own data. Every query has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tenant {
    /// The merchant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
}
