//! What every electronic taxpayer offers to every other, by the standard of the tax authority: a seed and a token, the
//! reception of documents, and of what buyers say of ours. It is beside the interface: XML comes, nobody has an API key,
//! and whoever comes shows by a signature who it is.
//!
//! Source: DGII, *Descripción técnica de facturación electrónica*, on the communication between issuer and receiver.

mod bring;
mod doors;
mod respond;

use std::sync::Arc;

use actix_web::{
    dev::RequestHead,
    web::{self, Data, ServiceConfig},
};
use app::{
    Ports,
    interchange::{InterchangeFormat, InterchangePorts, InterchangeStore, SignatoryTrust},
};

/// Everything that callers are served with.
#[derive(Clone)]
pub struct EcfInbox {
    /// The outside world.
    pub ports: Ports,
    /// What is kept of what came.
    pub store: Arc<dyn InterchangeStore>,
    /// The authority's formats.
    pub format: Arc<dyn InterchangeFormat>,
    /// Who may sign.
    pub trust: Arc<dyn SignatoryTrust>,
    /// Who asks.
    pub callers: Arc<dyn CallerLimiter>,
}

/// What whoever takes requests in knows of where they come from.
pub trait CallerLimiter: Send + Sync {
    /// Whether the address is heard now, which may have shown too much that is no good.
    ///
    /// # Errors
    ///
    /// It is not, for so many seconds.
    fn admits(&self, head: &RequestHead) -> Result<(), u64>;

    /// The address showed something that is no good.
    fn note(&self, head: &RequestHead);
}

impl EcfInbox {
    pub(crate) fn counter(&self) -> InterchangePorts<'_> {
        InterchangePorts { ports: &self.ports, store: &*self.store, format: &*self.format, trust: &*self.trust }
    }
}

/// The doors of all merchants, each below its environment and taxpayer number, as in `/ecf/131880681/fe/…`. What comes after
/// that is the standard's, in which others mix small letters and capitals as they like.
pub fn routes(config: &mut ServiceConfig, receiver: EcfInbox) {
    let place = "/{environment:testecf|certecf|ecf}/{rnc:[0-9]{9}|[0-9]{11}}/{service:[Ff][Ee]/.{1,60}}";
    config.service(web::resource(place).app_data(Data::new(receiver)).to(doors::open));
}
