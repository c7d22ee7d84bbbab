//! End of a refund: the note of the money that was in fact returned.

use chrono::{DateTime, Utc};

use super::{
    CreditNote, Leg, LegStatus, LineCredit, NoteSearch, Refund, RefundAmounts, RefundState, RemainingLines,
    charge::legs_itbis,
};

/// Number of amounts below the returned money among which a note is searched. Enough in practice: in random series with
/// failed legs, at most 5 minor units stayed without a note.
const PARTIAL_REACH: i64 = 9;

/// Result of a refund whose legs have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundEnd {
    /// Returned money.
    pub returned: RefundAmounts,
    /// The note of that money, if any.
    pub note: Option<CreditNote>,
    /// Undocumented money, see the glossary, after this refund.
    pub undocumented: i64,
    /// ITBIS of each leg; 0 of a failed one.
    pub itbis: Vec<i64>,
}

impl Refund {
    /// Ends the refund after its last leg: the final note of the returned money, and the ITBIS of the legs. `remaining`
    /// are the lines without this refund; `None` without a document.
    ///
    /// Returns `None` while a leg is open, and if the refund has ended before.
    pub fn end(&mut self, remaining: Option<&RemainingLines<'_>>, now: DateTime<Utc>) -> Option<RefundEnd> {
        let is_open = self.legs().iter().any(|leg| leg.status().is_open());
        if is_open || self.state.ended_at.is_some() || self.state.scope.is_none() {
            return None;
        }
        let end = self.result(remaining);
        let state = &mut self.state;
        state.legs.iter_mut().zip(&end.itbis).for_each(|(leg, itbis)| leg.allocate_itbis(*itbis));
        (state.note, state.ended_at) = (end.note.clone(), Some(now));
        self.touch(now);
        Some(end)
    }

    /// Returns the result of a refund whose legs have ended. `remaining` are the lines without this refund; `None` without
    /// a document.
    ///
    /// If every leg succeeded, the note is the planned one. If none did, no note is issued. Else the note is the largest
    /// within the planned credits that is not above the returned money of the document; the rest stays undocumented,
    /// and the next note states the rest.
    pub(super) fn result(&self, remaining: Option<&RemainingLines<'_>>) -> RefundEnd {
        let RefundState { undocumented, note: planned, .. } = &self.state;
        let is_returned = |leg: &Leg| leg.status() == LegStatus::Succeeded;
        let returned = self.returned();
        let documentable = returned.amounts.amount.saturating_add(*undocumented);
        let note = match planned {
            Some(planned) if self.legs().iter().all(is_returned) => Some(planned.clone()),
            Some(planned) if returned.total > 0 => {
                remaining.and_then(|lines| partial_note(lines, &planned.lines, documentable))
            }
            _ => None,
        };
        let noted = note.as_ref().map_or(0, CreditNote::total);
        let amounts = self.legs().iter().map(|leg| if is_returned(leg) { leg.amount } else { 0 });
        let itbis = legs_itbis(&amounts.collect::<Vec<_>>(), note.as_ref().map_or(0, CreditNote::itbis));
        // Without a document no note is owed.
        let undocumented = remaining.map_or(0, |_| documentable.saturating_sub(noted));
        RefundEnd { returned: returned.amounts, note, undocumented, itbis }
    }
}

/// Returns the largest note within `caps` that is at most `amount`, and not more than [`PARTIAL_REACH`] below.
pub(super) fn partial_note(remaining: &RemainingLines<'_>, caps: &[LineCredit], amount: i64) -> Option<CreditNote> {
    NoteSearch::within(remaining, caps)?.at_most(amount, PARTIAL_REACH)
}
