//! Cards whose issuers want to see their cardholders (3-D Secure).

use chrono::TimeDelta;
use domain::payment::{Action, DeclineCode::AuthenticationFailed};
use ports::{AuthStep, CallOutcome, LookUp, NotSubmitted, ProviderResponse};

use super::{PRICE, ProviderCall, ProviderHarness, attempt, charge, charge_with_browser, is_approved, is_held};

/// The issuer looks at the browser, and approves.
pub const FRICTIONLESS: &str = "4222220020000004";
/// The cardholder is asked.
pub const CHALLENGE: &str = "4222220021000003";
/// The one, and then the other.
pub const BOTH: &str = "4222220022000002";
/// The issuer looks at the browser, and the authentication fails.
const FAILS: &str = "4222220023000993";
/// The same, since the issuer has nobody to ask.
const UNAVAILABLE: &str = "4222220024000083";

const LOOKED: AuthStep = AuthStep::MethodDone { is_method_notified: true };

/// What was asked for, and under which name it goes on.
fn asked(answer: ProviderResponse) -> (Action, Option<String>) {
    match answer.outcome {
        CallOutcome::ActionRequired(action) if answer.reference.is_some() => (action, answer.reference),
        other => panic!("the issuer was to ask for something, under a name: {other:?}"),
    }
}

impl ProviderHarness {
    async fn go_on(&self, n: u32, reference: &Option<String>, step: AuthStep) -> ProviderResponse {
        self.provider.continue_authentication(attempt(n), reference.clone(), step).await
    }

    pub(super) fn answered(&self, action: &Action, is_authenticated: bool) -> AuthStep {
        let Action::Challenge { request, .. } = action else { panic!("nobody is asked: {action:?}") };
        AuthStep::ChallengeDone { result: self.backend.authentication_result(request, is_authenticated) }
    }
}

/// No money moves before the issuer has seen what it wants to see; then it moves once.
pub async fn money_moves_once_the_browser_was_looked_at(counter: &ProviderHarness) {
    let (action, reference) = asked(counter.provider.charge(charge_with_browser(1, FRICTIONLESS)).await);
    let before = (counter.look_up(1).await, counter.money());

    let answer = counter.go_on(1, &reference, LOOKED).await;

    assert!(matches!(action, Action::Method { form } if form.contains("<form")));
    assert_eq!(before, (LookUp::Unfinished, (0, 0)));
    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(is_approved(&counter.look_up(1).await));
    assert_eq!(counter.money(), (PRICE, 0));
}

/// What the cardholder answers decides: with a yes the money moves, and with a no it does not.
pub async fn the_cardholder_decides(counter: &ProviderHarness) {
    for (n, is_authenticated) in [(1, true), (2, false)] {
        let (action, reference) = asked(counter.provider.charge(charge_with_browser(n, CHALLENGE)).await);

        let step = counter.answered(&action, is_authenticated);
        let answer = counter.go_on(n, &reference, step).await;

        let failed = CallOutcome::Declined(AuthenticationFailed);
        assert_eq!(answer.outcome, if is_authenticated { CallOutcome::Approved } else { failed });
        let found = counter.look_up(n).await;
        let is_right =
            if is_authenticated { is_approved(&found) } else { found == LookUp::Declined(AuthenticationFailed) };
        assert!(is_right, "{found:?}");
    }
    assert_eq!(counter.money(), (PRICE, 0));
}

/// A challenge may follow the look, under the same name, and funds may be reserved so, too.
pub async fn a_hold_may_take_both_steps(counter: &ProviderHarness) {
    let (_, reference) = asked(counter.provider.hold(charge_with_browser(1, BOTH)).await);
    let (action, reference) =
        asked(counter.go_on(1, &reference, AuthStep::MethodDone { is_method_notified: false }).await);
    let before = (counter.look_up(1).await, counter.money());

    let step = counter.answered(&action, true);
    let answer = counter.go_on(1, &reference, step).await;

    assert_eq!(before, (LookUp::Unfinished, (0, 0)));
    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert!(is_held(&counter.look_up(1).await));
    assert_eq!(counter.money(), (0, PRICE));
}

/// Issuers may find that it is not the cardholder, or may not be able to tell.
pub async fn an_authentication_may_fail(counter: &ProviderHarness) {
    for (n, number) in [(1, FAILS), (2, UNAVAILABLE)] {
        let (_, reference) = asked(counter.provider.charge(charge_with_browser(n, number)).await);

        let answer = counter.go_on(n, &reference, LOOKED).await;

        assert_eq!(answer.outcome, CallOutcome::Declined(AuthenticationFailed), "{number}");
        assert_eq!(counter.look_up(n).await, LookUp::Declined(AuthenticationFailed), "{number}");
    }
    assert_eq!(counter.money(), (0, 0));
}

/// Where nobody can be sent to the issuer, it asks for nothing.
pub async fn who_is_not_there_is_not_asked(counter: &ProviderHarness) {
    let answer = counter.provider.charge(charge(1, BOTH)).await;

    assert_eq!(answer.outcome, CallOutcome::Approved);
    assert_eq!(counter.money(), (PRICE, 0));
}

/// A step that is taken twice is no second charge, and no answer: what the first came to, look-ups tell.
pub async fn a_step_is_taken_once(counter: &ProviderHarness) {
    let (action, reference) = asked(counter.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    counter.go_on(1, &reference, counter.answered(&action, true)).await;

    let again = counter.go_on(1, &reference, counter.answered(&action, true)).await;

    assert_eq!(again.outcome, CallOutcome::Ambiguous);
    assert!(is_approved(&counter.look_up(1).await));
    assert_eq!(counter.money(), (PRICE, 0));
}

/// What nobody finishes in time never moves money, whoever comes back then.
pub async fn what_nobody_finishes_is_declined(counter: &ProviderHarness) {
    let (action, reference) = asked(counter.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    let at_once = counter.look_up(1).await;
    counter.clock.advance(TimeDelta::minutes(21));

    let found = counter.look_up(1).await;
    let late = counter.go_on(1, &reference, counter.answered(&action, true)).await;

    assert_eq!((at_once, found), (LookUp::Unfinished, LookUp::Declined(AuthenticationFailed)));
    assert_eq!(late.outcome, CallOutcome::Ambiguous);
    assert_eq!(counter.look_up(1).await, LookUp::Declined(AuthenticationFailed));
    assert_eq!(counter.money(), (0, 0));
}

/// An answer that is none is refused, and leaves the question open.
pub async fn nonsense_is_no_answer(counter: &ProviderHarness) {
    let (action, reference) = asked(counter.provider.charge(charge_with_browser(1, CHALLENGE)).await);

    let nonsense = counter.go_on(1, &reference, AuthStep::ChallengeDone { result: "bm9uc2Vuc2U=".to_owned() }).await;

    assert_eq!(nonsense.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(counter.look_up(1).await, LookUp::Unfinished);
    let answer = counter.go_on(1, &reference, counter.answered(&action, true)).await;
    assert_eq!(answer.outcome, CallOutcome::Approved);
}

/// A step whose answer is lost has been taken, and look-ups know what it came to; one that never arrived has not.
pub async fn a_lost_step_is_found(counter: &ProviderHarness) {
    let (action, first) = asked(counter.provider.charge(charge_with_browser(1, CHALLENGE)).await);
    let (_, second) = asked(counter.provider.charge(charge_with_browser(2, BOTH)).await);
    let (_, third) = asked(counter.provider.charge(charge_with_browser(3, FRICTIONLESS)).await);

    counter.backend.lose_next_response(ProviderCall::Answered);
    let lost = counter.go_on(1, &first, counter.answered(&action, true)).await;
    counter.backend.lose_next_response(ProviderCall::Looked);
    let lost_question = counter.go_on(2, &second, LOOKED).await;
    counter.backend.drop_next_request();
    let kept_out = counter.go_on(3, &third, LOOKED).await;

    assert_eq!((lost.outcome, lost_question.outcome), (CallOutcome::Ambiguous, CallOutcome::Ambiguous));
    assert_eq!(kept_out.outcome, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert!(is_approved(&counter.look_up(1).await));
    assert_eq!((counter.look_up(2).await, counter.look_up(3).await), (LookUp::Unfinished, LookUp::Unfinished));
    assert_eq!(counter.money(), (PRICE, 0));
}
