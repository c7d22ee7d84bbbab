//! What an operator sets up. Each command prints one line of JSON.

mod account;
mod certificate;
mod directory;
mod document;
mod ecf;
mod events;
mod key;
mod merchant;
mod rate;
mod sequence;
mod show;
mod vault;

use std::{
    io::{self, Write},
    sync::Arc,
};

use app::Ports;
use azul::Connection;
use ports::Tenant;
use serde::Serialize;

use crate::{
    clock::SystemClock,
    config::{MasterKeySource, OperatorOptions, TenantOptions},
    failure::{Context, Done},
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
    rate::{of_rate, run as rate},
    sequence::run as sequence,
    vault::run as vault,
};

/// The ports of a command. Nothing outside is called by any.
async fn ports(options: &OperatorOptions) -> Done<Ports> {
    let vault = MasterKeySource::settle(options.master_key_file.as_deref())?.vault()?;
    let stores = Stores::postgres(&options.database.database_url).await?;
    let outside = Outside::real(Connection::real(), dgii::Connection::real());
    wiring::ports(stores, outside, Arc::new(vault), (Arc::new(SystemClock), options.catalog()?))
}

fn tenant(options: &TenantOptions) -> Tenant {
    Tenant { merchant: options.merchant.clone(), mode: options.mode }
}

fn print(answer: &impl Serialize) -> Done {
    let line = serde_json::to_string(answer).or_fail("the result cannot be written")?;
    writeln!(io::stdout(), "{line}").or_fail("the result cannot be written")
}
