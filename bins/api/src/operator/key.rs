use app::operators::{KeyRestriction, ListedKey, create_restricted_key, list_keys, revoke_key, rotate_key};
use chrono::{DateTime, Utc};
use domain::credential::{MerchantKey, Role};
use ports::Clock;
use serde_json::{Value, json};

use super::{ports, print, tenant};
use crate::{
    clock::SystemClock,
    config::KeyCommand,
    failure::{Context, Done},
    stores::Stores,
};

pub(crate) async fn run(command: KeyCommand) -> Done {
    match command {
        KeyCommand::Create { tenant: options, role, accounts, may_refund } => {
            let ports = ports(&options.operator).await?;
            let restriction = KeyRestriction { accounts, may_refund };
            let key = create_restricted_key(&ports, &tenant(&options), role, restriction).await;
            print(&json!({
                "apiKey": key.or_fail("the key was not made")?,
                "role": role.as_str(),
                "mayRefund": refunds(role, may_refund),
            }))
        }
        KeyCommand::List(options) => {
            let stores = Stores::postgres(&options.operator.database.url()?).await?;
            let keys = list_keys(&*stores.database, &tenant(&options)).await;
            let keys = keys.or_fail("the keys cannot be read")?;
            let now = SystemClock.now();
            print(&json!({ "keys": keys.iter().map(|it| listed(it, now)).collect::<Vec<_>>() }))
        }
        KeyCommand::Revoke { tenant: options, key } => {
            let key = revoke_key(&ports(&options.operator).await?, &tenant(&options), key.as_str()).await;
            print(&of_key(&key.or_fail("the key was not ended")?, SystemClock.now()))
        }
        KeyCommand::Rotate { tenant: options, key, overlap } => {
            let rotated = rotate_key(&ports(&options.operator).await?, &tenant(&options), key.as_str(), overlap).await;
            let (text, old) = rotated.or_fail("the key was not replaced")?;
            print(&json!({ "apiKey": text, "role": old.role.as_str(), "replaced": of_key(&old, SystemClock.now()) }))
        }
    }
}

fn listed(key: &ListedKey, now: DateTime<Utc>) -> Value {
    let mut shown = of_key(&key.key, now);
    shown["lastUsedAt"] = json!(key.last_used_at.map(|it| it.to_rfc3339()));
    shown
}

/// Whether a key of the role may refund.
fn refunds(role: Role, may_refund: bool) -> bool {
    may_refund || role == Role::Admin
}

/// Public facts of a key.
fn of_key(key: &MerchantKey, now: DateTime<Utc>) -> Value {
    json!({
        "key": key.hint,
        "role": key.role.as_str(),
        "merchantAccountIds": key.accounts.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        "mayRefund": refunds(key.role, key.may_refund),
        "createdAt": key.created_at.to_rfc3339(),
        "endsAt": key.ends_at.map(|it| it.to_rfc3339()),
        "isValid": key.is_valid(now),
    })
}
