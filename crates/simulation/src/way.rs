//! How a call to the provider passes, and its responses.

use domain::payment::Action;
use ports::{AttemptRef, CallOutcome, ProviderResponse};

use crate::bank::Wish;

/// Fate of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The call and the response arrive.
    Clear,
    /// The call cannot be sent.
    Down,
    /// The call never arrives, without an error.
    Lost,
    /// The call arrives, and the response is lost. Look-ups show the attempt after this time in milliseconds.
    Done(u64),
    /// The call arrives after this time in milliseconds, after the timeout of the caller.
    Slow(u64),
}

pub(crate) fn response(outcome: CallOutcome, attempt: &AttemptRef) -> ProviderResponse {
    ProviderResponse { outcome, reference: Some(format!("bank-{}", attempt.attempt)), token: None }
}

/// Returns the provider's action for a challenge.
pub(crate) fn action(wish: Wish) -> Action {
    match wish {
        Wish::Look | Wish::LookAndAnswer => Action::Method { form: "<form></form>".to_owned() },
        Wish::Answer => Action::Challenge { address: "https://issuer.example".to_owned(), request: "e30=".to_owned() },
    }
}
