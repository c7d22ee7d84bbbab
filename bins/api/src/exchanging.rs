use std::{path::Path, sync::Arc};

use actix_web::dev::RequestHead;
use app::interchange::{InterchangeStore, SignatoryTrust};
use chrono::{DateTime, Utc};
use dgii::Composer;
use ecf_inbox::{CallerLimiter, EcfInbox};
use rest::State;
use xml_signer::TrustStore;

use crate::{
    failure::{Context, Done},
    text_file,
};

/// Endpoints for other taxpayers, with the limits of the interface.
pub(crate) fn receiver(state: &State, store: Arc<dyn InterchangeStore>, trust: Arc<dyn SignatoryTrust>) -> EcfInbox {
    let callers = Arc::new(Known(state.clone()));
    EcfInbox { ports: state.ports.clone(), store, format: Arc::new(Composer), trust, callers }
}

/// Reads the CA certificates that issue certificates to taxpayers.
pub(crate) fn trusted(authorities: &Path) -> Done<Arc<dyn SignatoryTrust>> {
    let pem = text_file::read(authorities)?;
    let trusted = TrustStore::read(&pem).or_fail(format!("{} cannot be trusted", authorities.display()))?;
    Ok(Arc::new(trusted))
}

/// Accepts any certificate, for the sandbox.
pub(crate) struct AnySignatory;

impl SignatoryTrust for AnySignatory {
    fn vouches_for(&self, _: &[u8], _: DateTime<Utc>) -> bool {
        true
    }
}

struct Known(State);

impl CallerLimiter for Known {
    fn admits(&self, head: &RequestHead) -> Result<(), u64> {
        self.0.admits_interchange(head)
    }

    fn note(&self, head: &RequestHead) {
        self.0.note_failed_interchange(head);
    }
}
