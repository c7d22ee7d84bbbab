use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use app::{
    Ports, Tenant,
    operator::{create_account, set_credentials},
};
use domain::{MerchantAccountId, account::Provider};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::{ports, print, tenant};
use crate::{
    config::{AccountCommand, CredentialFiles},
    failure::{Context, Done, Failure},
};

pub(crate) async fn run(command: AccountCommand) -> Done {
    match command {
        AccountCommand::Create { tenant: options, provider } => {
            let account = create(&ports(&options.operator).await?, &tenant(&options), provider).await?;
            print(&json!({ "merchantAccountId": account.as_str() }))
        }
        AccountCommand::Credentials { tenant: options, account, files } => {
            let credentials = read(&files)?;
            let ports = ports(&options.operator).await?;
            let set = set_credentials(&ports, &tenant(&options), &account, &credentials).await;
            let account = set.or_fail("the credentials were not set")?;
            print(&json!({
                "merchantAccountId": account.id.as_str(),
                "credentialVersion": account.credential_version,
                "lifecycle": account.lifecycle.as_str(),
            }))
        }
    }
}

/// Makes an account. What the simulator approves is no money, so it has no place in live mode.
pub(crate) async fn create(ports: &Ports, tenant: &Tenant, provider: Provider) -> Done<MerchantAccountId> {
    if tenant.mode.is_live() && provider == Provider::Simulator {
        return Err(Failure::new("the simulator has no live mode"));
    }
    create_account(ports, tenant, provider).await.or_fail("the account was not made")
}

/// The credentials as one object, with what stands in files of its own.
fn read(files: &CredentialFiles) -> Done<Zeroizing<Vec<u8>>> {
    let text = if files.file == Path::new("-") { from_stdin()? } else { from_file(&files.file)? };
    // What the parser found is not told: it may show a secret.
    let parsed: Result<Map<String, Value>, _> = serde_json::from_str(&text);
    let mut object = parsed.map_err(|_| Failure::new("the credentials are not one JSON object"))?;
    for (name, path) in [("certificate", &files.certificate), ("privateKey", &files.private_key)] {
        if let Some(path) = path {
            object.insert(name.to_owned(), Value::String(from_file(path)?.to_string()));
        }
    }
    serde_json::to_vec(&object).map(Zeroizing::new).or_fail("the credentials cannot be written")
}

fn from_file(path: &Path) -> Done<Zeroizing<String>> {
    fs::read_to_string(path).map(Zeroizing::new).or_fail(format!("{} cannot be read", path.display()))
}

fn from_stdin() -> Done<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    io::stdin().read_to_string(&mut text).or_fail("the credentials cannot be read from stdin")?;
    Ok(text)
}
