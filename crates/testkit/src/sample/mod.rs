//! Values that are valid and boring. A test changes only what it is about.

mod challenge;
mod commit;
mod key;
mod merchant;
mod names;
mod sale;
mod setup;
mod split;

pub use challenge::{browser, challenge, method, returns};
pub use commit::{changed, nothing, opened, wanted};
pub use key::{answer, artifact, key};
pub use merchant::{
    account, certificate, stored_card, merchant_key, profile, range, setting, stored_certificate, tax_id,
};
pub use names::{
    account_id, attempt_id, certificate_id, checkout_reference, digest, document_id, merchant_id, payment_id,
    request_id, symbols, tenant,
};
pub use sale::{attempt, card, delivery, draft, issued, line, numbered, paid, sale, sale_names, signed, token};
pub use setup::{endpoint, new_credentials, setup, switch_off_mail};
pub use split::{left_in_part, paid_in_part, part_attempt, part_attempt_id, reserved, shared, split_setting};

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
