//! Refusals of a refund by the state of its payment and of the merchant's account, in the published order.

use super::{
    BlockingRefund, ChargeOrdinal, LineCredit, PaymentRefundability, RefundContext, RefundDraft, RefundRefusal,
    RefundScope, RefundSelection, RefundSettlement, RefundUnavailable, draft::LineFault,
};
use crate::{Conflict, Unprocessable, fiscal::DocumentKind};

type Credits = [Result<LineCredit, LineFault>];

/// Checks the state of the payment.
pub(super) fn check_state(
    draft: &RefundDraft,
    credits: &Credits,
    context: &RefundContext<'_>,
) -> Result<(), RefundRefusal> {
    let remaining = &context.remaining;
    match context.payment {
        PaymentRefundability::AwaitingVerification => {
            return Err(RefundRefusal::of(Conflict::PaymentAwaitingVerification));
        }
        PaymentRefundability::NotRefundable => return Err(RefundRefusal::of(Conflict::PaymentNotRefundable)),
        PaymentRefundability::Completable => {
            let message = "Payers may still complete this bill. It can be refunded after the end of its extension.";
            return Err(RefundRefusal::of(Conflict::PaymentNotRefundable).with_message(message));
        }
        PaymentRefundability::Refundable if remaining.money() == 0 && remaining.pending() == 0 => {
            return Err(RefundRefusal::of(Conflict::PaymentNotRefundable));
        }
        PaymentRefundability::Refundable => {}
    }
    match context.blocking {
        Some(BlockingRefund::Unfinished) => return Err(RefundRefusal::of(Conflict::RefundInProgress)),
        Some(BlockingRefund::Unattributed) => {
            let message = "A return that was found at the provider must be attributed first.";
            return Err(RefundRefusal::of(Conflict::RefundInProgress).with_message(message));
        }
        None => {}
    }
    check_document(&draft.selection, credits, context)?;
    let is_retry = draft.selection == RefundSelection::Retry;
    if is_retry && context.retried.is_none() {
        return Err(RefundRefusal::at(Conflict::RefundNotRetryable, "retriedRefundId"));
    }
    check_provider(draft, context)?;
    if is_retry {
        return check_retry(context);
    }
    check_remaining(&draft.selection, credits, context)?;
    check_parts(draft, context)
}

/// Checks that the document permits the scope: a rejected document is refunded whole or not at all, and without a
/// document there are neither lines nor tip.
pub(super) fn check_document(
    selection: &RefundSelection,
    credits: &Credits,
    context: &RefundContext<'_>,
) -> Result<(), RefundRefusal> {
    let unsettled = |message| Err(RefundRefusal::at(Conflict::RefundDocumentUnsettled, "scope").with_message(message));
    let Some(lines) = &context.remaining.document else {
        let needs_document = matches!(selection.scope(), RefundScope::Lines | RefundScope::Tip);
        let message = "The payment has no fiscal document, so no lines and no tip: use scope `all` or `amount`.";
        return if needs_document { unsettled(message) } else { Ok(()) };
    };
    let takes_all = |credits: &[LineCredit]| lines.after(credits).is_some_and(|rest| rest.total() == 0);
    let takes_part = match selection {
        RefundSelection::All | RefundSelection::Tip(_) => false,
        RefundSelection::Amount(amount, _) => amount.minor_units() < context.remaining.amount(),
        RefundSelection::Lines(..) => {
            let known: Option<Vec<LineCredit>> = credits.iter().map(|credit| credit.as_ref().ok().copied()).collect();
            !known.is_some_and(|known| takes_all(&known))
        }
        RefundSelection::Retry => {
            let retried = context.retried.as_ref().filter(|retried| retried.amounts.amount > 0);
            retried.is_some_and(|retried| !takes_all(&retried.credits))
        }
    };
    let is_rejected = context.original.is_some_and(|original| original.is_rejected);
    let message = "DGII rejected the fiscal document: correct it first, or refund everything.";
    if is_rejected && takes_part { unsettled(message) } else { Ok(()) }
}

/// Checks that the acquirer takes refunds of the charges: of those that the request names, else of any with money.
fn check_provider(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<(), RefundRefusal> {
    if draft.settlement == RefundSettlement::Outside {
        return Ok(());
    }
    let remaining = &context.remaining;
    let named: Option<Vec<ChargeOrdinal>> = match (&draft.selection, &context.retried, &draft.parts) {
        (RefundSelection::Retry, Some(retried), _) => Some(retried.legs.iter().map(|(ordinal, _)| *ordinal).collect()),
        (_, _, Some(parts)) => Some(parts.iter().map(|part| Some(part.ordinal)).collect()),
        _ => None,
    };
    let concerned = remaining.charges.iter().filter(|charge| match &named {
        Some(named) => named.contains(&charge.ordinal),
        None => charge.remaining() > 0,
    });
    for charge in concerned {
        let message = match context.terms.unavailable(charge, context.now) {
            None => continue,
            Some(RefundUnavailable::TooOld { charged_on, last_day }) => format!(
                "This was charged on {charged_on}; the provider takes refunds until {last_day}. Use settlement outside."
            ),
            Some(RefundUnavailable::Refunded) => {
                "The provider takes one refund of a charge, and has taken one. Use settlement outside.".to_owned()
            }
        };
        return Err(RefundRefusal::at(Conflict::RefundNotAvailableAtProvider, "settlement").with_message(message));
    }
    Ok(())
}

/// Checks the voluntary tip, then the lines, then the amount.
pub(super) fn check_remaining(
    selection: &RefundSelection,
    credits: &Credits,
    context: &RefundContext<'_>,
) -> Result<(), RefundRefusal> {
    let remaining = &context.remaining;
    let exceeds = |param: &str| RefundRefusal::at(Conflict::RefundAmountExceedsRefundable, param);
    if selection.voluntary_tip().is_some_and(|tip| tip > remaining.voluntary_tip) {
        let message = format!("Only {} of the tip is left.", remaining.text(remaining.voluntary_tip));
        return Err(exceeds("voluntaryTip.minorUnits").with_message(message));
    }
    for credit in credits {
        if let Err(LineFault::Exceeds(refusal)) = credit {
            return Err(refusal.clone());
        }
    }
    match selection {
        RefundSelection::Amount(amount, _) if amount.minor_units() > remaining.amount() => {
            let left = remaining.text(remaining.amount());
            let pending = match remaining.pending() {
                0 => String::new(),
                pending => format!("; {} is on its way", remaining.text(pending)),
            };
            let message = format!("Of this payment {left} can be given back{pending}.");
            Err(exceeds("amount.minorUnits").with_message(message))
        }
        _ => Ok(()),
    }
}

fn check_parts(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<(), RefundRefusal> {
    for (place, part) in draft.parts.iter().flatten().enumerate() {
        let left = context.remaining.charge(Some(part.ordinal)).map_or(0, |charge| charge.remaining());
        if part.amount.minor_units() > left {
            let message = format!("Part {} has {} left.", part.ordinal, context.remaining.text(left));
            let param = format!("parts.{place}.amount.minorUnits");
            return Err(RefundRefusal::at(Conflict::RefundAmountExceedsRefundable, param).with_message(message));
        }
    }
    Ok(())
}

/// Checks that no refund in between has taken lines, tip or parts of the retried one.
fn check_retry(context: &RefundContext<'_>) -> Result<(), RefundRefusal> {
    let (Some(retried), remaining) = (&context.retried, &context.remaining) else { return Ok(()) };
    let has_lines = remaining
        .document
        .as_ref()
        .is_none_or(|lines| retried.amounts.amount == 0 || lines.after(&retried.credits).is_some());
    let has_charge = |(ordinal, amount): &(ChargeOrdinal, i64)| {
        remaining.charge(*ordinal).is_some_and(|charge| charge.remaining() >= *amount)
    };
    let has_tip = retried.amounts.voluntary_tip <= remaining.voluntary_tip;
    if has_lines && has_tip && retried.legs.iter().all(has_charge) {
        return Ok(());
    }
    let message = "Refunds in between have taken what this refund returns.";
    Err(RefundRefusal::at(Conflict::RefundAmountExceedsRefundable, "retriedRefundId").with_message(message))
}

/// Checks the merchant's account. A rejected document that is refunded whole is canceled without a note.
pub(super) fn check_account(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<(), RefundRefusal> {
    check_note_account(&draft.selection, context)?;
    if draft.settlement == RefundSettlement::Outside || context.account.can_use_acquirer {
        return Ok(());
    }
    let message = "The merchant account cannot use the provider: it is suspended or closed, or has no credentials.";
    Err(RefundRefusal::of(Unprocessable::MerchantAccountNotReady).with_message(message))
}

/// Checks that the account can issue the note, if one is needed.
pub(super) fn check_note_account(
    selection: &RefundSelection,
    context: &RefundContext<'_>,
) -> Result<(), RefundRefusal> {
    if context.account.can_issue_notes || !needs_note(selection, context) {
        return Ok(());
    }
    let kind = DocumentKind::CreditNote.as_str();
    let message = format!("The merchant account is not ready for `{kind}`: no number or no certificate is in force.");
    Err(RefundRefusal::of(Unprocessable::MerchantAccountNotReady).with_message(message))
}

/// Whether the authority will get a note.
fn needs_note(selection: &RefundSelection, context: &RefundContext<'_>) -> bool {
    let Some((lines, original)) = context.remaining.document.as_ref().zip(context.original) else { return false };
    match selection {
        RefundSelection::Tip(_) => false,
        RefundSelection::All => !original.is_rejected && lines.total() > 0,
        RefundSelection::Retry => context.retried.as_ref().is_some_and(|retried| retried.amounts.amount > 0),
        RefundSelection::Lines(..) | RefundSelection::Amount(..) => true,
    }
}
