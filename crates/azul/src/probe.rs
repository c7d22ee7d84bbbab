//! Whether AZUL takes the credentials of an account: a look-up of what was never charged.

use chrono::{DateTime, Utc};
use domain::{
    MerchantAccountId,
    account::{Probe, ProbeVerdict},
};
use ports::AccountProvider;
use x509_parser::pem::Pem;

use crate::{
    Azul, AzulAccount,
    answer::Body,
    classify::{Class, Wire, classify},
    request::{self, Operation},
};

/// No attempt has such a name.
const NOTHING: &str = "readiness";

impl Azul {
    /// Asks, and says what came of it.
    pub(crate) async fn ask_for_readiness(&self, id: &MerchantAccountId, account: &AzulAccount) -> Probe {
        let body = request::verify(account, NOTHING);
        let seen = match body {
            Some(body) => self.line.ask(id, account, Operation::Verify, body).await,
            None => return self.found(account, ProbeVerdict::Rejected),
        };
        let verdict = match seen {
            Ok(seen) => verdict(&seen),
            // A certificate that is none, or not the key's: no connection is tried with it.
            Err(_) => ProbeVerdict::Rejected,
        };
        tracing::info!(account = %id, ?verdict, version = account.version, "AZUL was asked whether it takes credentials");
        self.found(account, verdict)
    }

    fn found(&self, account: &AzulAccount, verdict: ProbeVerdict) -> Probe {
        let at = self.clock.now();
        let skew = AccountProvider::clock_skew(self).filter(|_| verdict != ProbeVerdict::Unreachable);
        Probe { credential_version: account.version, verdict, certificate_until: certificate_until(account), skew, at }
    }
}

/// Whoever says that there is nothing has taken the credentials.
fn verdict(seen: &Wire) -> ProbeVerdict {
    let Wire::Answered { body: Body::Said(answer), .. } = seen else { return ProbeVerdict::Unreachable };
    if answer.truth("Found").is_some() && !answer.text("ResponseCode").eq_ignore_ascii_case("Error") {
        return ProbeVerdict::Accepted;
    }
    // They are known, and the account behind them is not switched on (yet).
    if answer.text("ErrorDescription").to_ascii_uppercase().starts_with("DISABLED_PROFILE") {
        return ProbeVerdict::Uncertified;
    }
    match classify(seen).class {
        Class::Rejected => ProbeVerdict::Rejected,
        _ => ProbeVerdict::Unreachable,
    }
}

/// The last moment of the certificate that is shown: the first of the chain.
fn certificate_until(account: &AzulAccount) -> Option<DateTime<Utc>> {
    let first = Pem::iter_from_buffer(&account.identity).next()?.ok()?;
    let until = first.parse_x509().ok()?.validity().not_after.timestamp();
    DateTime::from_timestamp(until, 0)
}
