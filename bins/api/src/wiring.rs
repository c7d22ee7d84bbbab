//! Connects adapters to ports: the only module that uses all of them.

use std::{collections::BTreeMap, sync::Arc};

use app::{Ports, StoredIdentities, StoredRegister};
use azul::{Azul, StoredAccounts};
use dgii::{Composer, Dgii};
use domain::{account::Provider, catalog::Catalog, money::AmountLimits};
use pdf::PdfRenderer;
use ports::{AccountProvider, CardProvider, Clock, CredentialVault, TaxAuthority, TaxpayerDirectory};
use sandbox::{Acquirer, Authority, Directory, Faults};
use xml_signer::XmlSigner;

use crate::{
    config::DgiiSettings,
    failure::{Context, Done, Failure},
    ids::RandomIds,
    known_keys::KnownKeys,
    stores::Stores,
};

/// External services of a sale.
pub(crate) struct Outside {
    pub(crate) providers: BTreeMap<Provider, Arc<dyn CardProvider>>,
    /// Connection to AZUL; the store has the credentials.
    pub(crate) azul: Option<azul::AzulConnection>,
    pub(crate) authority: AuthorityAt,
    /// Directory of taxpayers; `None` for the register that was imported into the store.
    pub(crate) directory: Option<Arc<dyn TaxpayerDirectory>>,
}

/// Where documents go.
pub(crate) enum AuthorityAt {
    /// A simulator in the process.
    Here(Arc<dyn TaxAuthority>),
    /// Returns the adapter of DGII. The certificates in the store authenticate us.
    Dgii(Box<dgii::DgiiConnection>),
}

impl Outside {
    /// AZUL and DGII, and the register that DGII publishes.
    pub(crate) fn real(azul: azul::AzulConnection, dgii: dgii::DgiiConnection) -> Self {
        let authority = AuthorityAt::Dgii(Box::new(dgii));
        Self { providers: BTreeMap::new(), azul: Some(azul), authority, directory: None }
    }

    /// Returns AZUL with simulators that lose their state with the process. DGII replaces the simulated authority if a
    /// setting names the URL.
    pub(crate) fn simulated(azul: azul::AzulConnection, dgii: DgiiSettings, clock: &Arc<dyn Clock>) -> Self {
        let faults = Arc::new(Faults::default());
        let acquirer = Acquirer::in_memory(clock.clone(), faults.clone());
        let here = Authority::in_memory(Arc::new(XmlSigner::default()), clock.clone(), faults.clone());
        let authority = match dgii.is_named {
            true => AuthorityAt::Dgii(Box::new(dgii.connection)),
            false => AuthorityAt::Here(Arc::new(here)),
        };
        Self {
            providers: BTreeMap::from([(Provider::Simulator, Arc::new(acquirer) as Arc<dyn CardProvider>)]),
            azul: Some(azul),
            authority,
            directory: Some(Arc::new(Directory::new(faults))),
        }
    }
}

/// Everything that the use cases need.
pub(crate) fn ports(
    stores: Stores,
    outside: Outside,
    vault: Arc<dyn CredentialVault>,
    (clock, catalog): (Arc<dyn Clock>, Catalog),
) -> Done<Ports> {
    let (mut providers, mut accounts) = (outside.providers, BTreeMap::new());
    if let Some(connection) = outside.azul {
        let stored = StoredAccounts::new(stores.database.clone(), vault.clone(), clock.clone());
        let azul = Arc::new(Azul::new(connection, Arc::new(stored), clock.clone()));
        providers.insert(Provider::Azul, azul.clone() as Arc<dyn CardProvider>);
        accounts.insert(Provider::Azul, azul as Arc<dyn AccountProvider>);
    }
    let signer = Arc::new(XmlSigner::default());
    let authority = match outside.authority {
        AuthorityAt::Here(authority) => authority,
        AuthorityAt::Dgii(connection) => {
            let (merchants, vault) = (stores.database.clone(), vault.clone());
            let identities = StoredIdentities::new(merchants, vault, signer.clone(), clock.clone());
            let dgii = Dgii::new(*connection, Arc::new(identities), clock.clone());
            Arc::new(dgii.or_fail("DGII cannot be reached in this way")?)
        }
    };
    let clock_guard = Arc::new(stores.clock_guard(&clock));
    let directory = match (outside.directory, stores.register) {
        (Some(directory), _) => directory,
        (None, Some(register)) => Arc::new(StoredRegister::new(register, clock.clone())),
        (None, None) => return Err(Failure::new("the database keeps no register of taxpayers")),
    };
    let database = stores.database;
    Ok(Ports {
        sales: database.clone(),
        search: database.clone(),
        refunds: database.clone(),
        events: database.clone(),
        work: database.clone(),
        backlog: database.clone(),
        webhooks: database.clone(),
        webhook_log: database.clone(),
        idempotency: database.clone(),
        stored_cards: database.clone(),
        secrets: database.clone(),
        credentials: Arc::new(KnownKeys::of(database.clone())),
        merchants: database.clone(),
        registry: database.clone(),
        setup: database.clone(),
        numbers: database.clone(),
        artifacts: stores.artifacts,
        deliveries: database,
        providers,
        accounts,
        breakers: Arc::default(),
        catalog: Arc::new(catalog),
        authority,
        directory,
        composer: Arc::new(Composer),
        signer,
        printer: Arc::new(PdfRenderer::new().or_fail("nothing can be printed")?),
        vault,
        clock,
        clock_guard,
        ids: Arc::new(RandomIds),
        limits: AmountLimits::default(),
    })
}
