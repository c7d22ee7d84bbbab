//! Invariants of a sale's money, as one function.

use super::{Part, Replacement, Split, SplitStatus};
use crate::{
    Money,
    fiscal::DocumentStatus,
    payment::{Payment, PaymentStatus},
    refund::Balance,
    sale::Sale,
};

/// Violated invariant of a sale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Violation {
    /// Not 2 to 10 parts, or not in order.
    #[error("the parts are not 2 to 10, counted from 1")]
    Ordinals,
    /// The parts are not the bill.
    #[error("the parts do not add up to the total")]
    Total,
    /// The parts' ITBIS is not the bill's.
    #[error("the ITBIS of the parts is not that of the sale")]
    Itbis,
    /// A share of zero, or with more tax than its amount.
    #[error("a share is not positive, or less than the ITBIS in it")]
    Share,
    /// Sums that contradict each other.
    #[error("captured, reserved and remaining amounts do not add up to the total")]
    Figures,
    /// Paid, or not, against the sums.
    #[error("the payment is not succeeded exactly when all is captured")]
    Succeeded,
    /// One attempt in two parts.
    #[error("two parts share an attempt")]
    SharedAttempt,
    /// A part that no worker processes.
    #[error("something is unfinished, and nothing is due")]
    Forgotten,
    /// A document for money that did not move.
    #[error("the document is issued although the payment has not succeeded, or canceled although it may")]
    Document,
}

/// Checks the invariants of a sale's money.
///
/// # Errors
///
/// The first [`Violation`].
pub fn check(sale: &Sale) -> Result<(), Violation> {
    if let Some(split) = sale.payment.split() {
        check_shares(&sale.payment, split)?;
        check_sums(&sale.payment, split)?;
        check_attempts(&sale.payment, split)?;
        if !split.is_terminal() && sale.payment.due_at().is_none() {
            return Err(Violation::Forgotten);
        }
    }
    check_document(sale)
}

fn check_shares(payment: &Payment, split: &Split) -> Result<(), Violation> {
    let parts = split.parts();
    let is_counted = (1..).zip(parts).all(|(ordinal, it): (u8, &Part)| it.ordinal == ordinal);
    if !Split::PART_COUNTS.contains(&parts.len()) || !is_counted {
        return Err(Violation::Ordinals);
    }
    let is_whole = |it: &Part| {
        let (amount, itbis) = (it.share.amount, it.share.allocated_itbis);
        let is_one_currency = amount.currency() == itbis.currency();
        is_one_currency && amount.minor_units() > 0 && (0..=amount.minor_units()).contains(&itbis.minor_units())
    };
    if !parts.iter().all(is_whole) {
        return Err(Violation::Share);
    }
    let sum = |of: fn(&Part) -> Money| {
        let zero = Some(Money::zero(payment.facts.amount.currency()));
        parts.iter().fold(zero, |sum, it| sum?.checked_add(of(it)))
    };
    if sum(|it| it.share.amount) != Some(payment.total_amount()) {
        return Err(Violation::Total);
    }
    let itbis = Money::new(payment.facts.breakdown.taxes_minor_units, payment.facts.amount.currency());
    if sum(|it| it.share.allocated_itbis) != Some(itbis) {
        return Err(Violation::Itbis);
    }
    Ok(())
}

fn check_sums(payment: &Payment, split: &Split) -> Result<(), Violation> {
    let figures = split.figures().ok_or(Violation::Figures)?;
    let all = [figures.captured, figures.authorized, figures.remaining_to_authorize];
    let sum = all.into_iter().try_fold(Money::zero(figures.captured.currency()), Money::checked_add);
    let is_none_negative = all.iter().all(|it| it.minor_units() >= 0);
    let remaining = figures.captured.checked_add(figures.remaining_to_capture);
    let total = Some(payment.total_amount());
    if !is_none_negative || sum != total || remaining != total {
        return Err(Violation::Figures);
    }
    let is_all_captured = figures.captured == payment.total_amount();
    if (split.status() == SplitStatus::Succeeded) != is_all_captured {
        return Err(Violation::Succeeded);
    }
    Ok(())
}

/// Every attempt, in flight or holding funds, belongs to one part, and none of them is orphaned.
fn check_attempts(payment: &Payment, split: &Split) -> Result<(), Violation> {
    let names = split.parts().iter().flat_map(|part| {
        let own = part.stage().attempt();
        let hold = part.stage().hold().map(|it| &it.attempt).filter(|it| own != Some(*it));
        let replacement = part.stage().hold().and_then(|it| match &it.replacement {
            Replacement::Open { attempt, .. } => Some(attempt),
            Replacement::Never | Replacement::Due { .. } => None,
        });
        own.into_iter().chain(hold).chain(replacement)
    });
    let orphans = payment.orphans().iter().map(|orphan| &orphan.progress.attempt);
    let mut names: Vec<_> = names.chain(orphans).collect();
    names.sort();
    if names.windows(2).any(|pair| pair.first() == pair.last()) {
        return Err(Violation::SharedAttempt);
    }
    Ok(())
}

fn check_document(sale: &Sale) -> Result<(), Violation> {
    // A credit note follows its refund and its original.
    if sale.document.refund().is_some() {
        return Ok(());
    }
    let status = sale.payment.status();
    let is_right = match sale.document.status() {
        DocumentStatus::Requested => !sale.payment.is_terminal() || status == PaymentStatus::PartiallyPaid,
        DocumentStatus::Canceled => {
            matches!(status, PaymentStatus::Canceled | PaymentStatus::Expired | PaymentStatus::Declined)
                || Balance::of(&sale.payment).is_some_and(|balance| balance.is_everything_returned())
        }
        _ => status == PaymentStatus::Succeeded,
    };
    if is_right { Ok(()) } else { Err(Violation::Document) }
}
