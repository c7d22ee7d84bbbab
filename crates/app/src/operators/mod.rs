//! Commands of the operator of a deployment.

mod annul;
mod checkup;
mod contested;
mod credentials;
mod documents;
mod error;
mod key_check;
mod keys;
mod numbers;
mod payments;
mod rates;
mod refund_checkup;
mod refunds;
mod register;
mod replay;
mod reseal;
mod setup;
mod skip;
mod surrender;
mod survey;

pub use crate::refunds::SettleRefund;
pub use annul::{
    AnnulmentNotSent, AnnulmentOutcome, AnnulmentPorts, AnnulmentRequest, annul_numbers, resume_annulment,
};
pub use checkup::{Finding, Severity, of_accounts, of_certificates, of_clocks, of_key, of_register, of_sequences};
pub use credentials::set_credentials;
pub use documents::{inspect_document, reissue_document};
pub use error::SetupError;
pub use key_check::{KeyFault, check_key, inspect_key, replace_key};
pub use keys::{KeyRestriction, ListedKey, create_key, create_restricted_key, list_keys, revoke_key, rotate_key};
pub use numbers::{NumberReport, NumberVisitor, RangeReport, VisitedNumbers, report_numbers};
pub use payments::{find_payments, inspect_payment};
pub use rates::{QuotedRate, set_rate};
pub use refund_checkup::{of_credit_note_numbers, of_refunds};
pub use refunds::{inspect_refund, refunds_of_payment, settle_refund_leg};
pub use register::import_register;
pub use replay::replay_events;
pub use reseal::{Resealed, count_lost, reseal_secrets};
pub use setup::{Grant, add_sequence, create_account, create_merchant, import_certificates};
pub use skip::{SkipRequest, Skipped, skip_numbers};
pub use survey::{Survey, TenantSetup, ask_accounts, survey};
