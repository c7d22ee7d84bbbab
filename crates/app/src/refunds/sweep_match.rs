//! A return in a provider's list, compared with the refunds of the sale.

use domain::{
    PaymentId, RefundId,
    attempt::{Attempt, AttemptKind},
    refund::{AcquirerReference, Leg, LegMethod, LegStatus, Refund, RefundedSale},
};
use ports::{AttemptClues, Commit, ListedReturn, ReturnMethod, SweptAccount};

use super::{
    alert::alert,
    change::changed,
    facts::{conditions, stored},
    found::{Found, record_found},
};
use crate::{
    Error, Ports,
    transact::{Step, transact},
};

/// What a return in a list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// A refund of ours, or a hold that was released: known.
    Known,
    /// A charge of ours: the money was recorded.
    Recorded,
    /// No attempt of ours.
    None,
}

/// Records a return that no refund of ours has made, once.
pub(super) async fn record_return(
    ports: &Ports,
    account: &SweptAccount,
    listed: &ListedReturn,
) -> Result<Match, Error> {
    let clues = AttemptClues {
        attempt: listed.attempt.clone(),
        endings: listed.attempt_endings.clone(),
        reference: listed.order.clone().unwrap_or_default(),
    };
    let tenant = &account.tenant;
    let named = ports.refunds.attempts_named(tenant, &account.account, &clues).await?;
    let Some((payment, attempts)) = of_one_payment(named, listed) else { return Ok(Match::None) };
    let (payment, attempts) = (&payment, &attempts);
    let recorded = transact(ports, |_| async move {
        let before = stored(ports, tenant, payment).await?;
        let charges = ports.refunds.charges(tenant, payment).await?;
        let mut found = attempts.iter().filter_map(|attempt| unknown_money(&before, &charges, attempt, listed));
        let Some(found) = found.next() else { return Ok(Step::Return(None)) };
        let now = ports.clock.now();
        let mut after = before.clone();
        let (id, events) = record_found(ports, &mut after, found, conditions(ports, &before.sale).await?, now)?;
        let commit = Commit { events: events.clone(), ..changed(&before, &after, &id, None, now) };
        Ok::<_, Error>(Step::Commit(Box::new(commit), Some((id, events))))
    });
    Ok(match recorded.await? {
        Some((id, events)) => {
            alert(&id, &events);
            Match::Recorded
        }
        None => Match::Known,
    })
}

/// Returns the attempt with our own name in the list, else those that the provider's name or an ending means, if all are
/// of one payment.
fn of_one_payment(named: Vec<Attempt>, listed: &ListedReturn) -> Option<(PaymentId, Vec<Attempt>)> {
    let exact = named.iter().find(|attempt| attempt.id.as_str() == listed.attempt).cloned();
    let attempts = exact.map_or(named, |exact| vec![exact]);
    let payment = attempts.first()?.payment.clone();
    let is_one = attempts.iter().all(|attempt| attempt.payment == payment);
    is_one.then_some((payment, attempts))
}

/// Returns the money of a charge that no refund has recorded; `None` for a refund of ours, for one with a
/// pending look-up, and for a released hold.
fn unknown_money(sale: &RefundedSale, charges: &[Attempt], attempt: &Attempt, listed: &ListedReturn) -> Option<Found> {
    let ordinal = attempt.part;
    let charge = charges.iter().find(|charge| charge.part == ordinal)?;
    let reference = reference_of(listed, attempt)?;
    if legs(sale).any(|(_, leg)| leg.state().reference.as_ref() == Some(&reference)) {
        return None;
    }
    let amount = amount_of(listed, charge)?;
    let method = match listed.method {
        ReturnMethod::Void => LegMethod::Void,
        ReturnMethod::Refund => LegMethod::Refund,
    };
    let late = match &attempt.refund {
        // The refund's own attempt is listed.
        Some(refund) => late_leg(sale, (refund, ordinal), attempt)?,
        None if !is_of_charge(sale, charge, attempt) => return None,
        // A void has the name of its charge, or of the hold.
        None if listed.method == ReturnMethod::Void => late_void(sale, ordinal)?,
        None => None,
    };
    Some(Found { ordinal, amount, method, reference, late })
}

fn legs(sale: &RefundedSale) -> impl Iterator<Item = (&Refund, &Leg)> {
    sale.refunds.iter().flat_map(|refund| refund.legs().iter().map(move |leg| (refund, leg)))
}

/// Returns the refund with the failed leg of the listed attempt, if any. `None` if the leg has succeeded by the attempt, or
/// may yet be found by its own look-up.
fn late_leg(
    sale: &RefundedSale,
    (refund, ordinal): (&RefundId, Option<u8>),
    attempt: &Attempt,
) -> Option<Option<RefundId>> {
    let leg = sale.refund(refund)?.legs().iter().find(|leg| leg.ordinal == ordinal)?;
    let is_by_void = leg.state().method == LegMethod::Void && attempt.kind == AttemptKind::Refund;
    match leg.status() {
        LegStatus::Failed => Some(Some(refund.clone())),
        // The void and the refund of one leg were both executed.
        LegStatus::Succeeded if is_by_void => Some(None),
        LegStatus::Succeeded | LegStatus::Processing | LegStatus::Verifying => None,
    }
}

/// Returns the refund with a failed leg that was a void of the charge, if any. `None` if a leg has voided the charge, or may
/// yet be found by its own look-up.
fn late_void(sale: &RefundedSale, ordinal: Option<u8>) -> Option<Option<RefundId>> {
    let is_void = |(_, leg): &(&Refund, &Leg)| leg.ordinal == ordinal && leg.state().method == LegMethod::Void;
    let voids: Vec<_> = legs(sale).filter(is_void).collect();
    if voids.iter().any(|(_, leg)| leg.status() != LegStatus::Failed) {
        return None;
    }
    Some(voids.last().map(|(refund, _)| refund.facts.id.clone()))
}

/// Whether the attempt is the charge, or the hold that was captured.
fn is_of_charge(sale: &RefundedSale, charge: &Attempt, attempt: &Attempt) -> bool {
    let hold = || {
        let part = sale.sale.payment.split()?.part(attempt.part?)?;
        part.stage().hold().map(|hold| &hold.attempt)
    };
    charge.id == attempt.id || (attempt.kind == AttemptKind::Authorization && hold() == Some(&attempt.id))
}

/// Returns the provider's name of the operation. A list without one has the name of its order, or of the attempt.
fn reference_of(listed: &ListedReturn, attempt: &Attempt) -> Option<AcquirerReference> {
    let own = listed.reference.clone();
    let order = || listed.order.as_deref().and_then(AcquirerReference::parse);
    own.or_else(order).or_else(|| AcquirerReference::parse(attempt.id.as_str()))
}

/// Returns the returned amount in minor units. A void returns the whole charge.
fn amount_of(listed: &ListedReturn, charge: &Attempt) -> Option<i64> {
    match listed.amount {
        Some(amount) if amount.currency() != charge.amount.currency() => {
            tracing::error!(attempt = %charge.id, "the provider lists a return in another currency than its charge");
            None
        }
        amount => Some(amount.unwrap_or(charge.amount).minor_units()).filter(|units| *units > 0),
    }
}
