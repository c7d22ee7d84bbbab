use std::borrow::Cow;

use domain::{CheckoutReference, MerchantAccountId, MerchantId, Symbols, fiscal::TaxId};
use ports::Tenant;

/// The rows that a statement may see. Every statement has a scope.
///
/// PostgreSQL enforces the scope with row security: see the last section of the baseline migration.
/// SQLite has no row security: there only the conditions of the statement apply.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) merchant: String,
    pub(crate) mode: &'static str,
    /// Further rows, for one purpose; empty: none.
    pub(crate) access_scope: Cow<'static, str>,
}

impl Scope {
    /// No tenant: tables that belong to none, and settings of the database.
    pub(crate) const NONE: Self = Self::constant("");
    /// Due work of every tenant.
    pub(crate) const WORK: Self = Self::constant("work");
    /// Unfinished work of every tenant.
    pub(crate) const MONITORING: Self = Self::constant("monitoring");
    /// The names of all tenants.
    pub(crate) const ALL_TENANTS: Self = Self::constant("all_tenants");
    /// Rows of every tenant that are older than their retention.
    pub(crate) const SWEEP: Self = Self::constant("sweep");
    /// Every secret, to be encrypted again with another master key.
    pub(crate) const KEY_ROTATION: Self = Self::constant("key_rotation");

    /// One tenant.
    pub(crate) fn of(tenant: &Tenant) -> Self {
        Self { merchant: tenant.merchant.to_string(), mode: tenant.mode.as_str(), ..Self::NONE }
    }

    /// One tenant, and the ranges that others have of the same issuer.
    pub(crate) fn issuer(tenant: &Tenant, issuer: &TaxId) -> Self {
        Self { access_scope: format!("issuer:{}", issuer.as_str()).into(), ..Self::of(tenant) }
    }

    /// The tenants with that taxpayer number.
    pub(crate) fn recipient(rnc: &TaxId) -> Self {
        Self::access_scope(format!("recipient:{}", rnc.as_str()))
    }

    /// A merchant that is being created, in both modes.
    pub(crate) fn new_merchant(id: &MerchantId) -> Self {
        Self { merchant: id.to_string(), ..Self::constant("new_merchant") }
    }

    /// The tenant of the merchant key with that digest.
    pub(crate) fn key(digest: &[u8; 32]) -> Self {
        Self::access_scope(format!("key:{}", hex(digest)))
    }

    /// The checkout token with that digest.
    pub(crate) fn token(digest: &[u8; 32]) -> Self {
        Self::access_scope(format!("token:{}", hex(digest)))
    }

    /// The sale with that link of the page.
    pub(crate) fn link(link: &Symbols) -> Self {
        Self::access_scope(format!("link:{}", link.as_str()))
    }

    /// The sale with that reference on the receipt.
    pub(crate) fn receipt(reference: &CheckoutReference) -> Self {
        Self::access_scope(format!("receipt:{reference}"))
    }

    /// The credentials of that account, of any tenant.
    pub(crate) fn account(id: &MerchantAccountId) -> Self {
        Self::access_scope(format!("account:{id}"))
    }

    /// The attempt with that link of the challenge.
    pub(crate) fn challenge(link: &Symbols) -> Self {
        Self::access_scope(format!("challenge:{}", link.as_str()))
    }

    const fn constant(access_scope: &'static str) -> Self {
        Self { merchant: String::new(), mode: "", access_scope: Cow::Borrowed(access_scope) }
    }

    fn access_scope(access_scope: String) -> Self {
        Self { access_scope: access_scope.into(), ..Self::NONE }
    }
}

fn hex(digest: &[u8; 32]) -> String {
    digest.map(|byte| format!("{byte:02x}")).concat()
}
