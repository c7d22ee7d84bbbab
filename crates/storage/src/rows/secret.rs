use domain::{AttemptId, CertificateId, MerchantAccountId, WebhookEndpointId};
use ports::{SecretKind, SecretLocation, SecretOf, StoredSecret};

use super::{Inconsistent, restore_tenant};

/// Merchant, mode, identifier of the owner, version, and the secret.
pub(crate) type SecretRow = (String, String, String, i64, Vec<u8>);

pub(crate) fn restore_secret(
    kind: SecretKind,
    (merchant, mode, id, version, sealed): SecretRow,
) -> Result<StoredSecret, Inconsistent> {
    let table = match kind {
        SecretKind::Credentials => "account_credentials",
        SecretKind::SigningKey => "certificates",
        SecretKind::WebhookSecret | SecretKind::PreviousWebhookSecret => "webhook_endpoints",
        SecretKind::StoredCard => "stored_cards",
    };
    let broken = Inconsistent::of(table, &id);
    let tenant = restore_tenant(table, merchant, mode)?;
    let of = match kind {
        SecretKind::Credentials => {
            MerchantAccountId::parse(&id).zip(version.try_into().ok()).map(|(id, n)| SecretOf::Account(id, n))
        }
        SecretKind::SigningKey => CertificateId::parse(&id).map(SecretOf::Certificate),
        SecretKind::WebhookSecret => WebhookEndpointId::parse(&id).map(SecretOf::Endpoint),
        SecretKind::PreviousWebhookSecret => WebhookEndpointId::parse(&id).map(SecretOf::EndpointBefore),
        SecretKind::StoredCard => AttemptId::parse(&id).map(SecretOf::Card),
    };
    Ok(StoredSecret { location: SecretLocation { tenant, of: of.ok_or_else(|| broken("id"))? }, sealed })
}
