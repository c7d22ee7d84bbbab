//! Every command on a split of every status: allowed, or the code of the refusal.

use cobro_domain::{
    Conflict, InvalidRequest, Refusal, Unprocessable,
    payment::DeclineCode,
    sale::Sale,
    split::{AuthorizationOutcome, CaptureOutcome, Organizer, ReleaseOutcome, Renewal, SplitDraft},
};

use super::{answered, captured, closed, context, released, renewal, reserved, shared_by, split, submitted};
use crate::support::{after, attempt, card, noon, sale};

/// Splits of two parts, by the name of the situation, which depends on part 2.
fn situations() -> Vec<(&'static str, Sale)> {
    let both = || reserved(shared_by(2), &[1, 2]);
    let refused = |code| answered(shared_by(2), 2, AuthorizationOutcome::Declined(code));
    let given_up = |mut sale: Sale| {
        sale.release(noon()).unwrap();
        sale
    };
    let captured_and = |answer| captured(both(), &[(1, CaptureOutcome::Captured), (2, answer)]);
    vec![
        ("open", shared_by(2)),
        ("open, one processing", submitted(shared_by(2), 2)),
        ("open, one declined", refused(DeclineCode::DoNotHonor)),
        ("open, one declined for good", refused(DeclineCode::SuspectedFraud)),
        ("open, one in doubt", answered(shared_by(2), 2, AuthorizationOutcome::Ambiguous)),
        ("partially_authorized", reserved(shared_by(2), &[1])),
        ("authorized", both()),
        ("capturing", captured(both(), &[])),
        ("capturing, in doubt", captured(both(), &[(2, CaptureOutcome::Ambiguous)])),
        ("partially_paid, one reserved", captured_and(CaptureOutcome::Refused)),
        ("partially_paid, one unpaid", captured_and(CaptureOutcome::HoldGone)),
        ("partially_paid, at its end", closed(captured_and(CaptureOutcome::HoldGone))),
        ("succeeded", captured_and(CaptureOutcome::Captured)),
        ("releasing", given_up(both())),
        ("releasing, in doubt", released(given_up(both()), 2, ReleaseOutcome::Ambiguous, noon())),
        ("released", given_up(shared_by(2))),
        ("expired", closed(shared_by(2))),
    ]
}

type Command = (&'static str, fn(&mut Sale) -> Result<(), Refusal>);

const COMMANDS: [Command; 10] = [
    ("S1 split", |it| {
        it.open_split(&SplitDraft::Equal { part_count: 2 }, Organizer::Payer, &context(), noon()).map(drop)
    }),
    ("S3 replace", |it| it.replace_split(&SplitDraft::Equal { part_count: 3 }, &context(), noon()).map(drop)),
    ("S4 delete", |it| it.delete_split(noon()).map(drop).map_err(Refusal::of)),
    ("C1 pay part 2", |it| it.submit_part(2, attempt(9), card(), noon()).map(drop)),
    ("C1 no part", |it| it.submit(attempt(9), card(), noon()).map(drop)),
    ("C2 tip", |it| {
        let tip = cobro_domain::Money::new(1_00, cobro_domain::Currency::Dop);
        it.payment.set_voluntary_tip(tip, &context().limits, noon())
    }),
    ("C3 cancel", |it| it.cancel(noon()).map(drop).map_err(Refusal::of)),
    ("S6 capture", |it| it.capture(noon()).map(drop).map_err(Refusal::of)),
    ("S7 release", |it| it.release(noon()).map(drop).map_err(Refusal::of)),
    ("S8 renew", |it| it.renew_split(renewal(), after(3 * 3600)).map(drop)),
];

/// For the printed page: each situation, with the result of each command.
pub(crate) fn refusals() -> (Vec<&'static str>, Vec<(&'static str, Vec<String>)>) {
    let rows = situations().into_iter().map(|(name, sale)| {
        let cells = COMMANDS.iter().map(|(_, command)| {
            let mut after = sale.clone();
            match command(&mut after) {
                Ok(()) => {
                    after.payment.split().map_or("**whole**".to_owned(), |it| format!("**{}**", it.status().as_str()))
                }
                Err(refusal) => format!("`{}`", refusal.code.as_str()),
            }
        });
        (name, cells.collect())
    });
    (COMMANDS.iter().map(|(name, _)| *name).collect(), rows.collect())
}

/// In the order of the commands: a dot is allowed; the codes are shortened by `short`.
const WANTED: [(&str, &str); 17] = [
    ("open", "split_exists . . . part_required not_editable . split_not_capturable . split_not_expired"),
    (
        "open, one processing",
        "split_exists in_progress in_progress in_progress part_required in_progress in_progress split_not_capturable split_locked split_not_expired",
    ),
    ("open, one declined", "split_exists . . . part_required not_editable . split_not_capturable . split_not_expired"),
    (
        "open, one declined for good",
        "split_exists . . decline_not_retryable part_required not_editable . split_not_capturable . split_not_expired",
    ),
    ("open, one in doubt", "split_exists doubt doubt doubt part_required doubt doubt doubt doubt doubt"),
    (
        "partially_authorized",
        "split_exists split_locked split_locked . part_required not_editable . split_not_capturable . split_not_expired",
    ),
    (
        "authorized",
        "split_exists split_locked split_locked split_complete part_required not_editable . . . split_not_expired",
    ),
    (
        "capturing",
        "split_exists split_locked split_locked split_complete part_required not_editable not_editable split_not_capturable split_locked split_not_expired",
    ),
    ("capturing, in doubt", "split_exists doubt doubt doubt part_required doubt doubt doubt doubt doubt"),
    (
        "partially_paid, one reserved",
        "split_exists split_locked split_locked split_complete part_required not_editable not_editable . . split_not_expired",
    ),
    (
        "partially_paid, one unpaid",
        "split_exists split_locked split_locked . part_required not_editable not_editable split_not_capturable . split_not_expired",
    ),
    (
        "partially_paid, at its end",
        "split_exists split_locked split_locked closed closed closed not_editable split_not_capturable . split_not_expired",
    ),
    (
        "succeeded",
        "split_exists split_locked split_locked split_complete part_required not_editable not_editable split_complete split_complete split_not_expired",
    ),
    (
        "releasing",
        "split_exists split_locked split_locked part_not_payable part_required not_editable not_editable split_not_capturable split_locked split_not_expired",
    ),
    ("releasing, in doubt", "split_exists doubt doubt doubt part_required doubt doubt doubt doubt doubt"),
    (
        "released",
        "split_exists split_locked split_locked closed closed closed not_editable split_not_capturable split_complete split_not_expired",
    ),
    (
        "expired",
        "split_exists split_locked split_locked closed closed closed not_editable split_not_capturable closed .",
    ),
];

#[test]
fn each_refused_cell_has_its_code() {
    for ((name, sale), (wanted_name, codes)) in situations().into_iter().zip(WANTED) {
        assert_eq!(name, wanted_name);
        let got: Vec<String> = COMMANDS
            .iter()
            .map(|(_, command)| {
                let mut after = sale.clone();
                let answer = command(&mut after);
                assert!(answer.is_ok() || after == sale, "{name}: a refusal moves nothing");
                answer.map_or_else(|it| short(it.code.as_str()), |()| ".".to_owned())
            })
            .collect();
        assert_eq!(got.join(" "), codes, "{name}");
    }
}

fn short(code: &str) -> String {
    match code {
        "payment_method_already_in_progress" => "in_progress".to_owned(),
        "payment_awaiting_verification" => "doubt".to_owned(),
        "checkout_window_closed" => "closed".to_owned(),
        "payment_split_part_required" => "part_required".to_owned(),
        other => other.trim_start_matches("payment_").to_owned(),
    }
}

#[test]
fn a_payment_that_cannot_be_split_returns_the_reason() {
    let try_split = |sale: &Sale, context: cobro_domain::split::SplitContext| {
        let draft = SplitDraft::Equal { part_count: 2 };
        sale.clone().open_split(&draft, Organizer::Merchant, &context, noon()).map(drop).map_err(|it| it.code)
    };
    let not_allowed = Err(Conflict::PaymentSplitNotAllowed.into());
    let mut paid = sale();
    paid.submit(attempt(1), card(), noon()).unwrap();
    let in_flight = paid.clone();
    paid.apply_outcome(&attempt(1), cobro_domain::payment::ProviderOutcome::Approved, noon()).unwrap();
    let mut canceled = sale();
    canceled.cancel(noon()).unwrap();

    assert_eq!(try_split(&sale(), context()), Ok(()));
    assert_eq!(try_split(&paid, context()), not_allowed);
    assert_eq!(try_split(&in_flight, context()), Err(Conflict::PaymentMethodAlreadyInProgress.into()));
    assert_eq!(try_split(&canceled, context()), Err(Conflict::CheckoutWindowClosed.into()));
    assert_eq!(
        try_split(&sale(), cobro_domain::split::SplitContext { is_split_enabled: false, ..context() }),
        not_allowed
    );
    assert_eq!(
        try_split(&sale(), cobro_domain::split::SplitContext { can_authorize: false, ..context() }),
        not_allowed
    );
    let mut end = sale();
    let draft = SplitDraft::Equal { part_count: 2 };
    let late = end.open_split(&draft, Organizer::Payer, &context(), end.payment.expires_at()).unwrap_err();
    assert_eq!(late.code, Conflict::CheckoutWindowClosed.into());
    let wrong = shared_by(2).open_split(&SplitDraft::Equal { part_count: 1 }, Organizer::Payer, &context(), noon());
    assert_eq!(wrong.unwrap_err().code, InvalidRequest::PaymentSplitInvalid.into(), "before the state");
}

#[test]
fn a_renewal_is_refused_for_outside_conditions() {
    let expired = closed(shared_by(2));
    let end = split(&expired).ended_at().unwrap();
    let renew = |it: Renewal, now| expired.clone().renew_split(it, now).map(drop).map_err(|it| it.code);

    assert_eq!(renew(renewal(), end + chrono::TimeDelta::hours(24)), Ok(()));
    let code = Conflict::PaymentSplitNotRenewable.into();
    let not_renewable = Err(code);
    assert_eq!(renew(renewal(), end + chrono::TimeDelta::milliseconds(24 * 3_600_000 + 1)), not_renewable);
    assert_eq!(renew(Renewal { is_paid_otherwise: true, ..renewal() }, end), not_renewable);
    let not_ready = Err(Unprocessable::MerchantAccountNotReady.into());
    assert_eq!(
        renew(Renewal { account: Err(Unprocessable::MerchantAccountNotReady.into()), ..renewal() }, end),
        not_ready
    );

    let mut often = expired.clone();
    for _ in 0..3 {
        often.renew_split(renewal(), end).unwrap();
        often = closed(often);
    }
    assert_eq!(often.renew_split(renewal(), often.payment.expires_at()).unwrap_err().code, code);
}

#[test]
fn a_part_is_named_in_the_refusal() {
    let whole = shared_by(2).submit(attempt(9), card(), noon()).unwrap_err();
    let taken = reserved(shared_by(2), &[2]).submit_part(2, attempt(9), card(), noon()).unwrap_err();

    assert_eq!(whole.param.as_deref(), Some("partOrdinal"));
    assert_eq!((taken.code, taken.param.as_deref()), (Conflict::PaymentPartNotPayable.into(), Some("partOrdinal")));
}
