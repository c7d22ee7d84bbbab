//! Idempotency: one mechanism for every command that writes.
//!
//! A key is claimed by the first commit of its command and completed by the last; a command of
//! one commit does both at once. Whatever happens between leaves a record that the next caller
//! with the same key can go on from.

use chrono::{DateTime, Utc};
use domain::{AttemptId, Conflict, PaymentId, Precondition, Refusal, RequestId};
use ports::{KeyChange, KeyRecord, KeyScope, KeyState, StoredResponse, Tenant};

use crate::{Error, IfMatch, KeyLeaseHandle, Ports, Rendered, Response, time::later};

/// A command's idempotency key, and what it was sent with.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// This exchange.
    pub id: RequestId,
    /// The key as sent.
    pub key: String,
    /// Everything that must be the same for the request to be the same: method, route, path,
    /// headers that bind, canonical body without card data.
    pub fingerprint_input: Vec<u8>,
    /// The versions of its resource that the command accepts; `None` for any.
    pub if_match: Option<IfMatch>,
    /// What the command holds while it runs.
    pub lease: KeyLeaseHandle,
}

/// Whose turn it is under a key.
pub(crate) enum KeyOutcome {
    /// It was done before: say the same again.
    Replay(Response),
    /// It is ours to do.
    Acquired(KeyLease),
    /// Whoever had it is gone, after this attempt was made durable: go on from there.
    Resume(KeyLease, AttemptId),
}

/// The right to write under a key.
pub(crate) struct KeyLease {
    record: KeyRecord,
    /// The epoch that the next write is based on.
    based_on: Option<u32>,
    request: RequestId,
    handle: KeyLeaseHandle,
}

impl IdempotentRequest {
    /// Whose turn it is. Reads only: the lease is made by the command's first commit.
    pub(crate) async fn acquire_key(
        &self,
        ports: &Ports,
        tenant: &Tenant,
        holder: Option<&PaymentId>,
    ) -> Result<KeyOutcome, Error> {
        let Ports { idempotency, vault, clock, .. } = ports;

        let now = clock.now();
        let scope = KeyScope { tenant: tenant.clone(), payment: holder.cloned() };
        let digest = vault.mac("idempotency-key", self.key.as_bytes());
        let fingerprint = vault.mac("request-fingerprint", &self.fingerprint_input);
        let Some(record) = idempotency.find(&scope, &digest).await? else {
            let state = KeyState::Reopened;
            let record = KeyRecord { scope, digest, fingerprint, first_used_at: now, epoch: 0, state };
            return Ok(KeyOutcome::Acquired(KeyLease::new(record, None, self)));
        };

        let age = now.signed_duration_since(record.first_used_at);
        let is_finished = matches!(record.state, KeyState::Completed(_) | KeyState::Expired);
        if record.state == KeyState::Expired || (is_finished && age >= KeyRecord::REPLAY_WINDOW) {
            return Err(refused(Conflict::IdempotencyKeyExpired));
        }
        if record.fingerprint != fingerprint {
            return Err(refused(Conflict::IdempotencyKeyReused));
        }
        let based_on = Some(record.epoch);
        let lease = |record| KeyLease::new(record, based_on, self);
        match record.state.clone() {
            KeyState::Completed(stored) => Ok(KeyOutcome::Replay(self.replay(ports, &record, stored)?)),
            KeyState::InProgress { lease_until, .. } if now < lease_until => Err(in_progress()),
            KeyState::InProgress { attempt: Some(attempt), .. } => Ok(KeyOutcome::Resume(lease(record), attempt)),
            KeyState::InProgress { attempt: None, .. } | KeyState::Reopened => Ok(KeyOutcome::Acquired(lease(record))),
            KeyState::Expired => Err(refused(Conflict::IdempotencyKeyExpired)),
        }
    }

    fn replay(&self, ports: &Ports, record: &KeyRecord, stored: StoredResponse) -> Result<Response, Error> {
        let body = ports.vault.open(&context(record), &stored.sealed_body).map_err(Error::internal)?.to_vec();
        let rendered = Rendered { status: stored.status, etag: stored.etag, body };
        Ok(Response { rendered, request: stored.request, is_replay: true })
    }
}

impl KeyLease {
    fn new(record: KeyRecord, based_on: Option<u32>, request: &IdempotentRequest) -> Self {
        Self { record, based_on, request: request.id.clone(), handle: request.lease.clone() }
    }

    /// The key is in progress, and `attempt` is what a successor would look up.
    pub(crate) fn lock(&self, attempt: &AttemptId, now: DateTime<Utc>) -> KeyChange {
        let lease_until = later(now, KeyRecord::LEASE);
        self.write(KeyState::InProgress { lease_until, attempt: Some(attempt.clone()) })
    }

    /// The commit with [`Self::hold`] is durable: the next write is based on it, and this request may renew and end its
    /// lease. A concurrent request with the same key writes the same epoch, so a request whose commit was refused, or
    /// may have been refused, must not touch the lease.
    pub(crate) fn locked(&mut self, attempt: &AttemptId, now: DateTime<Utc>) {
        self.record = self.lock(attempt, now).to;
        self.based_on = Some(self.record.epoch);
        self.handle.locked(&self.record, now);
    }

    /// The command failed in a way that is safe to repeat.
    pub(crate) fn reopen(&self) -> KeyChange {
        self.write(KeyState::Reopened)
    }

    /// The command succeeded with this answer.
    pub(crate) fn complete(&self, ports: &Ports, rendered: &Rendered) -> Result<KeyChange, Error> {
        let sealed_body = ports.vault.seal(&context(&self.record), &rendered.body).map_err(Error::internal)?;
        let request = self.request.clone();
        let stored = StoredResponse { status: rendered.status, etag: rendered.etag.clone(), request, sealed_body };
        Ok(self.write(KeyState::Completed(stored)))
    }

    /// What the caller is told once the completing commit is durable.
    pub(crate) fn respond(&self, rendered: Rendered) -> Response {
        Response { rendered, request: self.request.clone(), is_replay: false }
    }

    /// Whether somebody had the key before, and left it to be used again. What was read before the key may then be of
    /// that somebody's making, and be over.
    pub(crate) fn is_reopened(&self) -> bool {
        self.based_on.is_some() && self.record.state == KeyState::Reopened
    }

    /// The exchange that the lease was made in.
    pub(crate) const fn request_id(&self) -> &RequestId {
        &self.request
    }

    fn write(&self, state: KeyState) -> KeyChange {
        let epoch = self.record.epoch.saturating_add(1);
        KeyChange { to: KeyRecord { epoch, state, ..self.record.clone() }, based_on: self.based_on }
    }
}

/// Another caller is at it.
pub(crate) fn in_progress() -> Error {
    refused(Conflict::IdempotencyRequestInProgress)
}

fn refused(code: Conflict) -> Error {
    Error::Refusal(Refusal::at(code, "idempotency-key"))
}

/// A sealed answer opens under its own key alone.
fn context(record: &KeyRecord) -> String {
    let KeyScope { tenant, payment } = &record.scope;
    let digest: String = record.digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let payment = payment.as_ref().map_or("", PaymentId::as_str);
    format!("answer/{}/{}/{payment}/{digest}", tenant.merchant, tenant.mode.as_str())
}

impl IdempotentRequest {
    /// Returns the outcome for `version` of the resource; `None` if the resource does not exist.
    ///
    /// A decision that is based on `version` must fail to commit if another version is current by then.
    ///
    /// # Errors
    ///
    /// [`Precondition::PreconditionFailed`] replaces every outcome except refusals that do not depend on the state of
    /// the resource, which come first in the published order.
    pub(crate) fn conditional<T>(&self, version: Option<&str>, decided: Result<T, Error>) -> Result<T, Error> {
        match decided {
            Err(error) if error.is_before_state() => Err(error),
            _ if !self.if_match.as_ref().is_none_or(|it| it.matches(version)) => {
                Err(Error::Refusal(Precondition::PreconditionFailed.into()))
            }
            decided => decided,
        }
    }
}
