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

    assert_eq!(idle.seen(later - TimeDelta::seconds(1)), None);
    assert_eq!(idle.seen(later), Some(token(Some(Session::Idle { seen_at: later }))));
    assert_eq!(token(Some(Session::Active)).seen(later), None);
    assert_eq!(token(None).seen(later), None);
}

#[test]
fn a_session_becomes_active_once() {
    let active = token(Some(Session::Active));

    assert_eq!(token(Some(Session::Idle { seen_at: noon() })).acted(), Some(active.clone()));
    assert_eq!(active.acted(), None);
    assert_eq!(token(None).acted(), None);
}
