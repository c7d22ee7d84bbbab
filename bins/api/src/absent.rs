//! What stands in for outside services that this program cannot reach. Nothing is pretended: a
//! document waits until there is somebody to send it to.

use async_trait::async_trait;
use domain::fiscal::{TaxId, Taxpayer, Verdict};
use ports::{Inquiry, Submission, TaxAuthority, TaxpayerDirectory, Unavailable};

/// Nobody there.
pub(crate) struct Absent;

#[async_trait]
impl TaxAuthority for Absent {
    async fn submit(&self, _: Submission) -> Verdict {
        Verdict::Unavailable
    }

    async fn inquire(&self, _: Inquiry) -> Verdict {
        Verdict::Unavailable
    }
}

#[async_trait]
impl TaxpayerDirectory for Absent {
    async fn find(&self, _: &TaxId) -> Result<Option<Taxpayer>, Unavailable> {
        Err(Unavailable { what: "the taxpayer directory", source: "none is wired".into() })
    }
}
