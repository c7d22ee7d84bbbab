//! Decision about a requested refund.

use super::{
    CreditNote, LineCredit, NearestAmounts, NoteSearch, PlannedLeg, RefundAmounts, RefundContext, RefundDraft,
    RefundRefusal, RefundScope, RefundSelection, RefundSettlement, RemainingLines,
    charge::by_remaining,
    checks::{check_account, check_state},
    draft::LineFault,
};
use crate::{InvalidRequest, Money, Unprocessable, fiscal::Modification};

/// A refund that was decided and not begun: amounts, lines and legs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPlan {
    /// Part of the sale.
    pub scope: RefundScope,
    /// How the money moves.
    pub settlement: RefundSettlement,
    /// Requested money.
    pub requested: RefundAmounts,
    /// The planned note; `None` if the refund credits no document.
    pub note: Option<CreditNote>,
    /// Undocumented money, see the glossary, before this refund.
    pub undocumented: i64,
    /// Legs by ordinal.
    pub legs: Vec<PlannedLeg>,
    /// How the note modifies the document; `None` without a note.
    pub modification: Option<Modification>,
    /// Whether a note of today is late; `None` without a note.
    pub is_late: Option<bool>,
}

/// Result of a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundPreview {
    /// The refund is possible.
    Exact(Box<RefundPlan>),
    /// No note has exactly the total of this amount.
    Inexact {
        /// Requested money.
        requested: RefundAmounts,
        /// Amounts that have a note.
        nearest: NearestAmounts,
    },
}

impl RefundPlan {
    /// Decides about a request. Requests are checked in the published order: by themselves, then with the state of
    /// the payment, then by their content.
    ///
    /// # Errors
    ///
    /// The first [`RefundRefusal`].
    pub fn decide(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<Self, RefundRefusal> {
        Self::of(draft, context)?.acknowledged(draft.acknowledges_itbis_loss)
    }

    /// Decides without the acknowledgement, and returns the nearest amounts instead of an amount that has no note.
    ///
    /// # Errors
    ///
    /// The first [`RefundRefusal`].
    pub fn preview(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<RefundPreview, RefundRefusal> {
        match (Self::of(draft, context), &draft.selection) {
            (Ok(plan), _) => Ok(RefundPreview::Exact(Box::new(plan))),
            (Err(RefundRefusal { nearest: Some(nearest), .. }), RefundSelection::Amount(amount, tip)) => {
                let voluntary_tip = tip.map_or(0, Money::minor_units);
                let requested = RefundAmounts { amount: amount.minor_units(), voluntary_tip };
                Ok(RefundPreview::Inexact { requested, nearest })
            }
            (Err(refusal), _) => Err(refusal),
        }
    }

    /// Whether the merchant must acknowledge that the issuer cannot deduct the ITBIS of the note.
    pub fn needs_acknowledgement(&self) -> bool {
        self.is_late == Some(true) && self.note.as_ref().is_some_and(|note| note.itbis() > 0)
    }

    /// Checks that the merchant has acknowledged a loss of ITBIS.
    pub(super) fn acknowledged(self, acknowledges_itbis_loss: bool) -> Result<Self, RefundRefusal> {
        if self.needs_acknowledgement() && !acknowledges_itbis_loss {
            return Err(RefundRefusal::at(Unprocessable::RefundItbisLossUnacknowledged, "acknowledgesItbisLoss"));
        }
        Ok(self)
    }

    fn of(draft: &RefundDraft, context: &RefundContext<'_>) -> Result<Self, RefundRefusal> {
        let remaining = &context.remaining;
        draft.check(remaining.currency, remaining.document.as_ref())?;
        let credits = draft.selection.credits(remaining);
        check_state(draft, &credits, context)?;
        check_account(draft, context)?;
        let credits: Result<Vec<_>, _> = credits.into_iter().collect();
        let credits = credits.map_err(LineFault::into_refusal)?;
        let note = draft.selection.note(credits, context)?;
        let requested = draft.selection.requested(note.as_ref(), context);
        let total = requested.total().ok_or_else(|| RefundRefusal::of(InvalidRequest::ParameterInvalid))?;
        let amounts = match (&draft.parts, &context.retried) {
            (Some(parts), _) => {
                let sum: i128 = parts.iter().map(|part| i128::from(part.amount.minor_units())).sum();
                if sum != i128::from(total) {
                    let (sum, total) = (remaining.text(i64::try_from(sum).unwrap_or(i64::MAX)), remaining.text(total));
                    let message = format!("The parts come to {sum}, but the refund to {total}.");
                    return Err(RefundRefusal::at(Unprocessable::RefundPartsMismatch, "parts").with_message(message));
                }
                parts.iter().map(|part| (Some(part.ordinal), part.amount.minor_units())).collect()
            }
            (None, Some(retried)) if draft.selection == RefundSelection::Retry => retried.legs.clone(),
            _ => by_remaining(&remaining.charges, total),
        };
        let charges = amounts.into_iter().filter_map(|(ordinal, amount)| Some((*remaining.charge(ordinal)?, amount)));
        let charges: Vec<_> = charges.collect();
        let itbis = note.as_ref().map_or(0, CreditNote::itbis);
        let legs = PlannedLeg::spread(&charges, itbis, draft.settlement, &context.terms, context.now);
        Ok(Self::new(draft.selection.scope(), draft.settlement, requested, note, legs, context))
    }

    /// Returns a plan with the facts that follow from the note.
    pub(super) fn new(
        scope: RefundScope,
        settlement: RefundSettlement,
        requested: RefundAmounts,
        note: Option<CreditNote>,
        legs: Vec<PlannedLeg>,
        context: &RefundContext<'_>,
    ) -> Self {
        let original = context.original.filter(|_| note.is_some());
        Self {
            scope,
            settlement,
            requested,
            undocumented: context.remaining.undocumented,
            legs,
            modification: original.zip(note.as_ref()).map(|(original, note)| original.modification(note.total())),
            is_late: original.map(|original| original.is_late(context.now)),
            note,
        }
    }
}

impl RefundSelection {
    /// Returns the note of the selection; `None` if the selection credits no document.
    pub(super) fn note(
        &self,
        credits: Vec<LineCredit>,
        context: &RefundContext<'_>,
    ) -> Result<Option<CreditNote>, RefundRefusal> {
        let Some(lines) = &context.remaining.document else { return Ok(None) };
        let undocumented = context.remaining.undocumented;
        let above = |note: &CreditNote| note.total() > undocumented;
        let invalid = |param: &str| RefundRefusal::at(Unprocessable::FiscalLineTotalInvalid, param);
        match self {
            Self::Tip(_) => Ok(None),
            Self::All => Ok(CreditNote::of(lines, lines.everything())),
            Self::Lines(..) => {
                let note = CreditNote::of(lines, credits).filter(above);
                note.map(Some).ok_or_else(|| invalid("lines"))
            }
            Self::Amount(amount, _) => note_of_amount(lines, *amount, undocumented).map(Some),
            Self::Retry => {
                let Some(retried) = context.retried.as_ref().filter(|retried| retried.amounts.amount > 0) else {
                    return Ok(None);
                };
                let note = CreditNote::of(lines, retried.credits.clone()).filter(above);
                let note = note.ok_or_else(|| invalid("retriedRefundId"))?;
                if note.total().saturating_sub(undocumented) == retried.amounts.amount {
                    return Ok(Some(note));
                }
                let message = "Since then other refunds have taken so much that no credit note states the failed legs.";
                Err(RefundRefusal::at(Unprocessable::FiscalTotalMismatch, "retriedRefundId").with_message(message))
            }
        }
    }

    /// Returns the money of the selection, with the selected `note`.
    pub(super) fn requested(&self, note: Option<&CreditNote>, context: &RefundContext<'_>) -> RefundAmounts {
        let remaining = &context.remaining;
        let documented = note.map_or(0, |note| note.total().saturating_sub(remaining.undocumented));
        match self {
            Self::All => remaining.everything(),
            Self::Lines(_, tip) => {
                RefundAmounts { amount: documented, voluntary_tip: tip.map_or(0, Money::minor_units) }
            }
            Self::Amount(amount, tip) => {
                RefundAmounts { amount: amount.minor_units(), voluntary_tip: tip.map_or(0, Money::minor_units) }
            }
            Self::Tip(tip) => RefundAmounts { amount: 0, voluntary_tip: tip.minor_units() },
            Self::Retry => context.retried.as_ref().map(|retried| retried.amounts).unwrap_or_default(),
        }
    }
}

/// Returns the note of a refund of `amount`, which states the undocumented money too.
fn note_of_amount(lines: &RemainingLines<'_>, amount: Money, undocumented: i64) -> Result<CreditNote, RefundRefusal> {
    let (units, currency) = (amount.minor_units(), amount.currency());
    let search = NoteSearch::within(lines, &lines.everything());
    let exact = |search: &NoteSearch<'_>| search.exactly(units.checked_add(undocumented)?);
    if let Some(note) = search.as_ref().and_then(exact) {
        return Ok(note);
    }
    let nearest = search.map_or_else(NearestAmounts::default, |search| search.nearest(units, undocumented));
    let text = |units: i64| Money::new(units, currency).decimal_text();
    let known = match (nearest.below.map(text), nearest.above.map(text)) {
        (Some(below), Some(above)) => format!("; {below} and {above} do."),
        (Some(one), None) | (None, Some(one)) => format!("; {one} does."),
        (None, None) => ".".to_owned(),
    };
    let message = format!("No credit note comes to exactly {}{known}", text(units));
    let refusal = RefundRefusal::at(Unprocessable::FiscalTotalMismatch, "amount.minorUnits").with_message(message);
    Err(RefundRefusal { nearest: Some(nearest), ..refusal })
}
