use chrono::{DateTime, Utc};
use ports::{Clock, RegisterCopy, RegisterEntry, TaxpayerRegister};

use super::error::SetupError;
use crate::Unexpected;

/// Imports a copy of the register of taxpayers, and returns the number of taxpayers. The copy comes into force once
/// complete. Until then, and after a failure, the previous copy stays in force, and the incomplete one is deleted.
///
/// `next` returns the taxpayers in batches, and `progress` receives the count so far. A copy with fewer than
/// `at_least` taxpayers is incomplete.
///
/// # Errors
///
/// If the copy is of the future, is older than the copy in force, cannot be read to its end, has too few taxpayers,
/// or cannot be stored.
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
            // A concurrent import of a newer copy may have been faster, and stays.
            let superseded = check_that_none_is_newer(register, as_of).await;
            remark(register.tidy(clock.now()).await);
            superseded.map(|()| listed)
        }
        Err(error) => {
            // After a crash the next import deletes the copy.
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
        return Err(SetupError::Invalid("the copy has fewer taxpayers than the whole register"));
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

/// Logs a failed deletion, which does not affect the copy in force.
fn remark(removed: Result<(), ports::Unavailable>) {
    if let Err(error) = removed {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the rows of a copy could not be deleted: the next import deletes them"
        );
    }
}
