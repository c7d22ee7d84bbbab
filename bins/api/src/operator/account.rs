use app::{Ports, Tenant, operator::create_account};
use domain::{MerchantAccountId, account::Provider};
use serde_json::json;

use super::{ports, print, tenant};
use crate::{
    config::AccountCommand,
    failure::{Context, Done, Failure},
};

/// The published names of the brands that accounts are certified for.
const BRANDS: [&str; 2] = ["brand_a", "brand_b"];

pub(crate) async fn run(AccountCommand::Create { tenant: options, provider }: AccountCommand) -> Done {
    let tenant = tenant(&options);
    let account = create(&ports(&options.operator).await?, &tenant, provider).await?;
    print(&json!({ "merchantAccountId": account.as_str() }))
}

/// Makes an account. What the simulator approves is no money, so it has no place in live mode.
pub(crate) async fn create(ports: &Ports, tenant: &Tenant, provider: Provider) -> Done<MerchantAccountId> {
    if tenant.mode.is_live() && provider == Provider::Simulator {
        return Err(Failure::new("the simulator has no live mode"));
    }
    let brands = BRANDS.map(str::to_owned).to_vec();
    create_account(ports, tenant, provider, brands).await.or_fail("the account was not made")
}
