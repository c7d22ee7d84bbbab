use app::{Ports, Tenant};
use domain::{MerchantId, Mode, account::Account, fiscal::NumberRange, merchant::Profile};
use serde_json::{Value, json};

use super::{modes, print};
use crate::failure::{Context, Done, Failure};

/// Prints the set-up of a merchant, in one mode or in both. The output contains no secret.
pub(super) async fn run(ports: &Ports, merchant: &MerchantId, mode: Option<Mode>) -> Done {
    for mode in modes(mode) {
        show(ports, &Tenant { merchant: merchant.clone(), mode }).await?;
    }
    Ok(())
}

async fn show(ports: &Ports, tenant: &Tenant) -> Done {
    let setup = ports.merchants.setup(tenant).await.or_fail("the merchant cannot be read")?;
    let profile = setup.profile.ok_or_else(|| Failure::new("there is no such merchant"))?;
    let certificate = setup.issuer.certificate(ports.clock.now()).map(|it| {
        json!({ "subject": it.subject, "notBefore": it.not_before.to_rfc3339(), "notAfter": it.not_after.to_rfc3339() })
    });
    print(&json!({
        "merchantId": tenant.merchant.as_str(),
        "mode": tenant.mode.as_str(),
        "profile": of_profile(&profile),
        "accounts": setup.accounts.iter().map(of_account).collect::<Vec<_>>(),
        "sequences": setup.issuer.ranges.iter().map(of_range).collect::<Vec<_>>(),
        "certificate": certificate,
    }))
}

fn of_profile(profile: &Profile) -> Value {
    json!({
        "legalName": profile.legal_name.as_ref().map(|it| it.as_str()),
        "rnc": profile.rnc.as_ref().map(|it| it.as_str()),
        "displayName": profile.display_name.as_ref().map(|it| it.as_str()),
        "isPropinaApplicable": profile.is_propina_applicable,
        "isSplitEnabled": profile.is_split_enabled,
        "missingFields": profile.missing_fields(),
    })
}

pub(super) fn of_account(account: &Account) -> Value {
    json!({
        "merchantAccountId": account.id.as_str(),
        "provider": account.provider.as_str(),
        "lifecycle": account.lifecycle.as_str(),
    })
}

pub(super) fn of_range(range: &NumberRange) -> Value {
    json!({
        "kind": range.kind.as_str(),
        "environment": range.environment.as_str(),
        "from": range.first,
        "to": range.last,
        "next": range.next,
        "validUntil": range.valid_until.map(|it| it.to_string()),
    })
}
