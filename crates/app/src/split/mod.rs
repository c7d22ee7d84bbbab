//! Bills that several payers share: one function for each operation, and what they have in common.
//!
//! What must be asked of the provider is in the sale itself, so it survives whoever asks. Each
//! call stands between two commits like any other: [`call`] is one of them, [`drive`] makes
//! several, and both a command and the worker go through it.

mod begin;
mod call;
mod capture;
mod cut;
mod delete;
mod drive;
mod get;
mod heard;
mod release;
mod renew;
mod resume;
mod setting;
mod settle;

pub use capture::capture_split;
pub use cut::{open_split, replace_split};
pub use delete::delete_split;
pub use get::{get_part, get_split};
pub use release::release_split;
pub use renew::renew_split;
pub use setting::may_split;

pub(crate) use begin::{Command, carry_out};
pub(crate) use call::new_attempt;
pub(crate) use heard::authorization;
pub(crate) use setting::may_outlast;
pub(crate) use settle::{pass_time, settle_split};

use domain::{Split, sale::Sale};

use crate::{Error, NotFound};

/// The split of a sale.
pub(crate) fn split_of(sale: &Sale) -> Result<&Split, Error> {
    sale.payment.split().ok_or(Error::NotFound(NotFound::PaymentSplitNotFound, None))
}
