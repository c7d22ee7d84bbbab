use std::{collections::BTreeMap, sync::Arc};

use domain::{account::Provider, fiscal::NumberRange};
use ports::CardProvider;
use sandbox::{Acquirer, Authority, Directory, Faults, MailServer, MovableClock};
use xml_signer::XmlSigner;

use super::data::DataFolder;
use crate::{
    failure::{Context, Done},
    wiring::{AuthorityAt, Outside},
};

/// Everyone outside, simulated, and the clock that they and we go by.
#[derive(Clone)]
pub(super) struct World {
    pub(super) clock: Arc<MovableClock>,
    pub(super) faults: Arc<Faults>,
    pub(super) acquirer: Arc<Acquirer>,
    pub(super) authority: Arc<Authority>,
    pub(super) mail: Arc<MailServer>,
}

impl World {
    /// Opens the simulators with the state of the folder. The pages of the issuer have that address.
    pub(super) fn open(data: &DataFolder, issuer_at: &str) -> Done<Self> {
        let faults = Arc::new(Faults::default());
        let clock = Arc::new(MovableClock::open(&data.file("clock")).or_fail("the clock cannot be set")?);

        let acquirer = Acquirer::open(&data.file("acquirer.journal"), clock.clone(), faults.clone());
        let signer = Arc::new(XmlSigner::new());
        let authority = Authority::open(&data.file("authority.journal"), signer, clock.clone(), faults.clone());
        let mail = MailServer::open(&data.file("mail.journal"), faults.clone());
        Ok(Self {
            clock,
            faults,
            acquirer: Arc::new(acquirer.or_fail("the acquirer cannot be simulated")?.with_issuer_url(issuer_at)),
            authority: Arc::new(authority.or_fail("the authority cannot be simulated")?),
            mail: Arc::new(mail.or_fail("the mail server cannot be simulated")?),
        })
    }

    /// Grants numbers at the authority, which refuses all others from then on.
    pub(super) fn grant(&self, ranges: &[NumberRange]) {
        for range in ranges {
            self.authority.grant(&range.issuer, range.environment, range.kind, range.first, range.last);
        }
    }

    /// Adapters of the ports.
    pub(super) fn outside(&self) -> Outside {
        let acquirer: Arc<dyn CardProvider> = self.acquirer.clone();
        Outside {
            providers: BTreeMap::from([(Provider::Simulator, acquirer)]),
            azul: None,
            authority: AuthorityAt::Here(self.authority.clone()),
            directory: Some(Arc::new(Directory::new(self.faults.clone()))),
        }
    }
}
