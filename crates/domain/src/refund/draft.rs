//! Requests for refunds, and the credits that they select.

use std::collections::BTreeSet;

use super::{
    LineCredit, LineLeft, RefundRefusal, RefundScope, RefundSettlement, Remaining, RemainingLines, lines::line_number,
};
use crate::{
    Conflict, Currency, InvalidRequest, Money, Unprocessable,
    fiscal::{FiscalLine, Quantity, hundredths_text},
    refusal::Refused,
    text::BoundedText,
};

/// Request for a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundDraft {
    /// Part of the sale.
    pub selection: RefundSelection,
    /// How the money moves.
    pub settlement: RefundSettlement,
    /// Amounts by part of a split; `None` to spread the refund over all charges.
    pub parts: Option<Vec<PartAmount>>,
    /// Whether the merchant accepts that the issuer cannot deduct the ITBIS of a late note.
    pub acknowledges_itbis_loss: bool,
}

/// Selected part of a sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundSelection {
    /// Everything that remains, the voluntary tip included.
    All,
    /// Lines of the document, and an amount of the voluntary tip; none if absent.
    Lines(Vec<LineSelection>, Option<Money>),
    /// An amount of the document, and an amount of the voluntary tip; none if absent.
    Amount(Money, Option<Money>),
    /// An amount of the voluntary tip.
    Tip(Money),
    /// The failed legs of another refund.
    Retry,
}

/// Selected line: all or a part of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSelection {
    /// The line.
    pub line: LineKey,
    /// How much of the line.
    pub part: LinePart,
}

/// Key of a line of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKey {
    /// The merchant's own ID, if no other line has that ID.
    SourceLineId(BoundedText<1, 128>),
    /// Position in the document, from 1.
    Number(u16),
}

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePart {
    /// A quantity.
    Quantity(Quantity),
    /// A net amount, without ITBIS and tip, in minor units.
    Net(i64),
}

/// Amount that is returned to one part of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartAmount {
    /// The part.
    pub ordinal: u8,
    /// The amount.
    pub amount: Money,
}

impl PartAmount {
    /// Returns the place of the first part that an earlier one names already.
    pub fn repeated(parts: &[Self]) -> Option<usize> {
        let mut named = BTreeSet::new();
        parts.iter().position(|part| !named.insert(part.ordinal))
    }
}

/// Reason for which a selected line is not credited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineFault {
    /// More than remains: decided with the state of the payment.
    Exceeds(RefundRefusal),
    /// Any other: decided after the state.
    Invalid(RefundRefusal),
}

impl LineFault {
    pub(super) fn into_refusal(self) -> RefundRefusal {
        match self {
            Self::Exceeds(refusal) | Self::Invalid(refusal) => refusal,
        }
    }
}

impl RefundSelection {
    /// Returns the scope.
    pub const fn scope(&self) -> RefundScope {
        match self {
            Self::All => RefundScope::All,
            Self::Lines(..) => RefundScope::Lines,
            Self::Amount(..) => RefundScope::Amount,
            Self::Tip(_) => RefundScope::Tip,
            Self::Retry => RefundScope::Retry,
        }
    }

    /// Returns the requested voluntary tip in minor units; `None` if the scope decides the tip.
    pub fn voluntary_tip(&self) -> Option<i64> {
        match self {
            Self::All | Self::Retry => None,
            Self::Lines(_, tip) | Self::Amount(_, tip) => Some(tip.map_or(0, Money::minor_units)),
            Self::Tip(tip) => Some(tip.minor_units()),
        }
    }

    fn lines(&self) -> &[LineSelection] {
        match self {
            Self::Lines(lines, _) => lines,
            _ => &[],
        }
    }

    /// Checks the request by itself: amounts and currencies, and that each line is named once.
    ///
    /// # Errors
    ///
    /// `parameter_invalid` at the first field that breaks a rule.
    pub(super) fn check(&self, currency: Currency, lines: Option<&RemainingLines<'_>>) -> Result<(), RefundRefusal> {
        let mut named = BTreeSet::new();
        for (place, selection) in self.lines().iter().enumerate() {
            let invalid =
                |field: &str| RefundRefusal::at(InvalidRequest::ParameterInvalid, format!("lines.{place}{field}"));
            if matches!(selection.part, LinePart::Net(net) if net < 1) {
                return Err(invalid(".netMinorUnits"));
            }
            let found = lines.map_or_else(Vec::new, |lines| selection.line.find(lines.lines()));
            match found.as_slice() {
                [] => {}
                [index] if named.insert(*index) => {}
                [_] => return Err(invalid("").with_message("The line is named twice.")),
                _ => {
                    return Err(invalid(".sourceLineId")
                        .with_message("Several lines have this id: name the line by its number."));
                }
            }
        }
        match self {
            Self::All | Self::Retry => Ok(()),
            Self::Lines(_, tip) => check_tip(*tip, currency),
            Self::Amount(amount, tip) => {
                check_money("amount", *amount, 1, currency)?;
                check_tip(*tip, currency)
            }
            Self::Tip(tip) => check_money("voluntaryTip", *tip, 1, currency),
        }
    }

    /// Returns the credit of each selected line, or the fault of the line.
    pub(super) fn credits(&self, remaining: &Remaining<'_>) -> Vec<Result<LineCredit, LineFault>> {
        let Some(lines) = &remaining.document else { return Vec::new() };
        self.lines().iter().enumerate().map(|(place, selection)| selection.credit(place, lines, remaining)).collect()
    }
}

impl RefundDraft {
    /// Checks the request by itself. See [`RefundSelection::check`].
    pub(super) fn check(&self, currency: Currency, lines: Option<&RemainingLines<'_>>) -> Result<(), RefundRefusal> {
        self.selection.check(currency, lines)?;
        let parts = self.parts.iter().flatten().enumerate();
        for (place, part) in parts {
            check_money(&format!("parts.{place}.amount"), part.amount, 1, currency)?;
        }
        Ok(())
    }
}

impl LineKey {
    /// Returns the positions of the billable lines with that key, from 0.
    fn find(&self, lines: &[FiscalLine]) -> Vec<usize> {
        let has_key = |(index, line): &(usize, &FiscalLine)| {
            line.is_billable()
                && match self {
                    Self::SourceLineId(id) => line.source_line_id == *id,
                    Self::Number(number) => line_number(*index) == Some(*number),
                }
        };
        lines.iter().enumerate().filter(has_key).map(|(index, _)| index).collect()
    }
}

impl LineSelection {
    fn credit(
        &self,
        place: usize,
        lines: &RemainingLines<'_>,
        remaining: &Remaining<'_>,
    ) -> Result<LineCredit, LineFault> {
        let refused = |code: Refused, field: &str| RefundRefusal::at(code, format!("lines.{place}{field}"));
        let invalid = |code: Unprocessable, field: &str| LineFault::Invalid(refused(code.into(), field));
        let unknown = || invalid(Unprocessable::RefundLineNotFound, "");
        let index = self.line.find(lines.lines()).first().copied().ok_or_else(unknown)?;
        let (line, number) = lines.lines().get(index).zip(line_number(index)).ok_or_else(unknown)?;
        let (left, net) = lines.left(index).zip(lines.net(index)).ok_or_else(unknown)?;
        let exceeds = |field: &str, left: String, all: String| {
            let message = format!("Of line {number}, {left} of {all} is left.");
            LineFault::Exceeds(refused(Conflict::RefundAmountExceedsRefundable.into(), field).with_message(message))
        };
        let credit = match (&self.part, left) {
            (LinePart::Quantity(_), LineLeft::Net(_)) => {
                return Err(invalid(Unprocessable::RefundLineNotDivisible, ".quantity"));
            }
            (LinePart::Quantity(quantity), LineLeft::Quantity(all)) => {
                let whole = line.quantity.hundredths();
                let credit = lines.quantity_credit(index, quantity.hundredths());
                credit.ok_or_else(|| exceeds(".quantity", hundredths_text(all), hundredths_text(whole)))?
            }
            (LinePart::Net(amount), _) if *amount > net => {
                let whole = line.total().and_then(|total| i64::try_from(total).ok()).unwrap_or(net);
                return Err(exceeds(".netMinorUnits", remaining.text(net), remaining.text(whole)));
            }
            (LinePart::Net(amount), _) => {
                LineCredit { line_number: number, hundredths: None, net_minor_units: *amount }
            }
        };
        if credit.net_minor_units < 1 {
            return Err(invalid(Unprocessable::FiscalLineTotalInvalid, ""));
        }
        Ok(credit)
    }
}

fn check_tip(tip: Option<Money>, currency: Currency) -> Result<(), RefundRefusal> {
    tip.map_or(Ok(()), |tip| check_money("voluntaryTip", tip, 0, currency))
}

fn check_money(param: &str, money: Money, least: i64, currency: Currency) -> Result<(), RefundRefusal> {
    let invalid = |field: &str| RefundRefusal::at(InvalidRequest::ParameterInvalid, format!("{param}.{field}"));
    if money.currency() != currency {
        return Err(
            invalid("currency").with_message(format!("The currency must be that of the payment, {}.", currency.code()))
        );
    }
    if money.minor_units() < least { Err(invalid("minorUnits")) } else { Ok(()) }
}
