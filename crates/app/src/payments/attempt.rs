use chrono::{DateTime, Utc};
use domain::{
    AttemptId,
    attempt::{Attempt, AttemptKind, AttemptState},
    sale::Sale,
};

/// Returns a new attempt on the whole payment.
pub(crate) fn open_attempt(sale: &Sale, id: AttemptId, kind: AttemptKind, now: DateTime<Utc>) -> Attempt {
    let state = sale.payment.state();
    Attempt {
        id,
        payment: sale.payment.facts.id.clone(),
        number: state.attempts,
        part: None,
        refund: None,
        kind,
        amount: sale.payment.total_amount(),
        card: state.method.clone(),
        link: None,
        started_at: now,
        state: AttemptState::Open,
        provider_reference: None,
        updated_at: now,
    }
}
