//! One bill and several payers.

mod challenges;
mod commands;
mod life;
mod replacement;
mod shares;
mod violations;
mod walk;

pub(crate) use commands::refusals;
pub(crate) use walk::moves_of_the_payment;

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    AttemptId, Event, EventKind,
    money::AmountLimits,
    payment::Action,
    sale::Sale,
    split::{
        AuthorizationOutcome, CaptureOutcome, Effect, Organizer, Part, PartState, ReleaseOutcome, Renewal, Split,
        SplitContext, SplitDraft, SplitWindow, check,
    },
};

use crate::support::{after, attempt, card, noon, sale, symbols};

pub(crate) fn context() -> SplitContext {
    SplitContext {
        is_split_enabled: true,
        can_authorize: true,
        window: SplitWindow::default(),
        limits: AmountLimits::default(),
    }
}

pub(crate) fn renewal() -> Renewal {
    Renewal { window: SplitWindow::default(), is_paid_otherwise: false, account: Ok(()) }
}

pub(crate) fn shared_by(count: i64) -> Sale {
    let mut sale = sale();
    sale.open_split(&SplitDraft::Equal { part_count: count }, Organizer::Payer, &context(), noon()).unwrap();
    sale
}

pub(crate) fn split(sale: &Sale) -> &Split {
    sale.payment.split().unwrap()
}

pub(crate) fn part(sale: &Sale, ordinal: u8) -> &Part {
    split(sale).part(ordinal).unwrap()
}

pub(crate) fn part_states(sale: &Sale) -> Vec<PartState> {
    split(sale).part_states()
}

/// The issuer requires a challenge.
pub(crate) fn challenged() -> AuthorizationOutcome {
    let action = Action::Challenge { address: "https://acs.example/".to_owned(), request: "e30=".to_owned() };
    AuthorizationOutcome::ChallengeRequired(symbols(1), action)
}

/// The name of the `n`th try for a part.
pub(crate) fn name(ordinal: u8, n: u32) -> AttemptId {
    attempt(u32::from(ordinal) * 100 + n)
}

/// The usual validity of a hold.
pub(crate) fn held(now: DateTime<Utc>) -> AuthorizationOutcome {
    AuthorizationOutcome::Approved { valid_until: now + TimeDelta::days(7), is_card_stored: false }
}

pub(crate) fn submitted(mut sale: Sale, ordinal: u8) -> Sale {
    sale.submit_part(ordinal, name(ordinal, 1), card(), noon()).unwrap();
    sale
}

pub(crate) fn answered(sale: Sale, ordinal: u8, answer: AuthorizationOutcome) -> Sale {
    let mut sale = submitted(sale, ordinal);
    sale.apply_authorization(&name(ordinal, 1), answer, noon()).unwrap();
    sale
}

pub(crate) fn reserved(mut sale: Sale, ordinals: &[u8]) -> Sale {
    for &ordinal in ordinals {
        sale = answered(sale, ordinal, held(noon()));
    }
    sale
}

pub(crate) fn captured(mut sale: Sale, answers: &[(u8, CaptureOutcome)]) -> Sale {
    sale.capture(noon()).unwrap();
    for &(ordinal, answer) in answers {
        sale.begin_call(ordinal, name(ordinal, 2), noon()).unwrap();
        sale.apply_capture(&name(ordinal, 2), answer, noon()).unwrap();
    }
    sale
}

pub(crate) fn released(mut sale: Sale, ordinal: u8, answer: ReleaseOutcome, now: DateTime<Utc>) -> Sale {
    sale.begin_call(ordinal, name(ordinal, 3), now).unwrap();
    sale.apply_release(&name(ordinal, 3), answer, now).unwrap();
    sale
}

/// The end of the window, acted upon.
pub(crate) fn closed(mut sale: Sale) -> Sale {
    let end = sale.payment.expires_at();
    sale.expire_due(end).unwrap();
    sale
}

pub(crate) fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|it| it.kind.as_str()).collect()
}

#[test]
fn a_bill_is_paid_together() {
    let mut sale = reserved(shared_by(3), &[1, 2, 3]);

    let asked = sale.capture(after(60)).unwrap();
    let effects = split(&sale).effects(after(60));
    let mut events = Vec::new();
    for effect in effects {
        let Effect::Capture { ordinal, hold, amount, .. } = effect else { panic!("a capture is due") };
        assert_eq!((hold, amount), (name(ordinal, 1), part(&sale, ordinal).share.amount));
        sale.begin_call(ordinal, name(ordinal, 2), after(60)).unwrap();
        assert!(split(&sale).effects(after(60)).iter().all(|it| it.ordinal() != ordinal), "a call is made once");
        events.extend(sale.apply_capture(&name(ordinal, 2), CaptureOutcome::Captured, after(61)).unwrap());
        check(&sale).unwrap();
    }

    assert_eq!(kinds(&asked), ["payment.capturing"]);
    let captured = "payment_part.captured";
    assert_eq!(kinds(&events), [captured, captured, captured, "payment.succeeded", "fiscal_document.issuing"]);
    assert_eq!(events[1].part, Some(2));
    assert_eq!(events[3].previous_status, Some("capturing"));
    let figures = split(&sale).figures().unwrap();
    assert_eq!((figures.captured, figures.captured_count), (sale.payment.total_amount(), 3));
    assert!(sale.payment.is_terminal() && sale.payment.due_at().is_none());
    assert_eq!(split(&sale).ended_at(), Some(after(61)));
}

#[test]
fn every_new_status_has_an_event() {
    let mut sale = shared_by(2);
    sale.submit_part(1, name(1, 1), card(), noon()).unwrap();
    let first = sale.apply_authorization(&name(1, 1), held(noon()), noon()).unwrap();
    sale.submit_part(2, name(2, 1), card(), noon()).unwrap();
    let second = sale.apply_authorization(&name(2, 1), held(noon()), noon()).unwrap();

    assert_eq!(kinds(&first), ["payment_part.authorized", "payment.partially_authorized"]);
    assert_eq!(kinds(&second), ["payment_part.authorized", "payment.authorized"]);
    assert_eq!(second[0], Event::with_previous_status(EventKind::PaymentPartAuthorized, "processing").of_part(2));
}
