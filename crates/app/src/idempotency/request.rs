//! Idempotent requests: the mechanism of every command that writes.

use chrono::{DateTime, Utc};
use domain::{AttemptId, Conflict, PaymentId, Precondition, Refusal, RequestId};
use ports::{KeyChange, KeyRecord, KeyScope, KeyState, StoredResponse, Tenant};

use crate::{Error, IfMatch, KeyLeaseHandle, Ports, Rendered, Response, time::later};

/// The idempotency key of a command, with the request's fingerprint and precondition.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// This exchange.
    pub id: RequestId,
    /// The key as sent.
    pub key: String,
    /// Everything that must be the same for the request to be the same: method, route, path,
    /// headers that bind, canonical body without card data.
    pub fingerprint_input: Vec<u8>,
    /// The accepted versions of the resource; `None` for any.
    pub if_match: Option<IfMatch>,
    /// Handle on the lease of the running command.
    pub lease: KeyLeaseHandle,
}

/// What to do with a request, by the state of its idempotency key.
pub(crate) enum KeyOutcome {
    /// The request completed earlier: return the stored response.
    Replay(Response),
    /// The key is free: run the command.
    Acquired(KeyLease),
    /// The previous holder stopped after this attempt was committed: resume from the attempt.
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
    /// Returns the outcome for the key. Writes no row: the first commit of the command locks the key.
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

    /// Returns the change that locks the key for `attempt`, from which a later request resumes.
    pub(crate) fn lock(&self, attempt: &AttemptId, now: DateTime<Utc>) -> KeyChange {
        let lease_until = later(now, KeyRecord::LEASE);
        self.write(KeyState::InProgress { lease_until, attempt: Some(attempt.clone()) })
    }

    /// Records that the commit with [`Self::lock`] is durable: later writes are based on it, and this request may
    /// renew and end the lease. A concurrent request with the same key writes the same epoch, so a request must not
    /// touch the lease after a refused or ambiguous commit.
    pub(crate) fn locked(&mut self, attempt: &AttemptId, now: DateTime<Utc>) {
        self.record = self.lock(attempt, now).to;
        self.based_on = Some(self.record.epoch);
        self.handle.locked(&self.record, now);
    }

    /// The command failed in a way that is safe to repeat.
    pub(crate) fn reopen(&self) -> KeyChange {
        self.write(KeyState::Reopened)
    }

    /// The command succeeded with this response.
    pub(crate) fn complete(&self, ports: &Ports, rendered: &Rendered) -> Result<KeyChange, Error> {
        let sealed_body = ports.vault.seal(&context(&self.record), &rendered.body).map_err(Error::internal)?;
        let request = self.request.clone();
        let stored = StoredResponse { status: rendered.status, etag: rendered.etag.clone(), request, sealed_body };
        Ok(self.write(KeyState::Completed(stored)))
    }

    /// Returns the response of the completed command.
    pub(crate) fn respond(&self, rendered: Rendered) -> Response {
        Response { rendered, request: self.request.clone(), is_replay: false }
    }

    /// Whether an earlier request left the key for another use. Data that was read before the key may be outdated
    /// then.
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

/// The refusal while another request with the same key runs.
pub(crate) fn in_progress() -> Error {
    refused(Conflict::IdempotencyRequestInProgress)
}

fn refused(code: Conflict) -> Error {
    Error::Refusal(Refusal::at(code, "idempotency-key"))
}

/// Context of a sealed response, which opens under one key alone.
fn context(record: &KeyRecord) -> String {
    let KeyScope { tenant, payment } = &record.scope;
    let digest: String = record.digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let payment = payment.as_ref().map_or("", PaymentId::as_str);
    format!("answer/{}/{}/{payment}/{digest}", tenant.merchant, tenant.mode.as_str())
}

impl IdempotentRequest {
    /// Returns `decided` if `version` of the resource is accepted; `None` is the version of a resource that does not
    /// exist.
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
