//! Interfaces between the use cases and the outside world.
//!
//! A port is a trait in the terms of the business. Its signatures use domain types only and take `&self`; an
//! implementation is shared as `Arc<dyn Port>`. The `mocks` feature adds a `mockall` double of each port.

mod accounts;
mod artifacts;
mod authentication;
mod authority;
mod backlog;
mod clock;
mod commit;
mod composer;
mod credentials;
mod directory;
mod emails;
mod events;
mod idempotency;
mod ids;
mod interchange;
mod ledger;
mod mail;
mod merchants;
mod numbers;
mod printer;
mod provider;
mod register;
mod sales;
mod search;
mod secrets;
mod setup;
mod signer;
mod stored_cards;
mod tenant;
mod vault;
mod webhook_log;
mod webhook_queue;
mod webhooks;
mod work;

pub use accounts::{AccountProvider, CredentialFault, Credentials, ProbeReport};
pub use artifacts::ArtifactStore;
pub use authentication::{AuthStep, Authentication, Browser, ReturnUrls, Screen};
pub use authority::{Inquiry, Submission, TaxAuthority};
pub use backlog::{Backlog, COUNT_LIMIT, Queue, Waiting};
pub use clock::{Clock, ReferenceClock};
pub use commit::{Artifact, ArtifactKind, BrowserReturn, Change, Commit, Committed, KeyChange};
pub use composer::{DocumentComposer, Malformed};
pub use credentials::{CredentialStore, KeyUse, StoredKey};
pub use directory::TaxpayerDirectory;
pub use emails::{DisabledEmailId, DocumentEmailId, DueMail, EmailStore};
pub use events::{EventFilter, EventStore};
pub use idempotency::{IdempotencyStore, KeyLease, KeyRecord, KeyScope, KeyState, StoredResponse};
pub use ids::Ids;
pub use interchange::{InterchangeFormat, InterchangeStore, ReceivedDocument, SignatoryTrust, StoredApproval};
pub use ledger::{NumberLedger, RangeAuthority, SignedAnnulment, Withdrawal};
pub use mail::{Attachment, Mail, MailComposer, Mailer, Papers};
pub use merchants::{MerchantRegistry, MerchantStore, RegistryError, Setup, StoredCertificate};
pub use numbers::{NumberError, NumberRequest, NumberStore};
pub use printer::{DocumentPrinter, Unprintable};
pub use provider::{
    AttemptRef, CallOutcome, CardProvider, CardToken, Charge, Hold, Instrument, LookUp, NotSubmitted, Opening,
    ProviderResponse, Wallet,
};
pub use register::{Listing, RegisterCopy, RegisterEntry, TaxpayerRegister};
pub use sales::SaleStore;
pub use search::{Page, Position, Revision, SaleFilter, SaleIdentifier, SaleSearch};
pub use secrets::{SecretKind, SecretLocation, SecretOf, SecretStore, StoredSecret};
pub use setup::{
    NewSecret, Replay, ReplayedRange, SetupChange, SetupCommit, SetupStore, StoredEndpoint, secret_context,
};
pub use signer::{
    DocumentSigner, NoSignature, Signatory, SignatureInvalid, SignedXml, SigningFailed, SigningIdentity, TenantSigner,
};
pub use stored_cards::{StoredCard, StoredCards};
pub use tenant::Tenant;
pub use vault::{CredentialVault, VaultSealed};
pub use webhook_log::{LoggedDelivery, WebhookLog};
pub use webhook_queue::{AttemptedDelivery, ClaimLimits, DueDelivery, Recipient, WebhookClaim, WebhookQueue};
pub use webhooks::{WebhookMessage, WebhookOutcome, WebhookSender};
pub use work::{QueuedDocument, Work, WorkQueue};

#[cfg(feature = "mocks")]
pub use {
    accounts::MockAccountProvider, artifacts::MockArtifactStore, authority::MockTaxAuthority, backlog::MockBacklog,
    clock::MockClock, clock::MockReferenceClock, composer::MockDocumentComposer, credentials::MockCredentialStore,
    directory::MockTaxpayerDirectory, emails::MockEmailStore, events::MockEventStore,
    idempotency::MockIdempotencyStore, ids::MockIds, ledger::MockNumberLedger, ledger::MockRangeAuthority,
    mail::MockMailComposer, mail::MockMailer, merchants::MockMerchantRegistry, merchants::MockMerchantStore,
    numbers::MockNumberStore, printer::MockDocumentPrinter, provider::MockCardProvider, register::MockTaxpayerRegister,
    sales::MockSaleStore, search::MockSaleSearch, secrets::MockSecretStore, setup::MockSetupStore,
    signer::MockDocumentSigner, signer::MockTenantSigner, stored_cards::MockStoredCards, vault::MockCredentialVault,
    webhook_log::MockWebhookLog, webhook_queue::MockWebhookQueue, webhooks::MockWebhookSender, work::MockWorkQueue,
};

/// The outside did not respond. The cause is for the log, never for the caller.
#[derive(Debug, thiserror::Error)]
#[error("{what} is unavailable")]
pub struct Unavailable {
    /// Name of the dependency.
    pub what: &'static str,
    /// Why.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}
