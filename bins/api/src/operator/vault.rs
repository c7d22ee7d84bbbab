use app::operators::{replace_key, reseal_secrets};
use ports::Clock;
use serde_json::json;
use vault::Vault;

use super::print;
use crate::{
    clock::SystemClock,
    config::{MasterKeySource, OperatorOptions, VaultCommand},
    failure::{Context, Done, Failure},
    stores::Stores,
};

pub(crate) async fn run(VaultCommand::Rotate { operator, new_key, lost_key }: VaultCommand) -> Done {
    rotate(&operator, new_key, lost_key).await
}

/// Writes the key file first: every process with the same file can then open secrets under the new key, and
/// was not reached is so the next time.
async fn rotate(options: &OperatorOptions, new_key: bool, lost_key: bool) -> Done {
    let source = options.master_key()?;
    let stores = Stores::postgres(&options.database.url()?).await?;
    let stores = if lost_key {
        replace_key(&*stores.database, &source.vault()?).await.or_fail("the master key cannot be used")?;
        stores
    } else {
        stores.under(&source.vault()?).await?
    };
    if new_key {
        let MasterKeySource::File(file) = &source else {
            return Err(Failure::new("a new key needs a key file: in an environment put it there yourself"));
        };
        Vault::put_key_in_front(file).or_fail(format!("{} was not changed", file.display()))?;
    }
    let done = reseal_secrets(&*stores.database, (&*stores.database, SystemClock.now()), &source.vault()?).await;
    let done = done.or_fail("not every secret was sealed anew")?;
    print(&json!({
        "secrets": done.secrets,
        "resealed": done.resealed,
        "unopened": done.unopened,
        "superseded": done.superseded,
        "missed": done.missed,
    }))?;
    match (done.unopened, done.missed) {
        (0, 0) => Ok(()),
        (0, _) => Err(Failure::new("some secrets were changed meanwhile: rotate once more")),
        _ => Err(Failure::new("some secrets are under no key of the file: put the key back that they are under")),
    }
}
