//! The use cases: one public function per file, ports in, result out.
//!
//! They sequence; they do not decide. What is allowed is said by `domain`, how it is spelled by
//! `wire`, which status it has by `rest`. No runtime, clock, thread or random source is named
//! here, so that a test can drive every step.

mod answer;
mod authenticate;
mod breakers;
mod caller;
mod cancel_payment;
mod change_document;
mod checkout_session;
mod clock_guard;
mod command;
mod create_checkout_token;
mod create_payment;
mod cursor;
mod deliver;
mod error;
mod events;
pub mod exchange;
mod get_artifacts;
mod get_fiscal_document;
mod get_merchant_account;
mod get_payment;
mod held;
mod issue;
mod stored_cards;
mod key_uses;
mod keyed;
mod list;
mod list_payments;
mod list_revisions;
mod listed_buyer;
pub mod merchant;
pub mod operator;
mod outcome;
mod precondition;
mod probe_accounts;
mod provider_call;
mod readiness;
mod reconcile_orphan;
mod request_delivery;
mod return_from_issuer;
mod run_due_work;
mod set_voluntary_tip;
mod settle_payment;
mod split;
mod stored_identities;
mod stored_register;
mod submit_card;
mod tell_switch_off;
mod transact;
mod webhooks;

use std::{collections::BTreeMap, sync::Arc};

use domain::{account::Provider, catalog::Catalog, money::AmountLimits};
use ports::{
    AccountProvider, ArtifactStore, Backlog, CardProvider, Clock, CredentialStore, CredentialVault, EmailStore,
    DocumentComposer, DocumentPrinter, DocumentSigner, EventStore, IdempotencyStore, Ids, StoredCards, MerchantRegistry,
    MerchantStore, NumberStore, SaleSearch, SaleStore, SecretStore, SetupStore, TaxAuthority, TaxpayerDirectory,
    WebhookLog, WebhookQueue, WorkQueue,
};

pub use answer::{Response, Rendered};
pub use authenticate::authenticate;
pub use breakers::Breakers;
pub use caller::{Caller, View};
pub use cancel_payment::cancel_payment;
pub use change_document::{choose_fiscal_document, correct_fiscal_document};
pub use checkout_session::{
    CheckoutSession, CheckoutAccess, find_by_link, find_by_receipt, form_key, note_action, note_visit, open_checkout_session,
    renew_checkout_session, start_checkout_session,
};
pub use clock_guard::ClockGuard;
pub use create_checkout_token::{CreateCheckoutToken, TokenPurpose, CreatedToken, create_checkout_token};
pub use create_payment::{CreatePayment, create_payment};
pub use deliver::{EmailSender, send_due_emails};
pub use error::{
    ArtifactFailure, Authentication, Dependency, Error, Gone, NotFound, Permission, ProviderFailure, Unexpected,
};
pub use events::{get_event, list_events, sweep_events};
pub use get_artifacts::{
    ContingencyCopy, get_contingency_representation, get_printed_representation, get_signed_document,
};
pub use get_fiscal_document::get_fiscal_document;
pub use get_merchant_account::get_merchant_account;
pub use get_payment::get_payment;
pub use held::{KeyLeaseHandle, end_lease, renew_lease};
pub use issue::issue_document;
pub use stored_cards::delete_unused_cards;
pub use key_uses::{KeyUses, write_key_uses};
pub use keyed::Keyed;
pub use list::{Listed, PageRequest};
pub use list_payments::list_payments;
pub use list_revisions::list_revisions;
pub use outcome::RenderSale;
pub use precondition::{IfMatch, sale_version};
pub use probe_accounts::probe_accounts;
pub use readiness::announce_readiness;
pub use request_delivery::request_delivery;
pub use return_from_issuer::{IssuerReturn, ChallengedSale, get_challenge, return_from_issuer};
pub use run_due_work::{run_due_work, sweep_keys, sweep_secrets, sweep_tokens};
pub use set_voluntary_tip::set_voluntary_tip;
pub use settle_payment::settle_payment;
pub use split::{
    capture_split, delete_split, get_part, get_split, may_split, open_split, release_split, renew_split, replace_split,
};
pub use stored_identities::StoredIdentities;
pub use stored_register::StoredRegister;
pub use submit_card::{SubmitCard, submit_card};
pub use webhooks::{InFlight, OutgoingWebhook, SentWebhook, claim_webhooks, send_webhook, settle_webhooks};

// What the edges need to name without knowing the ports crate.
pub use domain::event::EventRecord;
pub use ports::{
    Browser, EventFilter, Instrument, LoggedDelivery, Queue, SaleFilter, Tenant, Waiting, Wallet, WebhookSender, Work,
};

/// The outside world, wired once in `main`.
#[derive(Clone)]
#[expect(missing_docs, reason = "the traits document themselves")]
pub struct Ports {
    pub sales: Arc<dyn SaleStore>,
    pub search: Arc<dyn SaleSearch>,
    pub events: Arc<dyn EventStore>,
    pub work: Arc<dyn WorkQueue>,
    pub backlog: Arc<dyn Backlog>,
    pub idempotency: Arc<dyn IdempotencyStore>,
    pub stored_cards: Arc<dyn StoredCards>,
    pub secrets: Arc<dyn SecretStore>,
    pub credentials: Arc<dyn CredentialStore>,
    pub merchants: Arc<dyn MerchantStore>,
    pub registry: Arc<dyn MerchantRegistry>,
    pub setup: Arc<dyn SetupStore>,
    pub numbers: Arc<dyn NumberStore>,
    pub artifacts: Arc<dyn ArtifactStore>,
    pub deliveries: Arc<dyn EmailStore>,
    pub webhooks: Arc<dyn WebhookQueue>,
    pub webhook_log: Arc<dyn WebhookLog>,
    pub providers: BTreeMap<Provider, Arc<dyn CardProvider>>,
    /// Of those whose accounts are opened with credentials.
    pub accounts: BTreeMap<Provider, Arc<dyn AccountProvider>>,
    /// Who is left alone for a while, since it cannot be reached.
    pub breakers: Arc<Breakers>,
    /// What brands, programs and wallets are called.
    pub catalog: Arc<Catalog>,
    pub authority: Arc<dyn TaxAuthority>,
    pub directory: Arc<dyn TaxpayerDirectory>,
    pub composer: Arc<dyn DocumentComposer>,
    pub signer: Arc<dyn DocumentSigner>,
    pub printer: Arc<dyn DocumentPrinter>,
    pub vault: Arc<dyn CredentialVault>,
    pub clock: Arc<dyn Clock>,
    /// Whether the system's clock can be trusted.
    pub clock_guard: Arc<ClockGuard>,
    pub ids: Arc<dyn Ids>,
    /// The bounds of a payment, a currency each.
    pub limits: AmountLimits,
}
