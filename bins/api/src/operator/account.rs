use std::{
    io::{self, Read},
    path::Path,
};

use app::{
    Ports, Tenant,
    operators::{create_account, set_credentials},
};
use domain::{MerchantAccountId, account::Provider};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::{listed, owners, ports, print, show::of_account, tenant};
use crate::{
    config::{AccountCommand, CredentialFiles, ListOptions, OwnerOptions},
    failure::{Context, Done, Failure},
    text_file,
};

pub(crate) async fn run(command: AccountCommand) -> Done {
    match command {
        AccountCommand::Create { tenant: options, provider } => {
            let account = create(&ports(&options.operator).await?, &tenant(&options), provider).await?;
            print(&json!({ "merchantAccountId": account.as_str() }))
        }
        AccountCommand::List(options) => list(&options).await,
        AccountCommand::Credentials { operator, of, account, named, files } => {
            let account = account.or(named).ok_or_else(|| Failure::new("the account is missing"))?;
            let credentials = read(&files)?;
            let ports = ports(&operator).await?;
            let tenant = owner(&ports, &of, &account).await?;
            let set = set_credentials(&ports, &tenant, &account, &credentials).await;
            let account = set.or_fail("the credentials were not set")?;
            print(&json!({
                "merchantAccountId": account.id.as_str(),
                "credentialVersion": account.credential_version,
                "lifecycle": account.lifecycle.as_str(),
            }))
        }
    }
}

async fn list(options: &ListOptions) -> Done {
    let (stores, tenants) = listed(options).await?;
    for tenant in tenants {
        let setup = stores.database.setup(&tenant).await.or_fail("the accounts cannot be read")?;
        for account in &setup.accounts {
            let mut shown = of_account(account);
            shown["mode"] = tenant.mode.as_str().into();
            print(&shown)?;
        }
    }
    Ok(())
}

/// Returns the owner of the account. Returns the named tenant if the account does not exist, so that the command
/// reports this.
async fn owner(ports: &Ports, of: &OwnerOptions, account: &MerchantAccountId) -> Done<Tenant> {
    if let (Some(merchant), Some(mode)) = (&of.merchant, of.mode) {
        return Ok(Tenant { merchant: merchant.clone(), mode });
    }
    for tenant in owners(&*ports.registry, of).await? {
        let setup = ports.merchants.setup(&tenant).await.or_fail("the accounts cannot be read")?;
        if setup.accounts.iter().any(|it| it.id == *account) {
            return Ok(tenant);
        }
    }
    Err(Failure::new("there is no such account"))
}

/// Creates an account. The simulator is refused in live mode, because its approvals are no money.
pub(crate) async fn create(ports: &Ports, tenant: &Tenant, provider: Provider) -> Done<MerchantAccountId> {
    if tenant.mode.is_live() && provider == Provider::Simulator {
        return Err(Failure::new("the simulator has no live mode"));
    }
    create_account(ports, tenant, provider).await.or_fail("the account was not made")
}

/// Returns the credentials as one object, with certificate and key from their files.
fn read(files: &CredentialFiles) -> Done<Zeroizing<Vec<u8>>> {
    let text = if files.file == Path::new("-") { from_stdin()? } else { text_file::read_text(&files.file)? };
    // The message of the parser might contain a secret.
    let parsed: Result<Map<String, Value>, _> = serde_json::from_str(&text);
    let mut object = parsed.map_err(|_| Failure::new("the credentials are not one JSON object"))?;
    for (name, path) in [("certificate", &files.certificate), ("privateKey", &files.private_key)] {
        if let Some(path) = path {
            object.insert(name.to_owned(), Value::String(text_file::read_text(path)?.to_string()));
        }
    }
    serde_json::to_vec(&object).map(Zeroizing::new).or_fail("the credentials cannot be written")
}

fn from_stdin() -> Done<Zeroizing<String>> {
    let mut bytes = Zeroizing::new(Vec::new());
    io::stdin().read_to_end(&mut bytes).or_fail("the credentials cannot be read from stdin")?;
    text_file::text(bytes).ok_or_else(|| Failure::new("the credentials on stdin are not text"))
}
