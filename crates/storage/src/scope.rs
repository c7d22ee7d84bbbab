use domain::{CheckoutReference, MerchantAccountId, MerchantId, Symbols, fiscal::TaxId};
use ports::Tenant;

/// Whose rows a statement may see. It is named with every statement.
///
/// On PostgreSQL the database holds each statement to it: see the migration `row_security`. SQLite
/// has no such thing, and what a statement says of the tenant has to do.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) merchant: String,
    pub(crate) mode: &'static str,
    /// What is meant beside the tenant.
    pub(crate) errand: String,
}

impl Scope {
    /// One tenant.
    pub(crate) fn of(tenant: &Tenant) -> Self {
        Self { merchant: tenant.merchant.to_string(), mode: tenant.mode.as_str(), errand: String::new() }
    }

    /// One tenant, and the ranges that others have of the same issuer.
    pub(crate) fn issuer(tenant: &Tenant, issuer: &TaxId) -> Self {
        Self { errand: format!("issuer:{}", issuer.as_str()), ..Self::of(tenant) }
    }

    /// Whoever trades under that taxpayer number.
    pub(crate) fn recipient(rnc: &TaxId) -> Self {
        Self::errand(format!("recipient:{}", rnc.as_str()))
    }

    /// A merchant that is not there yet, in both modes.
    pub(crate) fn new_merchant(id: &MerchantId) -> Self {
        Self { merchant: id.to_string(), ..Self::errand("new_merchant".to_owned()) }
    }

    /// Whatever the merchant key with that digest opens.
    pub(crate) fn key(digest: &[u8; 32]) -> Self {
        Self::errand(format!("key:{}", hex(digest)))
    }

    /// Whatever the checkout token with that digest opens.
    pub(crate) fn token(digest: &[u8; 32]) -> Self {
        Self::errand(format!("token:{}", hex(digest)))
    }

    /// The sale whose page is at that secret address.
    pub(crate) fn link(link: &Symbols) -> Self {
        Self::errand(format!("link:{}", link.as_str()))
    }

    /// The sale whose receipt has that reference.
    pub(crate) fn receipt(reference: &CheckoutReference) -> Self {
        Self::errand(format!("receipt:{reference}"))
    }

    /// The credentials of that account, whoever owns it.
    pub(crate) fn account(id: &MerchantAccountId) -> Self {
        Self::errand(format!("account:{id}"))
    }

    /// Every secret, to be sealed anew.
    pub(crate) fn rotation() -> Self {
        Self::errand("rotation".to_owned())
    }

    /// The submission whose challenge has that secret in its addresses.
    pub(crate) fn challenge(link: &Symbols) -> Self {
        Self::errand(format!("challenge:{}", link.as_str()))
    }

    /// What is due, of every tenant.
    pub(crate) fn work() -> Self {
        Self::errand("work".to_owned())
    }

    /// What waits, of every tenant.
    pub(crate) fn watch() -> Self {
        Self::errand("watch".to_owned())
    }

    /// Which tenants there are, for whoever looks after all of them.
    pub(crate) fn census() -> Self {
        Self::errand("census".to_owned())
    }

    /// What is old, of every tenant.
    pub(crate) fn sweep() -> Self {
        Self::errand("sweep".to_owned())
    }

    /// No tenant: what the database says of itself.
    pub(crate) fn nobody() -> Self {
        Self::errand(String::new())
    }

    fn errand(errand: String) -> Self {
        Self { merchant: String::new(), mode: "", errand }
    }
}

fn hex(digest: &[u8; 32]) -> String {
    digest.map(|byte| format!("{byte:02x}")).concat()
}
