use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{account::Provider, catalog::Catalog, money::AmountLimits};
use ports::{
    AccountProvider, ArtifactStore, Backlog, CardProvider, Clock, CredentialStore, CredentialVault, DocumentComposer,
    DocumentPrinter, DocumentSigner, EmailStore, EventStore, IdempotencyStore, Ids, MerchantRegistry, MerchantStore,
    NumberStore, RefundStore, SaleSearch, SaleStore, SecretStore, SetupStore, StoredCards, TaxAuthority,
    TaxpayerDirectory, WebhookLog, WebhookQueue, WorkQueue,
};

use crate::{Breakers, ClockGuard};

/// The outside world, wired once in `main`.
#[derive(Clone)]
#[expect(missing_docs, reason = "the traits document themselves")]
pub struct Ports {
    pub sales: Arc<dyn SaleStore>,
    pub search: Arc<dyn SaleSearch>,
    pub refunds: Arc<dyn RefundStore>,
    pub events: Arc<dyn EventStore>,
    pub work: Arc<dyn WorkQueue>,
    pub backlog: Arc<dyn Backlog>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub stored_cards: Arc<dyn StoredCards>,
    pub secrets: Arc<dyn SecretStore>,
    pub credentials: Arc<dyn CredentialStore>,
    pub merchants: Arc<dyn MerchantStore>,
    pub registry: Arc<dyn MerchantRegistry>,
    pub setup: Arc<dyn SetupStore>,
    pub numbers: Arc<dyn NumberStore>,
    pub artifacts: Arc<dyn ArtifactStore>,
    pub deliveries: Arc<dyn EmailStore>,
    pub webhooks: Arc<dyn WebhookQueue>,
    pub webhook_log: Arc<dyn WebhookLog>,
    pub providers: BTreeMap<Provider, Arc<dyn CardProvider>>,
    /// The providers with accounts that need credentials.
    pub accounts: BTreeMap<Provider, Arc<dyn AccountProvider>>,
    /// Circuit breakers of provider accounts.
    pub breakers: Arc<Breakers>,
    /// Names of brands, programs and wallets.
    pub catalog: Arc<Catalog>,
    pub authority: Arc<dyn TaxAuthority>,
    pub directory: Arc<dyn TaxpayerDirectory>,
    pub composer: Arc<dyn DocumentComposer>,
    pub signer: Arc<dyn DocumentSigner>,
    pub printer: Arc<dyn DocumentPrinter>,
    pub vault: Arc<dyn CredentialVault>,
    pub clock: Arc<dyn Clock>,
    /// Guard of the system clock.
    pub clock_guard: Arc<ClockGuard>,
    pub ids: Arc<dyn Ids>,
    /// The bounds of a payment, a currency each.
    pub limits: AmountLimits,
}

impl Ports {
    /// Returns the time; `None` while the clock is wrong: then no work may be claimed. The next comparison of the clock
    /// logs the fault.
    pub(crate) fn work_time(&self) -> Option<DateTime<Utc>> {
        self.clock_guard.check().is_ok().then(|| self.clock.now())
    }
}
