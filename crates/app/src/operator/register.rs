use chrono::{DateTime, Utc};
use ports::{Clock, RegisterEntry, TaxpayerRegister};

use super::SetupError;

/// Imports a copy of the register of taxpayers, which is read from the moment it is whole, and says how many it lists.
/// Until then, and if anything goes wrong, the copy before it answers.
///
/// `next` gives the taxpayers in batches, and `progress` is told how many there were so far. A copy of fewer than
/// `at_least` is taken for a part of one.
///
/// # Errors
///
/// The copy is of the future, has too few taxpayers, or cannot be kept.
pub async fn import_register(
    register: &dyn TaxpayerRegister,
    clock: &dyn Clock,
    (as_of, at_least): (DateTime<Utc>, u64),
    mut next: impl AsyncFnMut() -> Option<Vec<RegisterEntry>>,
    mut progress: impl FnMut(u64),
) -> Result<u64, SetupError> {
    if as_of > clock.now() {
        return Err(SetupError::Invalid("the register is of a day that has not come"));
    }
    register.tidy(clock.now()).await?;
    let copy = register.begin(as_of, clock.now()).await?;
    let mut added: u64 = 0;
    while let Some(batch) = next().await {
        added = added.saturating_add(batch.len() as u64);
        register.add(copy, batch).await?;
        progress(added);
    }
    let listed = register.count(copy).await?;
    if listed < at_least {
        return Err(SetupError::Invalid("there are fewer taxpayers in it than the whole register has"));
    }
    register.publish(copy).await?;
    register.tidy(clock.now()).await?;
    Ok(listed)
}
