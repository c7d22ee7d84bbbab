use chrono::TimeDelta;
use domain::{
    AttemptId,
    attempt::{Attempt, AttemptKind},
    money::AmountLimits,
    sale::Sale,
    split::{AuthorizationOutcome, CaptureOutcome, Organizer, ReleaseOutcome, SplitContext, SplitDraft, SplitWindow},
};

use super::{attempt, attempt_id, card, noon, sale};

/// A merchant with splits, on an account that supports them.
pub fn split_context() -> SplitContext {
    SplitContext {
        is_split_enabled: true,
        can_authorize: true,
        window: SplitWindow::default(),
        limits: AmountLimits::default(),
    }
}

/// The `n`th sale, split at [`noon`] among this many payers, all unpaid.
pub fn split_sale(n: u32, part_count: i64) -> Sale {
    let mut sale = sale(n);
    let draft = SplitDraft::Equal { part_count };
    sale.open_split(&draft, Organizer::Payer, &split_context(), noon()).expect("an open sale is split");
    sale
}

/// The `n`th sale, split among this many payers, all of whose shares are reserved for seven days from [`noon`] on.
pub fn authorized_split(n: u32, part_count: u8) -> Sale {
    let mut sale = split_sale(n, part_count.into());
    for ordinal in 1..=part_count {
        let attempt = part_attempt_id(n, ordinal, 1);
        let held = AuthorizationOutcome::Approved { valid_until: noon() + TimeDelta::days(7), is_card_stored: false };
        sale.submit_part(ordinal, attempt.clone(), card(), noon()).expect("an unpaid part takes a card");
        sale.apply_authorization(&attempt, held, noon()).expect("a card in flight is answered");
    }
    sale
}

/// The `n`th sale, split among two: the first has paid at [`noon`], the second share waits for another capture.
pub fn paid_in_part(n: u32) -> Sale {
    let mut sale = authorized_split(n, 2);
    sale.capture(noon()).expect("what is reserved is captured");
    for (ordinal, answer) in [(1, CaptureOutcome::Captured), (2, CaptureOutcome::Refused)] {
        let attempt = part_attempt_id(n, ordinal, 2);
        sale.begin_call(ordinal, attempt.clone(), noon()).expect("a capture is due");
        sale.apply_capture(&attempt, answer, noon()).expect("an open call is answered");
    }
    sale
}

/// The `n`th sale, [paid in part](paid_in_part); its other share was voided at [`noon`]: completion is impossible.
pub fn left_in_part(n: u32) -> Sale {
    let mut sale = paid_in_part(n);
    sale.release(noon()).expect("what is reserved is given back");
    let attempt = part_attempt_id(n, 2, 3);
    sale.begin_call(2, attempt.clone(), noon()).expect("a release is due");
    sale.apply_release(&attempt, ReleaseOutcome::Released, noon()).expect("an open call is answered");
    sale
}

/// Identifier of an attempt on a part of the `n`th sale; distinct from those of whole sales.
pub fn part_attempt_id(n: u32, ordinal: u8, place: u32) -> AttemptId {
    attempt_id(1_000_000 + n * 10_000 + u32::from(ordinal) * 100 + place)
}

/// The attempt with that identifier, with an unknown state at the provider.
pub fn part_attempt(n: u32, ordinal: u8, place: u32, kind: AttemptKind) -> Attempt {
    let amount = split_sale(n, 2).payment.split().expect("it is shared").parts()[0].share.amount;
    Attempt { id: part_attempt_id(n, ordinal, place), part: Some(ordinal), kind, amount, ..attempt(n) }
}
