//! Commands of operators. Each prints JSON, one line per object.

mod account;
mod certificate;
mod directory;
mod document;
mod ecf;
mod events;
mod key;
mod merchant;
mod payment;
mod rate;
mod refund;
mod sequence;
mod show;
mod vault;

use std::{
    io::{self, Write},
    sync::Arc,
};

use app::Ports;
use azul::AzulConnection;
use domain::Mode;
use ports::{MerchantRegistry, Tenant};
use serde::Serialize;

use crate::{
    clock::SystemClock,
    config::{ListOptions, OperatorOptions, OwnerOptions, TenantOptions},
    failure::{Context, Done, Failure},
    stores::Stores,
    wiring::{self, Outside},
};

pub(crate) use {
    account::{create as create_account, run as account},
    certificate::{import, run as certificate},
    directory::run as directory,
    document::run as document,
    ecf::run as ecf,
    events::run as events,
    key::run as key,
    merchant::run as merchant,
    payment::run as payment,
    rate::{of_rate, run as rate},
    refund::run as refund,
    sequence::run as sequence,
    vault::run as vault,
};

/// Returns the ports of a command that writes. The system clock must be right.
async fn ports(options: &OperatorOptions) -> Done<Ports> {
    Stores::postgres(&options.database.url()?).await?.with_right_clock().await?;
    ports_to_read(options).await
}

/// Returns the ports of a command. No external service is called through them: `sequence annul` has its own DGII
/// client.
async fn ports_to_read(options: &OperatorOptions) -> Done<Ports> {
    let vault = options.master_key()?.vault()?;
    let stores = Stores::postgres(&options.database.url()?).await?.under(&vault).await?;
    let outside = Outside::real(AzulConnection::real(), dgii::DgiiConnection::real());
    wiring::ports(stores, outside, Arc::new(vault), (Arc::new(SystemClock), options.catalog()?))
}

fn tenant(options: &TenantOptions) -> Tenant {
    Tenant { merchant: options.merchant.clone(), mode: options.mode }
}

/// Returns the tenants to search: the named ones, or all that have data.
async fn owners(registry: &dyn MerchantRegistry, of: &OwnerOptions) -> Done<Vec<Tenant>> {
    let mut tenants = registry.tenants().await.or_fail("the merchants cannot be read")?;
    tenants.retain(|it| of.merchant.as_ref().is_none_or(|id| *id == it.merchant));
    tenants.retain(|it| of.mode.is_none_or(|mode| mode == it.mode));
    Ok(tenants)
}

/// Returns the stores and the tenants of a list command, for an existing merchant.
async fn listed(options: &ListOptions) -> Done<(Stores, Vec<Tenant>)> {
    let stores = Stores::postgres(&options.database.url()?).await?;
    let mut known = Vec::new();
    for mode in modes(options.mode) {
        let tenant = Tenant { merchant: options.merchant.clone(), mode };
        if stores.database.setup(&tenant).await.or_fail("the merchant cannot be read")?.profile.is_some() {
            known.push(tenant);
        }
    }
    if known.is_empty() { Err(Failure::new("there is no such merchant")) } else { Ok((stores, known)) }
}

/// Returns the named mode, or both.
fn modes(named: Option<Mode>) -> Vec<Mode> {
    named.map_or_else(|| vec![Mode::Test, Mode::Live], |mode| vec![mode])
}

pub(crate) fn print(answer: &impl Serialize) -> Done {
    print_line(&serde_json::to_string(answer).or_fail("the result cannot be written")?)
}

pub(crate) fn print_line(line: &str) -> Done {
    writeln!(io::stdout(), "{line}").or_fail("the result cannot be written")
}
