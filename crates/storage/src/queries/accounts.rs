//! Writes of accounts.

use chrono::{DateTime, Utc};
use diesel::{prelude::*, query_builder::AsChangeset};
use domain::account::{Account, ReadinessChange};
use ports::Tenant;

use super::{
    Backend,
    filters::{insert, only},
    readiness,
};
use crate::{
    failure::Refused,
    records::Abilities,
    schema::{account_credentials, accounts},
    time::millis,
    write::{Update, Write},
};

/// Stores credentials as the next version; `change` is the resulting change of the account's readiness.
pub(super) fn write_credentials(
    tenant: &Tenant,
    to: &Account,
    (sealed, at): (Vec<u8>, DateTime<Utc>),
    change: Option<&ReadinessChange>,
) -> Vec<Write<Backend>> {
    let version = i64::from(to.credential_version);
    let before = i64::from(to.credential_version.saturating_sub(1));
    let only = only!(accounts, tenant, id = to.id.to_string(), credential_version = before);
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
    let insert: Write<Backend> = Write::or(Refused::Stale, insert!(account_credentials, row));
    // A commit may write a row only once, so this update includes the readiness.
    let Some(change) = change else {
        let update = Update { table: "accounts", set: set.as_changeset(), only };
        return vec![Write::or(Refused::Stale, update), insert];
    };
    let only = only.and(accounts::notified_readiness.eq(readiness::text(change.based_on.as_ref())));
    let set = (set, accounts::notified_readiness.eq(readiness::text(change.account.notified.as_ref())));
    let mut writes =
        vec![Write::or(Refused::Stale, Update { table: "accounts", set: set.as_changeset(), only }), insert];
    writes.extend(readiness::write_event(tenant, change));
    writes
}
