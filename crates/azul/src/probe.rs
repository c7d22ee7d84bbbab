//! Readiness probe: a look-up that shows whether AZUL accepts the credentials of an account.

use chrono::{DateTime, Utc};
use domain::{
    MerchantAccountId,
    account::{Probe, ProbeVerdict},
};
use ports::AccountProvider;
use x509_parser::pem::Pem;

use crate::{
    Azul, AzulAccount,
    classify::{HttpResult, classify},
    request::{self, Operation},
    response::Body,
    verdict::Class,
};

/// An order id that no attempt has.
const UNUSED_ORDER_ID: &str = "readiness";

impl Azul {
    pub(crate) async fn probe_credentials(&self, id: &MerchantAccountId, account: &AzulAccount) -> Probe {
        let verdict = match request::verify(account, UNUSED_ORDER_ID) {
            Ok(body) => match self.http.send(id, account, Operation::Verify, body).await {
                Ok(result) => verdict(&result),
                // The certificate is unusable, or the key is not the certificate's.
                Err(_) => ProbeVerdict::Rejected,
            },
            Err(_) => ProbeVerdict::Rejected,
        };
        tracing::info!(account = %id, ?verdict, version = account.version, "AZUL probed with the credentials");
        let skew = AccountProvider::clock_skew(self).filter(|_| verdict != ProbeVerdict::Unreachable);
        Probe {
            credential_version: account.version,
            verdict,
            certificate_until: certificate_expiry(account),
            skew,
            at: self.clock.now(),
        }
    }
}

/// Maps the result of the look-up. A regular "not found" shows that AZUL accepted the credentials.
fn verdict(result: &HttpResult) -> ProbeVerdict {
    let HttpResult::Response { body: Body::Fields(response), .. } = result else { return ProbeVerdict::Unreachable };
    if response.boolean("Found").is_some() && !response.is_error() {
        return ProbeVerdict::Accepted;
    }
    // The credentials are valid, but AZUL has not enabled the account (yet).
    if response.text("ErrorDescription").to_ascii_uppercase().starts_with("DISABLED_PROFILE") {
        return ProbeVerdict::Uncertified;
    }
    match classify(result).class {
        Class::Rejected => ProbeVerdict::Rejected,
        _ => ProbeVerdict::Unreachable,
    }
}

/// Returns the end of validity of the client certificate, the first of the chain.
fn certificate_expiry(account: &AzulAccount) -> Option<DateTime<Utc>> {
    let first = Pem::iter_from_buffer(&account.identity).next()?.ok()?;
    let expiry = first.parse_x509().ok()?.validity().not_after.timestamp();
    DateTime::from_timestamp(expiry, 0)
}
