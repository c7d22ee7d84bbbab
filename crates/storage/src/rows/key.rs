use diesel::prelude::*;
use domain::{AttemptId, PaymentId, RequestId};
use ports::{KeyRecord, KeyScope, KeyState, StoredResponse};

use super::{Inconsistent, counter, read_tenant};
use crate::{
    records::optional,
    schema::idempotency_keys,
    time::{instant, millis},
};

/// One row of `idempotency_keys`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = idempotency_keys,
    primary_key(merchant, mode, payment, digest),
    treat_none_as_null = true,
    treat_none_as_default_value = false
)]
pub(crate) struct KeyRow {
    merchant: String,
    mode: String,
    payment: String,
    digest: Vec<u8>,
    fingerprint: Vec<u8>,
    first_used_at: i64,
    epoch: i64,
    state: String,
    lease_until: Option<i64>,
    attempt: Option<String>,
    status: Option<i64>,
    etag: Option<String>,
    request: Option<String>,
    sealed_body: Option<Vec<u8>>,
}

impl From<KeyRecord> for KeyRow {
    fn from(key: KeyRecord) -> Self {
        let mut row = Self {
            merchant: key.scope.tenant.merchant.as_str().to_owned(),
            mode: key.scope.tenant.mode.as_str().to_owned(),
            payment: scope_column(&key.scope).to_owned(),
            digest: key.digest.to_vec(),
            fingerprint: key.fingerprint.to_vec(),
            first_used_at: millis(key.first_used_at),
            epoch: key.epoch.into(),
            state: String::new(),
            lease_until: None,
            attempt: None,
            status: None,
            etag: None,
            request: None,
            sealed_body: None,
        };
        match key.state {
            KeyState::InProgress { lease_until, attempt } => {
                "in_progress".clone_into(&mut row.state);
                row.lease_until = Some(millis(lease_until));
                row.attempt = attempt.map(|it| it.as_str().to_owned());
            }
            KeyState::Reopened => "reopened".clone_into(&mut row.state),
            KeyState::Completed(answer) => {
                "completed".clone_into(&mut row.state);
                row.status = Some(answer.status.into());
                row.etag = answer.etag;
                row.request = Some(answer.request.as_str().to_owned());
                row.sealed_body = Some(answer.sealed_body);
            }
            KeyState::Expired => "expired".clone_into(&mut row.state),
        }
        row
    }
}

/// Payment within which the key is unique; empty: the tenant.
pub(crate) fn scope_column(scope: &KeyScope) -> &str {
    scope.payment.as_ref().map_or("", PaymentId::as_str)
}

impl TryFrom<KeyRow> for KeyRecord {
    type Error = Inconsistent;

    fn try_from(row: KeyRow) -> Result<Self, Inconsistent> {
        let broken = Inconsistent::of("idempotency_keys", &row.merchant);
        row.restore().map_err(broken)
    }
}

impl KeyRow {
    fn restore(self) -> Result<KeyRecord, &'static str> {
        let tenant = read_tenant(&self.merchant, &self.mode).ok_or("merchant")?;
        let payment = Some(self.payment.as_str()).filter(|it| !it.is_empty());
        Ok(KeyRecord {
            scope: KeyScope { tenant, payment: optional(payment, PaymentId::parse).ok_or("payment")? },
            digest: self.digest.as_slice().try_into().map_err(|_| "digest")?,
            fingerprint: self.fingerprint.as_slice().try_into().map_err(|_| "fingerprint")?,
            first_used_at: instant(self.first_used_at).ok_or("first_used_at")?,
            epoch: counter(self.epoch).ok_or("epoch")?,
            state: self.read_state().ok_or("state")?,
        })
    }

    fn read_state(self) -> Option<KeyState> {
        let attempt = optional(self.attempt.as_deref(), AttemptId::parse)?;
        let answer = match (self.status, self.request, self.sealed_body) {
            (None, None, None) => None,
            (Some(status), Some(request), Some(sealed_body)) => Some(StoredResponse {
                status: u16::try_from(status).ok()?,
                etag: self.etag,
                request: RequestId::parse(&request)?,
                sealed_body,
            }),
            _ => return None,
        };
        Some(match (self.state.as_str(), self.lease_until, attempt, answer) {
            ("in_progress", Some(lease), attempt, None) => {
                KeyState::InProgress { lease_until: instant(lease)?, attempt }
            }
            ("reopened", None, None, None) => KeyState::Reopened,
            ("completed", None, None, Some(answer)) => KeyState::Completed(answer),
            ("expired", None, None, None) => KeyState::Expired,
            _ => return None,
        })
    }
}
