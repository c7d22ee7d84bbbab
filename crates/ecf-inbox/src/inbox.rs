use std::sync::Arc;

use actix_web::dev::RequestHead;
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
