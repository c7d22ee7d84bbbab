//! Adapters into ports: the only place that knows all of both.

use std::{collections::BTreeMap, sync::Arc};

use app::Ports;
use dgii::Composer;
use domain::{account::Provider, money::AmountLimits};
use ports::{CardProvider, Clock, CredentialVault, TaxAuthority, TaxpayerDirectory};
use simulator::{Acquirer, Authority, Directory, Faults};
use xml_signer::XmlSigner;

use crate::{absent::Absent, ids::RandomIds, known_keys::KnownKeys, stores::Stores};

/// Everyone whom a sale has to do with and who is not us.
pub(crate) struct Outside {
    pub(crate) providers: BTreeMap<Provider, Arc<dyn CardProvider>>,
    pub(crate) authority: Arc<dyn TaxAuthority>,
    pub(crate) directory: Arc<dyn TaxpayerDirectory>,
}

impl Outside {
    /// Nobody: neither a provider nor the authority can be reached yet.
    pub(crate) fn absent() -> Self {
        Self { providers: BTreeMap::new(), authority: Arc::new(Absent), directory: Arc::new(Absent) }
    }

    /// Simulators that forget everything with the process.
    pub(crate) fn simulated(clock: &Arc<dyn Clock>) -> Self {
        let faults = Arc::new(Faults::default());
        let acquirer = Acquirer::in_memory(clock.clone(), faults.clone());
        let authority = Authority::in_memory(Arc::new(XmlSigner::default()), clock.clone(), faults.clone());
        Self {
            providers: BTreeMap::from([(Provider::Simulator, Arc::new(acquirer) as Arc<dyn CardProvider>)]),
            authority: Arc::new(authority),
            directory: Arc::new(Directory::new(faults)),
        }
    }
}

/// Everything that the use cases need.
pub(crate) fn ports(stores: Stores, outside: Outside, vault: Arc<dyn CredentialVault>, clock: Arc<dyn Clock>) -> Ports {
    Ports {
        sales: stores.sales,
        search: stores.search,
        events: stores.events,
        work: stores.work,
        backlog: stores.backlog,
        idempotency: stores.idempotency,
        credentials: Arc::new(KnownKeys::of(stores.credentials)),
        merchants: stores.merchants,
        registry: stores.registry,
        setup: stores.setup,
        numbers: stores.numbers,
        artifacts: stores.artifacts,
        deliveries: stores.deliveries,
        providers: outside.providers,
        authority: outside.authority,
        directory: outside.directory,
        composer: Arc::new(Composer),
        signer: Arc::new(XmlSigner::default()),
        vault,
        clock,
        ids: Arc::new(RandomIds),
        limits: AmountLimits::default(),
    }
}
