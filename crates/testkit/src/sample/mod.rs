//! Valid default values. A test changes only the relevant field.

mod commit;
mod endpoint;
mod idempotency;
mod ids;
mod merchant;
mod note;
mod refund;
mod sale;
mod split;
mod three_ds;

pub use commit::{creation, empty_commit, new_delivery, update};
pub use endpoint::{endpoint, endpoint_disabled_email, new_credentials, setup};
pub use idempotency::{artifact, key, stored_response};
pub use ids::{
    account_id, attempt_id, certificate_id, checkout_reference, digest, document_id, merchant_id, payment_id,
    refund_id, request_id, symbols, tenant,
};
pub use merchant::{
    account, certificate, merchant_key, probe, profile, range, sale_context, stored_card, stored_certificate, tax_id,
};
pub use note::{credit_note, note_number};
pub use refund::{
    begin_refund, call_leg, find_return, not_refunded, note_id, refund_change, refund_draft, refund_facts, refund_of,
    refund_terms,
};
pub use sale::{
    attempt, card, delivery, draft, issued, line, numbered, paid, rejected, sale, sale_ids, signed, submitted, token,
};
pub use split::{
    authorized_split, left_in_part, paid_in_part, part_attempt, part_attempt_id, split_context, split_sale,
};
pub use three_ds::{browser, challenge, method, returns};

use chrono::{DateTime, NaiveDate, Utc};
use domain::fiscal::local_date;

/// 1 March 2026, noon UTC; eight in the morning in the Dominican Republic.
pub fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_772_366_400, 0).expect("a day in our century")
}

/// The Dominican day of [`noon`].
pub fn today() -> NaiveDate {
    local_date(noon())
}
