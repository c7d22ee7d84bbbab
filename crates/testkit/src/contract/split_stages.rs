use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    AttemptId,
    payment::DeclineCode,
    sale::Sale,
    split::{AuthorizationOutcome, CaptureOutcome, HoldFinding, ReleaseOutcome, Renewal, SplitWindow},
};

use crate::sample::{authorized_split, card, challenge, noon, part_attempt_id, split_sale, symbols};

type Step = fn(&mut Sale, u32);

/// Sales of two payers with the first part in every stage, reached in every way that leaves a trace; numbered from 1.
pub fn split_stages() -> Vec<Sale> {
    let unpaid = (1..).zip(BEFORE_A_HOLD).map(|(n, step)| after(split_sale(n, 2), n, step));
    let held = (100..).zip(AFTER_A_HOLD).map(|(n, step)| after(authorized_split(n, 2), n, step));
    unpaid.chain(held).collect()
}

fn after(mut sale: Sale, n: u32, step: Step) -> Sale {
    step(&mut sale, n);
    sale
}

const BEFORE_A_HOLD: [Step; 13] = [
    |_, _| {},
    |sale, n| submit(sale, n, 1),
    |sale, n| {
        answer(sale, n, AuthorizationOutcome::Declined(DeclineCode::DoNotHonor));
        submit(sale, n, 2);
    },
    |sale, n| answer(sale, n, AuthorizationOutcome::ChallengeRequired(symbols(n), challenge())),
    |sale, n| answer(sale, n, AuthorizationOutcome::Declined(DeclineCode::SuspectedFraud)),
    |sale, n| answer(sale, n, AuthorizationOutcome::Ambiguous),
    |sale, n| {
        answer(sale, n, AuthorizationOutcome::Ambiguous);
        sale.apply_part_finding(1, HoldFinding::NotFound, minutes(3)).expect("a part in doubt is looked up");
    },
    |sale, n| {
        answer(sale, n, AuthorizationOutcome::Ambiguous);
        for minute in [3, 10, 30] {
            sale.apply_part_finding(1, HoldFinding::NotFound, minutes(minute)).expect("a part in doubt is looked up");
        }
    },
    |sale, n| answer(sale, n, AuthorizationOutcome::NotSubmitted),
    |sale, n| {
        sale.release(noon()).expect("an open split is given up");
        assert!(
            sale.payment.approved_late(&part_attempt_id(n, 2, 9), noon(), minutes(1)),
            "it delays no other document"
        );
    },
    |sale, _| drop(sale.release(noon()).expect("an open split is given up")),
    |sale, _| drop(sale.expire_due(sale.payment.expires_at()).expect("an open window closes")),
    |sale, _| {
        sale.expire_due(sale.payment.expires_at()).expect("an open window closes");
        let renewal = Renewal { window: SplitWindow::default(), is_paid_otherwise: false, account: Ok(()) };
        sale.renew_split(renewal, minutes(180)).expect("an expired split is renewed");
    },
];

const AFTER_A_HOLD: [Step; 14] = [
    |_, _| {},
    |sale, _| drop(sale.expire_due(noon() + TimeDelta::days(6)).expect("an open window closes")),
    |sale, _| drop(sale.capture(noon()).expect("what is reserved is captured")),
    |sale, n| drop(capturing(sale, n)),
    |sale, n| captured(sale, n, CaptureOutcome::Captured),
    |sale, n| captured(sale, n, CaptureOutcome::Refused),
    |sale, n| captured(sale, n, CaptureOutcome::HoldGone),
    |sale, n| captured(sale, n, CaptureOutcome::Ambiguous),
    |sale, _| drop(sale.release(noon()).expect("what is reserved is released")),
    |sale, n| drop(releasing(sale, n)),
    |sale, n| released(sale, n, ReleaseOutcome::Released),
    |sale, n| released(sale, n, ReleaseOutcome::NotSubmitted),
    |sale, n| released(sale, n, ReleaseOutcome::Ambiguous),
    |sale, n| {
        captured(sale, n, CaptureOutcome::Captured);
        let second = part_attempt_id(n, 2, 2);
        sale.begin_call(2, second.clone(), noon()).expect("the second capture is due");
        sale.apply_capture(&second, CaptureOutcome::Captured, noon()).expect("an open call is answered");
    },
];

fn submit(sale: &mut Sale, n: u32, place: u32) {
    sale.submit_part(1, part_attempt_id(n, 1, place), card(), noon()).expect("a payable part takes a card");
}

fn answer(sale: &mut Sale, n: u32, answer: AuthorizationOutcome) {
    submit(sale, n, 1);
    sale.apply_authorization(&part_attempt_id(n, 1, 1), answer, noon()).expect("a card in flight is answered");
}

fn capturing(sale: &mut Sale, n: u32) -> AttemptId {
    sale.capture(noon()).expect("what is reserved is captured");
    begun(sale, n)
}

fn releasing(sale: &mut Sale, n: u32) -> AttemptId {
    sale.release(noon()).expect("what is reserved is released");
    begun(sale, n)
}

fn begun(sale: &mut Sale, n: u32) -> AttemptId {
    let attempt = part_attempt_id(n, 1, 2);
    sale.begin_call(1, attempt.clone(), noon()).expect("a call that is due begins");
    attempt
}

fn captured(sale: &mut Sale, n: u32, answer: CaptureOutcome) {
    let attempt = capturing(sale, n);
    sale.apply_capture(&attempt, answer, noon()).expect("an open call is answered");
}

fn released(sale: &mut Sale, n: u32, answer: ReleaseOutcome) {
    let attempt = releasing(sale, n);
    sale.apply_release(&attempt, answer, noon()).expect("an open call is answered");
}

fn minutes(after: i64) -> DateTime<Utc> {
    noon() + TimeDelta::minutes(after)
}
