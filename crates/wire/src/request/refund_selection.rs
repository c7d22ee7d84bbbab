//! Selected part of a sale: scope, lines, amount and tip.

use domain::refund::RefundSelection;

use super::{money, refund_lines};
use crate::read::Object;

/// Descriptions of the field `scope`, by its value.
pub(super) const ALL: &str = "Part of the sale: everything that remains, with the voluntary tip.";
pub(super) const LINES: &str = "Part of the sale: lines of the document, or parts of them.";
pub(super) const AMOUNT: &str = "Part of the sale: an amount of the document, allocated over all remaining lines.";
pub(super) const TIP: &str = "Part of the sale: voluntary tip alone.";

/// Description of the field `reason`.
pub(super) const REASON: &str = "Why the money is returned. The credit note states the reason.";
/// Description of the field `description`.
pub(super) const DESCRIPTION: &str =
    "Text that the credit note states in place of the reason: one line of 1 to 90 characters.";
/// Description of the field `acknowledgesItbisLoss`.
pub(super) const ACKNOWLEDGEMENT: &str = "Must be true if the credit note has ITBIS and its document is more than 30 days old: \
                                          the issuer cannot deduct that ITBIS then. Default: false.";

/// Reads nothing: the scope selects everything.
pub(super) fn all(_: &mut Object<'_>) -> Option<RefundSelection> {
    Some(RefundSelection::All)
}

pub(super) fn lines(body: &mut Object<'_>) -> Option<RefundSelection> {
    let lines = body.required("lines", refund_lines::ABOUT, refund_lines::lines);
    let tip = body.optional("voluntaryTip", VOLUNTARY_TIP, |value| money::money(value, 0));
    Some(RefundSelection::Lines(lines?, tip?))
}

pub(super) fn amount(body: &mut Object<'_>) -> Option<RefundSelection> {
    let about = "Amount of the document to refund, with ITBIS and legal tip: at least 1 minor unit. Not every amount has a \
                 credit note: the preview returns the nearest ones.";
    let amount = body.required("amount", about, |value| money::money(value, 1));
    let tip = body.optional("voluntaryTip", VOLUNTARY_TIP, |value| money::money(value, 0));
    Some(RefundSelection::Amount(amount?, tip?))
}

pub(super) fn tip(body: &mut Object<'_>) -> Option<RefundSelection> {
    let about = "Voluntary tip to refund: at least 1 minor unit.";
    body.required("voluntaryTip", about, |value| money::money(value, 1)).map(RefundSelection::Tip)
}

/// Description of an optional `voluntaryTip`.
const VOLUNTARY_TIP: &str = "Voluntary tip to refund in addition. Default: 0.";
