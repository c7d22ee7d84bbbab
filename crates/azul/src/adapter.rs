use std::sync::{Arc, atomic::AtomicU64};

use ports::Clock;

use crate::{AzulAccounts, AzulConnection, http_client::HttpClient};

/// AZUL for every merchant that has an account there.
pub struct Azul {
    pub(crate) accounts: Arc<dyn AzulAccounts>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) http: HttpClient,
    pub(crate) unknown_codes: AtomicU64,
}

impl Azul {
    /// Creates the adapter. No request is sent yet.
    pub fn new(connection: AzulConnection, accounts: Arc<dyn AzulAccounts>, clock: Arc<dyn Clock>) -> Self {
        let http = HttpClient::new(connection, Arc::clone(&clock));
        Self { accounts, clock, http, unknown_codes: AtomicU64::new(0) }
    }
}
