//! Writes of accounts.

use chrono::{DateTime, Utc};
use diesel::{dsl::auto_type, prelude::*, query_builder::AsChangeset};
use domain::{
    MerchantAccountId,
    account::{Account, ReadinessChange},
};
use ports::Tenant;

use super::{Backend, readiness};
use crate::{
    failure::Refused,
    records::Abilities,
    schema::{account_credentials, accounts},
    time::millis,
    write::{Update, Write},
};

/// Filter on an account with that version of its credentials.
#[auto_type(no_type_alias)]
pub(super) fn is_account(tenant: &Tenant, account: &MerchantAccountId, version: u32) -> _ {
    let merchant: String = tenant.merchant.to_string();
    let mode: &'static str = tenant.mode.as_str();
    let id: String = account.to_string();
    let version: i64 = i64::from(version);
    accounts::merchant
        .eq(merchant)
        .and(accounts::mode.eq(mode))
        .and(accounts::id.eq(id))
        .and(accounts::credential_version.eq(version))
}

/// Stores credentials as the next version; `change` is the resulting change of the account's readiness.
pub(super) fn write_credentials(
    tenant: &Tenant,
    to: &Account,
    (sealed, at): (Vec<u8>, DateTime<Utc>),
    change: Option<&ReadinessChange>,
) -> Vec<Write<Backend>> {
    let version = i64::from(to.credential_version);
    let only = is_account(tenant, &to.id, to.credential_version.saturating_sub(1));
    let set = (
        accounts::credential_version.eq(version),
        accounts::lifecycle.eq(to.lifecycle.as_str()),
        accounts::abilities.eq(Abilities::text(to)),
        accounts::probe_due_at.eq(millis(at)),
    );
    let row = (
        account_credentials::merchant.eq(tenant.merchant.to_string()),
        account_credentials::mode.eq(tenant.mode.as_str()),
        account_credentials::account.eq(to.id.to_string()),
        account_credentials::version.eq(version),
        account_credentials::sealed.eq(sealed),
        account_credentials::set_at.eq(millis(at)),
    );
    let insert = diesel::insert_into(account_credentials::table).values(row).on_conflict_do_nothing();
    let insert: Write<Backend> = Write::or(Refused::Stale, insert);
    // A commit may write a row only once, so this update includes the readiness.
    let Some(change) = change else {
        let update = Update { table: "accounts", set: set.as_changeset(), only };
        return vec![Write::or(Refused::Stale, update), insert];
    };
    let only = only.and(readiness::is_unchanged(tenant, change));
    let set = (set, accounts::notified_readiness.eq(readiness::text(change.account.notified.as_ref())));
    let mut writes =
        vec![Write::or(Refused::Stale, Update { table: "accounts", set: set.as_changeset(), only }), insert];
    writes.extend(readiness::write_event(tenant, change));
    writes
}
