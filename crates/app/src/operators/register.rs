use chrono::{DateTime, Utc};
use ports::{Clock, RegisterCopy, RegisterEntry, TaxpayerRegister};

use super::error::SetupError;
use crate::Unexpected;

/// Imports a copy of the register of taxpayers, which is read from the moment it is whole, and says how many it lists.
/// Until then, and if anything goes wrong, the copy before it answers, and nothing is left of the other.
///
/// `next` gives the taxpayers in batches, and `progress` is told how many there were so far. A copy of fewer than
/// `at_least` is taken for a part of one.
///
/// # Errors
///
/// The copy is of the future, is older than the one that is read, cannot be read to its end, has too few taxpayers, or
/// cannot be kept.
pub async fn import_register(
    register: &dyn TaxpayerRegister,
    clock: &dyn Clock,
    (as_of, at_least): (DateTime<Utc>, u64),
    next: impl AsyncFnMut() -> Result<Option<Vec<RegisterEntry>>, Unexpected>,
    progress: impl FnMut(u64),
) -> Result<u64, SetupError> {
    if as_of > clock.now() {
        return Err(SetupError::Invalid("the register is of a day that has not come"));
    }
    check_that_none_is_newer(register, as_of).await?;
    register.tidy(clock.now()).await?;
    let copy = register.begin(as_of, clock.now()).await?;
    match fill(register, copy, at_least, next, progress).await {
        Ok(listed) => {
            // Somebody may have been faster with a newer one, which stays.
            let outrun = check_that_none_is_newer(register, as_of).await;
            remark(register.tidy(clock.now()).await);
            outrun.map(|()| listed)
        }
        Err(error) => {
            // Should we end before that, the next import does it.
            remark(register.discard(copy).await);
            Err(error)
        }
    }
}

async fn fill(
    register: &dyn TaxpayerRegister,
    copy: RegisterCopy,
    at_least: u64,
    mut next: impl AsyncFnMut() -> Result<Option<Vec<RegisterEntry>>, Unexpected>,
    mut progress: impl FnMut(u64),
) -> Result<u64, SetupError> {
    let mut added: u64 = 0;
    while let Some(batch) = next().await.map_err(SetupError::Internal)? {
        added = added.saturating_add(batch.len() as u64);
        register.add(copy, batch).await?;
        progress(added);
    }
    let listed = register.count(copy).await?;
    if listed < at_least {
        return Err(SetupError::Invalid("there are fewer taxpayers in it than the whole register has"));
    }
    register.publish(copy).await?;
    Ok(listed)
}

async fn check_that_none_is_newer(register: &dyn TaxpayerRegister, as_of: DateTime<Utc>) -> Result<(), SetupError> {
    match register.in_force().await? {
        Some(newer) if newer > as_of => Err(SetupError::Outdated(newer)),
        _ => Ok(()),
    }
}

/// What was imported answers, and what was not does not, whether the rest could be removed or not.
fn remark(removed: Result<(), ports::Unavailable>) {
    if let Err(error) = removed {
        tracing::warn!(error = &error as &dyn std::error::Error, "the rows of a copy are left for the next import");
    }
}
