use domain::fiscal::{Environment, TaxId};
use ports::{InterchangeFormat, InterchangeStore, SignatoryTrust, Tenant};

use crate::{Error, Ports};

/// The ports of the interchange with other taxpayers.
#[derive(Clone, Copy)]
pub struct InterchangePorts<'a> {
    /// The outside world.
    pub ports: &'a Ports,
    /// Stores received documents and approvals.
    pub store: &'a dyn InterchangeStore,
    /// The authority's formats.
    pub format: &'a dyn InterchangeFormat,
    /// Decides which signatories are trusted.
    pub trust: &'a dyn SignatoryTrust,
}

/// Endpoint of one taxpayer in one of the authority's environments.
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
}

/// Whether any of the tenants can sign a response.
pub(super) async fn is_ready(interchange: InterchangePorts<'_>, tenants: &[Tenant]) -> Result<bool, Error> {
    let now = interchange.ports.clock.now();
    for tenant in tenants {
        let issuer = interchange.ports.merchants.setup(tenant).await?.issuer;
        if issuer.certificate(now).is_some_and(|it| it.is_valid(now)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the tenants of the endpoint; none if no tenant trades under that number.
pub(super) async fn tenants(
    interchange: InterchangePorts<'_>,
    endpoint: &RecipientEndpoint,
) -> Result<Vec<Tenant>, Error> {
    Ok(interchange.store.recipients(&endpoint.rnc, endpoint.environment).await?)
}
