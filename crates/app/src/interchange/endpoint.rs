use domain::{
    Mode,
    fiscal::{Environment, TaxId},
};
use ports::{InterchangeFormat, InterchangeStore, SignatoryTrust, Tenant};

use crate::{Error, Ports};

/// What the exchange with other taxpayers needs, beside the rest.
#[derive(Clone, Copy)]
pub struct InterchangePorts<'a> {
    /// The outside world.
    pub ports: &'a Ports,
    /// What is kept of what came.
    pub store: &'a dyn InterchangeStore,
    /// The authority's formats.
    pub format: &'a dyn InterchangeFormat,
    /// Who may sign.
    pub trust: &'a dyn SignatoryTrust,
}

/// At whose door somebody stands: a taxpayer's, in one of the authority's environments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientEndpoint {
    /// Where documents have value.
    pub environment: Environment,
    /// The taxpayer.
    pub rnc: TaxId,
}

impl RecipientEndpoint {
    /// The door of that path, as in `ecf` and `131880681`.
    pub fn of(environment: &str, rnc: &str) -> Option<Self> {
        let environment = Environment::from_code(environment)?;
        let rnc = TaxId::parse(rnc).ok().filter(|it| it.as_str() == rnc)?;
        Some(Self { environment, rnc })
    }

    /// Which mode documents of the environment belong to.
    pub(crate) fn mode(&self) -> Mode {
        if self.environment == Environment::Production { Mode::Live } else { Mode::Test }
    }
}

/// Whether any of them can sign what it would have to answer.
pub(super) async fn is_ready(counter: InterchangePorts<'_>, tenants: &[Tenant]) -> Result<bool, Error> {
    let now = counter.ports.clock.now();
    for tenant in tenants {
        let issuer = counter.ports.merchants.setup(tenant).await?.issuer;
        if issuer.certificate(now).is_some_and(|it| it.is_valid(now)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The tenants behind the door; none if nobody of ours trades under that number.
pub(super) async fn tenants(counter: InterchangePorts<'_>, door: &RecipientEndpoint) -> Result<Vec<Tenant>, Error> {
    let tenants = counter.store.recipients(&door.rnc, door.environment).await?;
    debug_assert!(tenants.iter().all(|it| it.mode == door.mode()), "a store knows which mode an environment is of");
    Ok(tenants)
}
