use chrono::TimeDelta;
use domain::{
    AttemptId,
    attempt::{Attempt, AttemptKind},
    money::AmountLimits,
    sale::Sale,
    split::{AuthorizationAnswer, Organizer, SplitDraft, SplitSetting, SplitWindow},
};

use super::{attempt, attempt_id, card, noon, sale};

/// A merchant who wants splits, on an account that can make them.
pub fn split_setting() -> SplitSetting {
    SplitSetting {
        is_split_enabled: true,
        can_authorize: true,
        window: SplitWindow::default(),
        limits: AmountLimits::default(),
    }
}

/// The `n`th sale, shared at [`noon`] by this many payers, none of whom has paid.
pub fn shared(n: u32, part_count: i64) -> Sale {
    let mut sale = sale(n);
    let draft = SplitDraft::Equal { part_count };
    sale.open_split(&draft, Organizer::Payer, &split_setting(), noon()).expect("an open sale is split");
    sale
}

/// The `n`th sale, shared by this many payers, all of whose shares are reserved for seven days from [`noon`] on.
pub fn reserved(n: u32, part_count: u8) -> Sale {
    let mut sale = shared(n, part_count.into());
    for ordinal in 1..=part_count {
        let attempt = part_attempt_id(n, ordinal, 1);
        let held = AuthorizationAnswer::Approved { valid_until: noon() + TimeDelta::days(7) };
        sale.submit_part(ordinal, attempt.clone(), card(), noon()).expect("an unpaid part takes a card");
        sale.authorization_answered(&attempt, held, noon()).expect("a card in flight is answered");
    }
    sale
}

/// The name of the attempt at that place on a part of the `n`th sale: apart from those of whole sales.
pub fn part_attempt_id(n: u32, ordinal: u8, place: u32) -> AttemptId {
    attempt_id(1_000_000 + n * 10_000 + u32::from(ordinal) * 100 + place)
}

/// The attempt of that name, which the provider may or may not have heard of.
pub fn part_attempt(n: u32, ordinal: u8, place: u32, kind: AttemptKind) -> Attempt {
    let amount = shared(n, 2).payment.split().expect("it is shared").parts()[0].share.amount;
    Attempt { id: part_attempt_id(n, ordinal, place), part: Some(ordinal), kind, amount, ..attempt(n) }
}
