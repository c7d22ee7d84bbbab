//! Cutting a bill into shares, to the last minor unit.

use super::Split;
use crate::{InvalidRequest, Money, Refusal, money::AmountLimits, sale::AmountDraft};

/// Requested shares of a bill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplitDraft {
    /// Into this many shares, as equal as minor units allow.
    Equal {
        /// As sent.
        part_count: i64,
    },
    /// Into these, in order.
    Amounts(Vec<AmountDraft>),
}

/// Amount that one payer owes, and the ITBIS in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Share {
    pub amount: Money,
    pub allocated_itbis: Money,
}

impl SplitDraft {
    /// Allocates `total`, with `itbis` in it, to the shares. Both add up again, exactly; no
    /// share holds more ITBIS than it is.
    ///
    /// ```
    /// use cobro_domain::{Currency::Dop, Money, money::AmountLimits, split::SplitDraft};
    ///
    /// let (total, itbis) = (Money::new(128_00, Dop), Money::new(18_00, Dop));
    /// let shares = SplitDraft::Equal { part_count: 3 }.allocate(total, itbis, &AmountLimits::default()).unwrap();
    ///
    /// assert_eq!(shares.iter().map(|it| it.amount.minor_units()).collect::<Vec<_>>(), [42_67, 42_67, 42_66]);
    /// assert_eq!(shares.iter().map(|it| it.allocated_itbis.minor_units()).collect::<Vec<_>>(), [6_00, 6_00, 6_00]);
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidRequest::PaymentSplitInvalid`] unless these are 2 to 10 shares of at least the
    /// minimum that add up, and [`InvalidRequest::ParameterInvalid`] for a foreign currency.
    pub fn allocate(&self, total: Money, itbis: Money, limits: &AmountLimits) -> Result<Vec<Share>, Refusal> {
        let amounts = match self {
            Self::Equal { part_count } => equal(*part_count, total, limits)?,
            Self::Amounts(requested) => exact(requested, total, limits)?,
        };
        let weights: Vec<u64> = amounts.iter().map(|it| it.minor_units().unsigned_abs()).collect();
        let itbis = itbis.allocate(&weights).ok_or_else(|| invalid("parts"))?;
        let share = |(amount, allocated_itbis)| Share { amount, allocated_itbis };
        Ok(amounts.into_iter().zip(itbis).map(share).collect())
    }
}

fn equal(part_count: i64, total: Money, limits: &AmountLimits) -> Result<Vec<Money>, Refusal> {
    let at = || invalid("partCount");
    let count = usize::try_from(part_count).map_err(|_| at())?;
    if !Split::PART_COUNTS.contains(&count) {
        return Err(at().with_message("A payment is split into 2 to 10 parts."));
    }
    let amounts = total.allocate(&vec![1; count]).ok_or_else(at)?;
    if amounts.iter().any(|&it| limits.check(it).is_err()) {
        return Err(at().with_message(format!("Each share must be {}.", limits.in_words(total.currency()))));
    }
    Ok(amounts)
}

fn exact(requested: &[AmountDraft], total: Money, limits: &AmountLimits) -> Result<Vec<Money>, Refusal> {
    let currency = total.currency();
    if let Some(index) = requested.iter().position(|it| it.currency != currency.code()) {
        let at = format!("parts.{index}.amount.currency");
        let rule = format!("The currency must be that of the payment, {}.", total.currency().code());
        return Err(Refusal::at(InvalidRequest::ParameterInvalid, at).with_message(rule));
    }
    if !Split::PART_COUNTS.contains(&requested.len()) {
        return Err(invalid("parts").with_message("A payment is split into 2 to 10 parts."));
    }
    let amounts: Vec<Money> = requested.iter().map(|it| Money::new(it.minor_units, currency)).collect();
    if let Some(index) = amounts.iter().position(|&it| limits.check(it).is_err()) {
        let message = format!("Each share must be {}.", limits.in_words(currency));
        return Err(invalid(&format!("parts.{index}.amount.minorUnits")).with_message(message));
    }
    let given: i128 = amounts.iter().map(|it| i128::from(it.minor_units())).sum();
    let expected = total.minor_units();
    if given != i128::from(expected) {
        let message = format!("The parts come to {given} minor units, but the total is {expected}.");
        return Err(invalid("parts").with_message(message));
    }
    Ok(amounts)
}

fn invalid(param: &str) -> Refusal {
    Refusal::at(InvalidRequest::PaymentSplitInvalid, param)
}
