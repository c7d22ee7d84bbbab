//! How the domain hears what a provider said.

use std::sync::Arc;

use domain::{
    Payment, Symbols,
    account::Provider,
    attempt::{Attempt, AttemptState},
    payment::{Action, DeclineCode, Finding, ProviderOutcome},
};
use ports::{AttemptRef, CallOutcome, CardProvider, Committed, LookUp, NotSubmitted, ProviderResponse};

use crate::{Error, Ports, ProviderFailure, breakers::Guarded};

/// The provider of that name, behind the breakers of its accounts.
pub(crate) fn provider(ports: &Ports, name: Provider) -> Result<Arc<dyn CardProvider>, Error> {
    let missing = || Error::internal(format!("no provider {} is wired", name.as_str()));
    let provider = ports.providers.get(&name).cloned().ok_or_else(missing)?;
    Ok(Arc::new(Guarded { provider, breakers: ports.breakers.clone(), clock: ports.clock.clone() }))
}

/// An attempt as its provider knows it.
pub(crate) fn reference(payment: &Payment, attempt: &Attempt) -> AttemptRef {
    AttemptRef { account: payment.facts.account.clone(), attempt: attempt.id.clone() }
}

/// What the outcome of a call is to the payment, and to the attempt.
pub(crate) fn heard(outcome: &CallOutcome, attempt: &Attempt) -> (ProviderOutcome, AttemptState) {
    match outcome {
        CallOutcome::Opened => (ProviderOutcome::Opened, AttemptState::Approved),
        CallOutcome::Approved => (ProviderOutcome::Approved, AttemptState::Approved),
        CallOutcome::Declined(code) => (ProviderOutcome::Declined(*code), AttemptState::Declined(*code)),
        CallOutcome::ActionRequired(action) => match asked(action, attempt) {
            Some((link, action)) => (ProviderOutcome::ChallengeAsked(link, action), AttemptState::Open),
            None => (ProviderOutcome::Declined(UNASKED), AttemptState::Declined(UNASKED)),
        },
        CallOutcome::Ambiguous => (ProviderOutcome::Ambiguous, AttemptState::Unknown),
        CallOutcome::NotSubmitted(_) => (ProviderOutcome::NotSubmitted, AttemptState::NotSubmitted),
    }
}

/// Alert for a response that names the transaction of another attempt.
pub(crate) const KNOWN_TRANSACTION: &str =
    "the provider approved an attempt by a transaction that has approved another attempt";

/// Returns an ambiguous answer in place of `said` if its transaction has approved another attempt: the attempt is then
/// looked up. Returns `None` if `refused` has another cause.
pub(crate) fn doubted(
    refused: Option<Committed>,
    attempt: &Attempt,
    said: &ProviderResponse,
) -> Option<ProviderResponse> {
    (refused == Some(Committed::KnownTransaction)).then(|| {
        tracing::error!(attempt = %attempt.id, transaction = said.reference, "{KNOWN_TRANSACTION}");
        ProviderResponse { outcome: CallOutcome::Ambiguous, reference: None, token: None }
    })
}

/// What an authentication comes to that nobody can finish.
pub(crate) const UNASKED: DeclineCode = DeclineCode::AuthenticationFailed;

/// What the issuer wants of the payer's browser, and on which page; `None` if no browser was promised to the issuer.
pub(crate) fn asked(action: &Action, attempt: &Attempt) -> Option<(Symbols, Action)> {
    if attempt.link.is_none() {
        tracing::error!(attempt = %attempt.id, "the issuer wants to see a browser, and there is none");
    }
    attempt.link.clone().map(|link| (link, action.clone()))
}

/// What a look-up is to the payment. An approval of another amount proves nothing.
pub(crate) fn found(look_up: &LookUp, attempt: &Attempt) -> Finding {
    match look_up {
        LookUp::Approved { amount, .. } if *amount == attempt.amount => Finding::Approved,
        LookUp::Approved { .. } => {
            tracing::error!(attempt = %attempt.id, "the provider approved another amount than was asked");
            Finding::Unknown
        }
        LookUp::Declined(code) => Finding::Declined(*code),
        LookUp::Unfinished => Finding::Unfinished,
        LookUp::NotFound => Finding::Nothing,
        // A charge in one step holds nothing: what answers so is not what was asked about.
        LookUp::Held { .. } | LookUp::Captured { .. } | LookUp::Gone | LookUp::Unknown => Finding::Unknown,
    }
}

/// What a look-up of a card comes to where nobody doubted it before. A "not found" is no proof
/// yet: the reconciler asks again on its schedule.
pub(crate) fn outcome_found(look_up: &LookUp, attempt: &Attempt) -> CallOutcome {
    match (look_up, attempt.part) {
        (LookUp::Held { amount, .. }, Some(_)) if *amount == attempt.amount => CallOutcome::Approved,
        (LookUp::Declined(code), _) => CallOutcome::Declined(*code),
        (LookUp::Approved { .. }, None) if found(look_up, attempt) == Finding::Approved => CallOutcome::Approved,
        _ => CallOutcome::Ambiguous,
    }
}

/// The error that a caller gets where nothing was submitted.
pub(crate) const fn failure(outcome: &CallOutcome) -> Option<ProviderFailure> {
    match outcome {
        CallOutcome::NotSubmitted(NotSubmitted::Unavailable | NotSubmitted::Busy) => {
            Some(ProviderFailure::ProviderUnavailable)
        }
        CallOutcome::NotSubmitted(NotSubmitted::Rejected) => Some(ProviderFailure::ProviderRejectedRequest),
        _ => None,
    }
}

/// The provider's own name for what a look-up found.
pub(crate) fn transaction(look_up: LookUp) -> Option<String> {
    match look_up {
        LookUp::Approved { reference, .. } | LookUp::Held { reference, .. } | LookUp::Captured { reference, .. } => {
            reference
        }
        LookUp::Gone | LookUp::Declined(_) | LookUp::Unfinished | LookUp::NotFound | LookUp::Unknown => None,
    }
}
