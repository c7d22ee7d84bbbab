use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use domain::{
    RequestId,
    credential::{MerchantKey, Role},
};
use ports::Tenant;

use crate::{
    Caller, Error, IdempotentRequest, KeyLeaseHandle, Ports, Rendered,
    webhooks::{QueuedReplay, ReplayScope, ReplayWebhooks, replay_webhooks},
};

/// Replays the requested events to a merchant's endpoint, in parts like the merchant's own requests. Returns their
/// number.
///
/// # Errors
///
/// As the merchant's own request.
pub async fn replay_events(
    ports: &Ports,
    tenant: &Tenant,
    endpoint: &str,
    mut command: ReplayWebhooks,
) -> Result<usize, Error> {
    let caller = Caller::Merchant { key: administrator_key(tenant, ports.clock.now()), is_live_enabled: true };
    let mut many = 0;
    loop {
        let made = Mutex::new((0, None));
        let note = |it: &QueuedReplay<'_>| {
            let rest = match it.of {
                ReplayScope::Period { until, is_complete: false, .. } => Some(until),
                _ => None,
            };
            *made.lock().unwrap_or_else(PoisonError::into_inner) = (it.many, rest);
            Rendered { status: 202, etag: None, body: Vec::new() }
        };
        let id = RequestId::new(&ports.ids.generate());
        let request = IdempotentRequest {
            key: id.as_str().to_owned(),
            id,
            fingerprint_input: Vec::new(),
            if_match: None,
            lease: KeyLeaseHandle::default(),
        };
        replay_webhooks(ports, &caller, &request, endpoint, command.clone(), &note).await?;
        let (part, rest) = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        many += part;
        match (&mut command, rest) {
            (ReplayWebhooks::Period { since, .. }, Some(rest)) => *since = rest,
            _ => return Ok(many),
        }
    }
}

/// Returns an administrator's key of the merchant, for the operator.
fn administrator_key(tenant: &Tenant, now: DateTime<Utc>) -> MerchantKey {
    MerchantKey {
        digest: [0; 32],
        merchant: tenant.merchant.clone(),
        mode: tenant.mode,
        role: Role::Admin,
        accounts: Vec::new(),
        may_refund: false,
        hint: String::new(),
        created_at: now,
        ends_at: None,
    }
}
