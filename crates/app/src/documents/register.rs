use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::fiscal::{TaxId, Taxpayer};
use ports::{Clock, Listing, TaxpayerDirectory, TaxpayerRegister, Unavailable};

/// Maximum age of a copy that is used: the status of a taxpayer may have changed since.
///
/// DGII publishes the register every Saturday, so that one copy may be missed.
pub(crate) const FRESH: TimeDelta = TimeDelta::days(14);
/// Age from which a copy causes a warning: DGII has published a newer one.
pub(crate) const REPLACED: TimeDelta = TimeDelta::days(7);

/// The register of taxpayers, in the newest copy that an operator has imported.
pub struct StoredRegister {
    register: Arc<dyn TaxpayerRegister>,
    clock: Arc<dyn Clock>,
}

impl StoredRegister {
    /// The copies in `register`.
    pub fn new(register: Arc<dyn TaxpayerRegister>, clock: Arc<dyn Clock>) -> Self {
        Self { register, clock }
    }
}

#[async_trait]
impl TaxpayerDirectory for StoredRegister {
    async fn find(&self, tax_id: &TaxId) -> Result<Option<Taxpayer>, Unavailable> {
        let unavailable = |why: String| Unavailable { what: "the taxpayer directory", source: why.into() };
        let listing = self.register.look_up(tax_id).await?;
        let Listing { as_of, entry } = listing.ok_or_else(|| unavailable("no copy was imported".to_owned()))?;
        if self.clock.now().signed_duration_since(as_of) > FRESH {
            return Err(unavailable(format!("the newest copy is of {}, which is too old", as_of.date_naive())));
        }
        Ok(entry.map(|it| Taxpayer::registered(tax_id.clone(), it.legal_name, &it.status)))
    }

    async fn lists(&self, tax_id: &TaxId) -> Result<bool, Unavailable> {
        let listing = self.register.look_up(tax_id).await?;
        Ok(listing.is_some_and(|it| it.entry.is_some()))
    }

    async fn as_of(&self) -> Result<Option<DateTime<Utc>>, Unavailable> {
        self.register.in_force().await
    }
}
