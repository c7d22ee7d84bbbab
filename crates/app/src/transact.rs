//! Commits: decide, commit the decision, and decide again after a conflict.
//!
//! **Invariant:** decisions about a sale are committed here and nowhere else, so that no path omits the alert.

use domain::{AttemptId, attempt::Attempt, sale::Sale};
use ports::{Commit, Committed, Unavailable};

use crate::{Error, Ports, commit::tenant_of};

/// Maximum number of rounds after conflicts. In each round one of the competing commands succeeds, so this is the
/// maximum number of commands that may compete for a sale.
pub(crate) const ROUNDS: usize = 100;

/// Result of one round of a transaction.
pub(crate) enum Step<T> {
    /// There is no change to commit.
    Return(T),
    /// Commit this change of a sale; the value is the result once the change is durable.
    Commit(Box<Commit>, T),
    /// The loaded data has changed meanwhile: load again.
    Again,
    /// The round wrote through another port; the value is the result if that write is durable.
    Wrote(Committed, T),
}

impl<T> Step<T> {
    pub(crate) fn map<U>(self, with: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Return(value) => Step::Return(with(value)),
            Self::Commit(commit, value) => Step::Commit(commit, with(value)),
            Self::Again => Step::Again,
            Self::Wrote(committed, value) => Step::Wrote(committed, with(value)),
        }
    }
}

/// Every round lost to a concurrent decision.
#[derive(Debug, thiserror::Error)]
#[error("every attempt to commit lost to a concurrent change")]
pub(crate) struct Contention;

/// Runs `round` until the decision is durable, and returns the value.
///
/// A round loads and decides, and may run several times. The argument of `round` is the refusal of the previous
/// round's commit: `None` in the first round.
pub(crate) async fn transact<T, E, F>(ports: &Ports, mut round: impl FnMut(Option<Committed>) -> F) -> Result<T, E>
where
    F: Future<Output = Result<Step<T>, E>>,
    E: From<Unavailable> + From<Contention>,
{
    let mut refused = None;
    for _ in 0..ROUNDS {
        // Boxed: the state of a round is too large for the stack.
        let (committed, value) = match Box::pin(round(refused)).await? {
            Step::Return(value) => return Ok(value),
            Step::Again => continue,
            Step::Commit(write, value) => (commit_sale(ports, *write).await?, value),
            Step::Wrote(committed, value) => (committed, value),
        };
        match committed {
            Committed::Done => return Ok(value),
            _ => refused = Some(committed),
        }
    }
    Err(Contention.into())
}

/// Commits once, and alerts an operator if a split payment ends paid in part by this commit.
///
/// No event reports this: the status was announced before, and has not changed since.
pub(crate) async fn commit_sale(ports: &Ports, commit: Commit) -> Result<Committed, Unavailable> {
    let left = commit.payment.as_ref().filter(|_| commit.leaves_in_part).map(|it| it.to.clone());
    let committed = ports.sales.commit(commit).await?;
    if let (Committed::Done, Some(payment)) = (committed, left) {
        let captured = payment.split().and_then(|it| it.figures()).map(|it| it.captured.minor_units());
        let total = payment.total_amount();
        tracing::error!(
            payment = %payment.facts.id,
            captured,
            total = total.minor_units(),
            currency = total.currency().code(),
            "a payment was paid in part and stays so: no document is issued, and captures are not refunded automatically"
        );
    }
    Ok(committed)
}

/// Returns the sale for a round: `sale` in the first round, the reloaded sale afterwards.
pub(crate) async fn current(ports: &Ports, sale: &Sale, refused: Option<Committed>) -> Result<Sale, Error> {
    if refused.is_none() {
        return Ok(sale.clone());
    }
    let found = ports.sales.find(&tenant_of(sale), &sale.payment.facts.id).await?;
    found.ok_or_else(|| Error::internal("a payment does not exist any more"))
}

/// Returns an attempt that the sale names.
pub(crate) async fn stored_attempt(ports: &Ports, sale: &Sale, id: &AttemptId) -> Result<Attempt, Error> {
    let attempt = ports.sales.find_attempt(&tenant_of(sale), id).await?;
    attempt.ok_or_else(|| Error::internal("the attempt of a payment does not exist"))
}

impl From<Contention> for Error {
    fn from(error: Contention) -> Self {
        Self::internal(error)
    }
}
