use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::{
    MerchantId, Mode, PaymentId,
    credential::{CheckoutToken, Scope, Session},
};

fn token(session: Option<Session>) -> CheckoutToken {
    CheckoutToken {
        digest: [1; 32],
        merchant: MerchantId::parse("merchant_00000000000000000000000001").expect("a name"),
        mode: Mode::Test,
        payment: PaymentId::parse("payment_00000000000000000000000001").expect("a name"),
        scope: Scope::Pay,
        expires_at: noon(),
        session,
    }
}

fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00Z".parse().expect("a moment")
}

#[test]
fn an_idle_session_is_stored_as_seen_every_ten_minutes() {
    let idle = token(Some(Session::Idle { seen_at: noon() }));
    let later = noon() + TimeDelta::minutes(10);

    assert_eq!(idle.with_visit(later - TimeDelta::seconds(1)), None);
    assert_eq!(idle.with_visit(later), Some(token(Some(Session::Idle { seen_at: later }))));
    assert_eq!(token(Some(Session::Active)).with_visit(later), None);
    assert_eq!(token(None).with_visit(later), None);
}

#[test]
fn a_session_becomes_active_once() {
    let active = token(Some(Session::Active));

    assert_eq!(token(Some(Session::Idle { seen_at: noon() })).activated(), Some(active.clone()));
    assert_eq!(active.activated(), None);
    assert_eq!(token(None).activated(), None);
}
