//! Refunds: commits, crash points, credit notes and returns that were found at the acquirer.

mod crash_walk;
mod create;
mod documents;
mod found;
mod on_stores;
mod operators;
mod requests;
mod rows;
mod settle;
mod shop;
pub(crate) mod world;

use domain::{
    fiscal::{Acceptance, Verdict},
    sale::Sale,
    split::CaptureOutcome,
};
use testkit::sample;

/// A sale that this many payers have paid, whose document is issued.
fn shared(part_count: u8) -> Sale {
    let mut sale = sample::authorized_split(1, part_count);
    sale.capture(sample::noon()).unwrap();
    for ordinal in 1..=part_count {
        let attempt = sample::part_attempt_id(1, ordinal, 2);
        sale.begin_call(ordinal, attempt.clone(), sample::noon()).unwrap();
        sale.apply_capture(&attempt, CaptureOutcome::Captured, sample::noon()).unwrap();
    }
    let document = &mut sale.document;
    document.numbered(sample::numbered(1), sample::noon()).unwrap();
    document.signed(sample::signed(1), sample::noon()).unwrap();
    document.submitting(sample::noon()).unwrap();
    document.apply_verdict(Verdict::Accepted(Acceptance::Accepted), sample::noon()).unwrap();
    sale
}
