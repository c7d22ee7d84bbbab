use std::{path::Path, time::Duration};

use super::{
    sale::{EVENTS, Inbox, Load, Sold},
    sandbox::Sandbox,
    tables::Tables,
};
use crate::{chore::Done, postgres::Server};

/// Clients of each load.
const CLIENTS: usize = 8;
/// Sales before the statistics of the database are read, until each statement has its plan.
const WARM_UP: u64 = 100;

/// A server on a PostgreSQL database of its own, with a receiver of webhooks.
pub(super) struct Shop {
    sandbox: Sandbox,
    inbox: Inbox,
}

impl Shop {
    /// Starts the server, makes sales and analyzes the database.
    pub(super) fn open(server: &Server, tables: &Tables, folder: &Path, name: &str) -> Done<Self> {
        let database = tables.another(server, &format!("cobro_{name}"))?;
        let shop = Self { sandbox: Sandbox::start(&database, &folder.join(name))?, inbox: Inbox::open()? };
        shop.sandbox.register(shop.inbox.url(), &EVENTS)?;
        shop.sell(WARM_UP, None, "warm")?;
        database.ask("ANALYZE")?;
        Ok(shop)
    }

    /// Process id of the server.
    pub(super) fn process(&self) -> u32 {
        self.sandbox.process()
    }

    /// Makes sales, `pace` apart or as fast as possible. No other load has this name.
    pub(super) fn sell(&self, sales: u64, pace: Option<Duration>, name: &str) -> Done<Sold> {
        let (servers, keys) = ([self.sandbox.address()], [self.sandbox.key(), self.sandbox.admin_key()]);
        let (servers, keys, inbox) = (&servers[..], &keys[..], Some(&self.inbox));
        Load { servers, keys, inbox, clients: CLIENTS, sales, pace, name }.run()
    }
}
