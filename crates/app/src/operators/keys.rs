use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    MerchantAccountId,
    credential::{MerchantKey, Role},
};
use ports::{MerchantRegistry, Tenant};

use super::error::SetupError;
use crate::{Ports, access::spell_key, time::later};

/// Length of the hint by which an operator recognizes a key, including the prefix.
const HINT: usize = 12;

/// Creates a merchant key. The text is returned once; only the digest is stored.
pub async fn create_key(ports: &Ports, tenant: &Tenant, role: Role) -> Result<String, SetupError> {
    create_restricted_key(ports, tenant, role, KeyRestriction::default()).await
}

/// Limits of a key within its role, and the right that widens a standard one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRestriction {
    /// Accounts that the key may use; all if empty.
    pub accounts: Vec<MerchantAccountId>,
    /// Whether a standard key may refund. An admin key always may.
    pub may_refund: bool,
}

/// Creates a merchant key with these limits.
pub async fn create_restricted_key(
    ports: &Ports,
    tenant: &Tenant,
    role: Role,
    restriction: KeyRestriction,
) -> Result<String, SetupError> {
    let accounts = &restriction.accounts;
    if !accounts.is_empty() {
        let setup = ports.merchants.setup(tenant).await?;
        if !accounts.iter().all(|it| setup.accounts.iter().any(|account| account.id == *it)) {
            return Err(SetupError::Invalid("the merchant has no such account in this mode"));
        }
    }
    let (text, key) = make(ports, tenant, role, restriction);
    ports.registry.add_key(key).await?;
    Ok(text)
}

/// A key for an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    /// The key.
    pub key: MerchantKey,
    /// Time of the last use, accurate to about a minute.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// The tenant's keys, oldest first, those that have ended among them.
pub async fn list_keys(registry: &dyn MerchantRegistry, tenant: &Tenant) -> Result<Vec<ListedKey>, SetupError> {
    let keys = registry.keys(tenant).await?;
    let uses = registry.key_uses(tenant).await?;
    let last_used_at = |key: &MerchantKey| uses.iter().find(|it| it.digest == key.digest).map(|it| it.at);
    Ok(keys.into_iter().map(|key| ListedKey { last_used_at: last_used_at(&key), key }).collect())
}

/// Revokes a key at once. The hint names the key.
pub async fn revoke_key(ports: &Ports, tenant: &Tenant, hint: &str) -> Result<MerchantKey, SetupError> {
    let key = find(ports, tenant, hint).await?;
    let now = ports.clock.now();
    ports.registry.end_key(&key, now, None).await?;
    Ok(MerchantKey { ends_at: Some(now), ..key })
}

/// Creates a key with the permissions of another one, which ends after `overlap`.
pub async fn rotate_key(
    ports: &Ports,
    tenant: &Tenant,
    hint: &str,
    overlap: TimeDelta,
) -> Result<(String, MerchantKey), SetupError> {
    if overlap < TimeDelta::zero() || overlap > MerchantKey::MAX_OVERLAP {
        return Err(SetupError::Invalid("two keys go on beside each other for at most seven days"));
    }
    let key = find(ports, tenant, hint).await?;
    let now = ports.clock.now();
    let end = later(now, overlap);
    if !key.is_valid(now) {
        return Err(SetupError::Invalid("the key has ended: make a new one"));
    }
    // An earlier end stays.
    let end = key.ends_at.map_or(end, |it| it.min(end));
    let (text, successor) =
        make(ports, tenant, key.role, KeyRestriction { accounts: key.accounts.clone(), may_refund: key.may_refund });
    if key.ends_at == Some(end) {
        ports.registry.add_key(successor).await?;
    } else {
        ports.registry.end_key(&key, end, Some(successor)).await?;
    }
    Ok((text, MerchantKey { ends_at: Some(end), ..key }))
}

fn make(ports: &Ports, tenant: &Tenant, role: Role, restriction: KeyRestriction) -> (String, MerchantKey) {
    let KeyRestriction { accounts, may_refund } = restriction;
    let chance = [ports.ids.secret(), ports.ids.secret()];
    let chance: Vec<u8> = chance.iter().flat_map(|it| ports.vault.digest(it.as_str().as_bytes())).collect();
    let text = spell_key(tenant.mode, &chance);
    let key = MerchantKey {
        digest: ports.vault.digest(text.as_bytes()),
        merchant: tenant.merchant.clone(),
        mode: tenant.mode,
        role,
        accounts,
        may_refund,
        hint: text.chars().take(HINT).collect(),
        created_at: ports.clock.now(),
        ends_at: None,
    };
    (text, key)
}

/// Returns the tenant's key with that hint.
async fn find(ports: &Ports, tenant: &Tenant, hint: &str) -> Result<MerchantKey, SetupError> {
    let keys = ports.registry.keys(tenant).await?;
    let mut found = keys.into_iter().filter(|it| it.hint == hint);
    match (found.next(), found.next()) {
        (Some(key), None) => Ok(key),
        (None, _) => Err(SetupError::Invalid("the merchant has no key in this mode that begins so")),
        (Some(_), Some(_)) => Err(SetupError::Invalid("two keys begin so: make a new one and tell us which to end")),
    }
}
