use app::operators::create_merchant;
use chrono::{DateTime, Utc};
use domain::{
    MerchantId, Mode,
    merchant::{Address, Profile},
    text::BoundedText,
};
use serde_json::json;

use super::{ports, ports_to_read, print, show};
use crate::{
    config::{DatabaseOptions, MerchantCommand, MerchantOptions},
    failure::{Context, Done, Failure},
    stores::Stores,
};

pub(crate) async fn run(command: MerchantCommand) -> Done {
    match command {
        MerchantCommand::Create(options) => create(&options).await,
        MerchantCommand::List(options) => list(&options).await,
        MerchantCommand::Show { operator, merchant, named, mode } => {
            let merchant = merchant.or(named).ok_or_else(|| Failure::new("the merchant is missing"))?;
            show::run(&ports_to_read(&operator).await?, &merchant, mode).await
        }
    }
}

async fn list(options: &DatabaseOptions) -> Done {
    let stores = Stores::postgres(&options.url()?).await?;
    for profile in stores.database.profiles().await.or_fail("the merchants cannot be read")? {
        print(&json!({
            "merchantId": profile.merchant.as_str(),
            "legalName": profile.legal_name.as_ref().map(|it| it.as_str()),
            "rnc": profile.rnc.as_ref().map(|it| it.as_str()),
            "displayName": profile.display_name.as_ref().map(|it| it.as_str()),
            "missingFields": profile.missing_fields(),
        }))?;
    }
    Ok(())
}

async fn create(options: &MerchantOptions) -> Done {
    let ports = ports(&options.operator).await?;
    let described = |merchant: &MerchantId, mode, now| profile(options, merchant, mode, now);

    let made = create_merchant(&ports, described, options.live_enabled).await;
    let id = made.or_fail("the merchant was not made")?;
    let missing = profile(options, &id, Mode::Test, ports.clock.now()).missing_fields();
    print(&json!({ "merchantId": id.as_str(), "missingFields": missing }))
}

fn profile(options: &MerchantOptions, merchant: &MerchantId, mode: Mode, now: DateTime<Utc>) -> Profile {
    Profile {
        legal_name: Some(options.legal_name.clone()),
        rnc: Some(options.rnc.clone()),
        display_name: options.display_name.clone(),
        support_phone: options.support_phone.clone(),
        support_email: options.support_email.clone(),
        permanent_address: options.address.clone().zip(options.city.clone()).map(|(line1, city)| address(line1, city)),
        statement_descriptor: options.statement_descriptor.clone(),
        is_propina_applicable: options.propina,
        is_split_enabled: options.split,
        version: 1,
        ..Profile::blank(merchant, mode, now)
    }
}

fn address(line1: BoundedText<1, 160>, city: BoundedText<1, 80>) -> Address {
    let country_code = BoundedText::parse("DO").expect("a line");
    Address { line1, line2: None, city, province: None, postal_code: None, country_code }
}
