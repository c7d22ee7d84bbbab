//! What stands in for outside services that this program cannot reach. Nothing is pretended: a
//! document waits until there is somebody to ask.

use async_trait::async_trait;
use domain::fiscal::{TaxId, Taxpayer};
use ports::{TaxpayerDirectory, Unavailable};

/// Nobody there.
pub(crate) struct Absent;

#[async_trait]
impl TaxpayerDirectory for Absent {
    async fn find(&self, _: &TaxId) -> Result<Option<Taxpayer>, Unavailable> {
        Err(Unavailable { what: "the taxpayer directory", source: "none is wired".into() })
    }
}
