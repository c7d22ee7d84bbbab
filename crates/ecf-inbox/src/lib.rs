//! Services that every electronic taxpayer offers to the others by the tax authority's standard: seed and token,
//! reception of documents, and reception of commercial approvals. They are separate from the API: requests contain XML
//! instead of JSON, and a signature identifies the sender instead of an API key.
//!
//! Source: DGII, *Descripción técnica de facturación electrónica*, on the communication between issuer and receiver.

mod handlers;
mod responses;
mod upload;

use std::sync::Arc;

use actix_web::{
    dev::RequestHead,
    web::{self, Data, ServiceConfig},
};
use app::{
    Ports,
    interchange::{InterchangeFormat, InterchangePorts, InterchangeStore, SignatoryTrust},
};

/// Dependencies of the handlers.
#[derive(Clone)]
pub struct EcfInbox {
    /// Ports of the application.
    pub ports: Ports,
    /// Store of received documents.
    pub store: Arc<dyn InterchangeStore>,
    /// The authority's formats.
    pub format: Arc<dyn InterchangeFormat>,
    /// Certificates that are trusted.
    pub trust: Arc<dyn SignatoryTrust>,
    /// Rate limits by address.
    pub callers: Arc<dyn CallerLimiter>,
}

/// Rate limit for addresses that sent invalid tokens or signatures.
pub trait CallerLimiter: Send + Sync {
    /// Checks the limit of an address.
    ///
    /// # Errors
    ///
    /// Seconds until the next request is allowed.
    fn admits(&self, head: &RequestHead) -> Result<(), u64>;

    /// Counts an invalid token or signature.
    fn note(&self, head: &RequestHead);
}

impl EcfInbox {
    pub(crate) fn counter(&self) -> InterchangePorts<'_> {
        InterchangePorts { ports: &self.ports, store: &*self.store, format: &*self.format, trust: &*self.trust }
    }
}

/// Adds the services of all merchants, each below its environment and RNC, such as `/ecf/131880681/fe/…`. The rest of
/// the path is defined by the standard; other systems vary its case.
pub fn routes(config: &mut ServiceConfig, inbox: EcfInbox) {
    let place = "/{environment:testecf|certecf|ecf}/{rnc:[0-9]{9}|[0-9]{11}}/{service:[Ff][Ee]/.{1,60}}";
    config.service(web::resource(place).app_data(Data::new(inbox)).to(handlers::route));
}
