//! Cards with 3-D Secure.

use chrono::TimeDelta;
use domain::payment::{Action, DeclineCode::AuthenticationFailed};
use ports::{AuthStep, CallOutcome, LookUp, NotSubmitted, ProviderResponse};

use super::{PRICE, ProviderCall, ProviderHarness, attempt, charge, charge_with_browser, is_approved, is_held};

/// The issuer requests the method, and approves.
pub const FRICTIONLESS: &str = "4222220020000004";
/// The issuer requests a challenge.
pub const CHALLENGE: &str = "4222220021000003";
/// The issuer requests the method, then a challenge.
pub const BOTH: &str = "4222220022000002";
/// The issuer requests the method, and the authentication fails.
const FAILS: &str = "4222220023000993";
/// The issuer requests the method, and has no authentication available.
const UNAVAILABLE: &str = "4222220024000083";

const LOOKED: AuthStep = AuthStep::MethodDone { is_method_notified: true };

/// Returns the requested action and the provider's reference.
fn require_action(answer: ProviderResponse) -> (Action, Option<String>) {
    match answer.outcome {
        CallOutcome::ActionRequired(action) if answer.reference.is_some() => (action, answer.reference),
        other => panic!("an action with a reference is required: {other:?}"),
    }
}

impl ProviderHarness {
    async fn go_on(&self, n: u32, reference: &Option<String>, step: AuthStep) -> ProviderResponse {
        self.provider.continue_authentication(attempt(n), reference.clone(), step).await
    }

    pub(super) fn answered(&self, action: &Action, is_authenticated: bool) -> AuthStep {
        let Action::Challenge { request, .. } = action else { panic!("no challenge: {action:?}") };
        AuthStep::ChallengeDone { result: self.backend.authentication_result(request, is_authenticated) }
    }
}

/// No money moves before the method is complete; then the money moves once.
pub async fn money_moves_once_the_browser_was_looked_at(harness: &ProviderHarness) {
    let (action, reference) = require_action(harness.provider.charge(charge_with_browser(1, FRICTIONLESS)).await);
    let before = (harness.look_up(1).await, harness.money());

    let answer = harness.go_on(1, &reference, LOOKED).await;

    assert!(matches!(action, Action::Method { form } if form.contains("<form")));
    assert_eq!(before, (LookUp::Unfinished, (0, 0)));
    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(is_approved(&harness.look_up(1).await));
    assert_eq!(harness.money(), (PRICE, 0));
}

/// The challenge decides: an authenticated result moves the money, a failed one does not.
pub async fn the_cardholder_decides(harness: &ProviderHarness) {
    for (n, is_authenticated) in [(1, true), (2, false)] {
        let (action, reference) = require_action(harness.provider.charge(charge_with_browser(n, CHALLENGE)).await);

        let step = harness.answered(&action, is_authenticated);
        let answer = harness.go_on(n, &reference, step).await;

        let failed = CallOutcome::Declined(AuthenticationFailed);
        assert_eq!(answer.outcome, if is_authenticated { CallOutcome::Approved } else { failed });
        let found = harness.look_up(n).await;
        let is_right =
            if is_authenticated { is_approved(&found) } else { found == LookUp::Declined(AuthenticationFailed) };
        assert!(is_right, "{found:?}");
    }
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A challenge may follow the method under the same reference, also for a hold.
pub async fn a_hold_may_take_both_steps(harness: &ProviderHarness) {
    let (_, reference) = require_action(harness.provider.hold(charge_with_browser(1, BOTH)).await);
    let (action, reference) =
        require_action(harness.go_on(1, &reference, AuthStep::MethodDone { is_method_notified: false }).await);
    let before = (harness.look_up(1).await, harness.money());

    let step = harness.answered(&action, true);
    let answer = harness.go_on(1, &reference, step).await;

    assert_eq!(before, (LookUp::Unfinished, (0, 0)));
    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(is_held(&harness.look_up(1).await));
    assert_eq!(harness.money(), (0, PRICE));
}

/// The issuer may decline the authentication, or have none available.
pub async fn an_authentication_may_fail(harness: &ProviderHarness) {
    for (n, number) in [(1, FAILS), (2, UNAVAILABLE)] {
        let (_, reference) = require_action(harness.provider.charge(charge_with_browser(n, number)).await);

        let answer = harness.go_on(n, &reference, LOOKED).await;

        assert_eq!(answer.outcome, CallOutcome::Declined(AuthenticationFailed), "{number}");
        assert_eq!(harness.look_up(n).await, LookUp::Declined(AuthenticationFailed), "{number}");
    }
    assert_eq!(harness.money(), (0, 0));
}

/// Without a browser the issuer requests no step.
pub async fn without_a_browser_no_step_is_requested(harness: &ProviderHarness) {
    let answer = harness.provider.charge(charge(1, BOTH)).await;

    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert_eq!(harness.money(), (PRICE, 0));
}

/// A repeated step is neither a second charge nor a response: look-ups return the result of the first.
pub async fn a_step_is_taken_once(harness: &ProviderHarness) {
    let (action, reference) = require_action(harness.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    harness.go_on(1, &reference, harness.answered(&action, true)).await;

    let again = harness.go_on(1, &reference, harness.answered(&action, true)).await;

    assert_eq!(again.outcome, CallOutcome::Ambiguous);
    assert!(is_approved(&harness.look_up(1).await));
    assert_eq!(harness.money(), (PRICE, 0));
}

/// An abandoned authentication never moves money, also on a late return.
pub async fn an_abandoned_authentication_is_declined(harness: &ProviderHarness) {
    let (action, reference) = require_action(harness.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    let at_once = harness.look_up(1).await;
    harness.clock.advance(TimeDelta::minutes(21));

    let found = harness.look_up(1).await;
    let late = harness.go_on(1, &reference, harness.answered(&action, true)).await;

    assert_eq!((at_once, found), (LookUp::Unfinished, LookUp::Declined(AuthenticationFailed)));
    assert_eq!(late.outcome, CallOutcome::Ambiguous);
    assert_eq!(harness.look_up(1).await, LookUp::Declined(AuthenticationFailed));
    assert_eq!(harness.money(), (0, 0));
}

/// An invalid result is refused, and the challenge stays open.
pub async fn nonsense_is_no_answer(harness: &ProviderHarness) {
    let (action, reference) = require_action(harness.provider.charge(charge_with_browser(1, CHALLENGE)).await);

    let nonsense = harness.go_on(1, &reference, AuthStep::ChallengeDone { result: "bm9uc2Vuc2U=".to_owned() }).await;

    assert_eq!(nonsense.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(harness.look_up(1).await, LookUp::Unfinished);
    let answer = harness.go_on(1, &reference, harness.answered(&action, true)).await;
    assert_eq!(answer.outcome, CallOutcome::Approved);
}

/// A step with a lost response took effect, and look-ups return the result; a step that never arrived had no effect.
pub async fn a_lost_step_is_found(harness: &ProviderHarness) {
    let (action, first) = require_action(harness.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    let (_, second) = require_action(harness.provider.charge(charge_with_browser(2, BOTH)).await);
    let (_, third) = require_action(harness.provider.charge(charge_with_browser(3, FRICTIONLESS)).await);

    harness.backend.lose_next_response(ProviderCall::Answered);
    let lost = harness.go_on(1, &first, harness.answered(&action, true)).await;
    harness.backend.lose_next_response(ProviderCall::Looked);
    let lost_question = harness.go_on(2, &second, LOOKED).await;
    harness.backend.drop_next_request();
    let refused = harness.go_on(3, &third, LOOKED).await;

    assert_eq!((lost.outcome, lost_question.outcome), (CallOutcome::Ambiguous, CallOutcome::Ambiguous));
    assert_eq!(refused.outcome, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert!(is_approved(&harness.look_up(1).await));
    assert_eq!((harness.look_up(2).await, harness.look_up(3).await), (LookUp::Unfinished, LookUp::Unfinished));
    assert_eq!(harness.money(), (PRICE, 0));
}
