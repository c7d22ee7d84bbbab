//! Provider calls, and the mapping of their outcomes to the domain.

use std::sync::Arc;

use domain::{
    Payment, Symbols,
    account::Provider,
    attempt::{Attempt, AttemptState},
    payment::{Action, AttemptFinding, DeclineCode, ProviderOutcome},
};
use ports::{AttemptRef, CallOutcome, CardProvider, Committed, LookUp, NotSubmitted, ProviderResponse};

use crate::{Error, Ports, ProviderFailure, breakers::Guarded};

/// Returns the provider of that name, behind circuit breakers.
pub(crate) fn provider(ports: &Ports, name: Provider) -> Result<Arc<dyn CardProvider>, Error> {
    let missing = || Error::internal(format!("the provider {} is not configured", name.as_str()));
    let provider = ports.providers.get(&name).cloned().ok_or_else(missing)?;
    Ok(Arc::new(Guarded { provider, breakers: ports.breakers.clone(), clock: ports.clock.clone() }))
}

/// Returns the provider's reference of an attempt.
pub(crate) fn reference(payment: &Payment, attempt: &Attempt) -> AttemptRef {
    AttemptRef { account: payment.facts.account.clone(), attempt: attempt.id.clone() }
}

/// Maps the outcome of a call to the payment and to the attempt.
pub(crate) fn map_outcome(outcome: &CallOutcome, attempt: &Attempt) -> (ProviderOutcome, AttemptState) {
    match outcome {
        CallOutcome::Opened => (ProviderOutcome::Opened, AttemptState::Approved),
        CallOutcome::Approved => (ProviderOutcome::Approved, AttemptState::Approved),
        CallOutcome::Declined(code) => (ProviderOutcome::Declined(*code), AttemptState::Declined(*code)),
        CallOutcome::ActionRequired(action) => match challenge_of(action, attempt) {
            Some((link, action)) => (ProviderOutcome::ChallengeRequired(link, action), AttemptState::Open),
            None => (
                ProviderOutcome::Declined(UNFINISHABLE_AUTHENTICATION),
                AttemptState::Declined(UNFINISHABLE_AUTHENTICATION),
            ),
        },
        CallOutcome::Ambiguous => (ProviderOutcome::Ambiguous, AttemptState::Unknown),
        CallOutcome::NotSubmitted(_) => (ProviderOutcome::NotSubmitted, AttemptState::NotSubmitted),
    }
}

/// Alert for a response that names the transaction of another attempt.
pub(crate) const KNOWN_TRANSACTION: &str =
    "the provider approved an attempt by a transaction that has approved another attempt";

/// Returns an ambiguous response in place of `response` if the transaction has approved another attempt: the attempt
/// is then looked up. Returns `None` if `refused` has another cause.
pub(crate) fn ambiguous_response(
    refused: Option<Committed>,
    attempt: &Attempt,
    response: &ProviderResponse,
) -> Option<ProviderResponse> {
    (refused == Some(Committed::KnownTransaction)).then(|| {
        tracing::error!(attempt = %attempt.id, transaction = response.reference, "{KNOWN_TRANSACTION}");
        ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None }
    })
}

/// Decline of an authentication that no payer can finish.
pub(crate) const UNFINISHABLE_AUTHENTICATION: DeclineCode = DeclineCode::AuthenticationFailed;

/// Returns the challenge for the payer's browser and the link; `None` if the attempt has no link.
pub(crate) fn challenge_of(action: &Action, attempt: &Attempt) -> Option<(Symbols, Action)> {
    if attempt.link.is_none() {
        tracing::error!(attempt = %attempt.id, "the issuer requires a challenge, but the attempt has no browser");
    }
    attempt.link.clone().map(|link| (link, action.clone()))
}

/// Maps a look-up to the payment. An approval of another amount is no proof.
pub(crate) fn finding_of(look_up: &LookUp, attempt: &Attempt) -> AttemptFinding {
    match look_up {
        LookUp::Approved { amount, .. } if *amount == attempt.amount => AttemptFinding::Approved,
        LookUp::Approved { .. } => {
            tracing::error!(attempt = %attempt.id, "the provider approved an amount other than requested");
            AttemptFinding::Unknown
        }
        LookUp::Declined(code) => AttemptFinding::Declined(*code),
        LookUp::Unfinished => AttemptFinding::Unfinished,
        LookUp::NotFound => AttemptFinding::NotFound,
        // A charge in one step holds no funds: such a response is about another transaction.
        LookUp::Held { .. } | LookUp::Captured { .. } | LookUp::Gone | LookUp::Unknown => AttemptFinding::Unknown,
    }
}

/// Maps the look-up of a card that is not in doubt yet. "Not found" is no proof yet: the worker looks the attempt up
/// again later.
pub(crate) fn outcome_of(look_up: &LookUp, attempt: &Attempt) -> CallOutcome {
    match (look_up, attempt.part) {
        (LookUp::Held { amount, .. }, Some(_)) if *amount == attempt.amount => CallOutcome::Approved,
        (LookUp::Declined(code), _) => CallOutcome::Declined(*code),
        (LookUp::Approved { .. }, None) if finding_of(look_up, attempt) == AttemptFinding::Approved => {
            CallOutcome::Approved
        }
        _ => CallOutcome::Ambiguous,
    }
}

/// Returns the error for a request that was not submitted.
pub(crate) const fn failure_of(outcome: &CallOutcome) -> Option<ProviderFailure> {
    match outcome {
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => {
            Some(ProviderFailure::ProviderUnavailable)
        }
        CallOutcome::NotSubmitted(NotSubmitted::Rejected) => Some(ProviderFailure::ProviderRejectedRequest),
        _ => None,
    }
}

/// Returns the provider's reference of the transaction that a look-up found.
pub(crate) fn transaction_reference(look_up: LookUp) -> Option<String> {
    match look_up {
        LookUp::Approved { reference, .. } | LookUp::Held { reference, .. } | LookUp::Captured { reference, .. } => {
            reference
        }
        LookUp::Gone | LookUp::Declined(_) | LookUp::Unfinished | LookUp::NotFound | LookUp::Unknown => None,
    }
}
