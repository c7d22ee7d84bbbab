//! End of a refund: the note of the money that was in fact returned.

use super::{CreditNote, LineCredit, NoteSearch, RefundAmounts, RemainingLines, charge::legs_itbis};

/// Number of amounts below the returned money among which a note is searched.
const REACH: i64 = 9;

/// Result of a refund whose legs have ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundEnd {
    /// Returned money.
    pub returned: RefundAmounts,
    /// The note of that money, if any.
    pub note: Option<CreditNote>,
    /// Returned money of the document that no note states, after this refund.
    pub undocumented: i64,
    /// ITBIS of each leg; 0 of a failed one.
    pub itbis: Vec<i64>,
}

/// Facts of a refund that decide its end.
#[derive(Clone, Copy, Debug)]
pub struct PlannedRefund<'a> {
    /// Requested money.
    pub requested: RefundAmounts,
    /// The planned note.
    pub note: Option<&'a CreditNote>,
    /// Returned money of the document without a note before this refund.
    pub undocumented: i64,
    /// Amount of each leg, and whether the leg succeeded.
    pub legs: &'a [(i64, bool)],
}

impl PlannedRefund<'_> {
    /// Returns the end of the refund. `remaining` are the lines without this refund; `None` without a document.
    ///
    /// If every leg succeeded, the note is the planned one. If none did, no note is issued. Else the note is the largest
    /// within the planned credits that is not above the returned money of the document; the rest stays undocumented,
    /// and the next note states the rest.
    pub fn end(&self, remaining: Option<&RemainingLines<'_>>) -> RefundEnd {
        let total =
            self.legs.iter().filter(|(_, is_returned)| *is_returned).fold(0_i64, |sum, leg| sum.saturating_add(leg.0));
        let returned = self.requested.in_returned(total);
        let note = if self.legs.iter().all(|(_, is_returned)| *is_returned) {
            self.note.cloned()
        } else if total == 0 {
            None
        } else {
            self.note.and_then(|note| partial_note(remaining?, &note.lines, self.documentable(returned)))
        };
        // Without a document no note is owed.
        let noted = note.as_ref().map_or(0, CreditNote::total);
        let undocumented = remaining.map_or(0, |_| self.documentable(returned).saturating_sub(noted));
        let itbis = self.itbis(note.as_ref());
        RefundEnd { returned, note, undocumented, itbis }
    }

    fn documentable(&self, returned: RefundAmounts) -> i64 {
        returned.amount.saturating_add(self.undocumented)
    }

    fn itbis(&self, note: Option<&CreditNote>) -> Vec<i64> {
        let returned = |(amount, is_returned): &(i64, bool)| if *is_returned { *amount } else { 0 };
        let amounts: Vec<i64> = self.legs.iter().map(returned).collect();
        legs_itbis(&amounts, note.map_or(0, CreditNote::itbis))
    }
}

/// Returns the largest note within `caps` that is at most `amount`, and not more than [`REACH`] below.
pub(super) fn partial_note(remaining: &RemainingLines<'_>, caps: &[LineCredit], amount: i64) -> Option<CreditNote> {
    NoteSearch::within(remaining, caps)?.at_most(amount, REACH)
}

/// Returns the planned credits that the final note does not have, by amount.
pub(super) fn unnoted(planned: &[LineCredit], noted: &[LineCredit]) -> Vec<LineCredit> {
    let noted_of = |number: u16| -> i64 {
        noted.iter().filter(|credit| credit.line_number == number).map(|credit| credit.net_minor_units).sum()
    };
    let rest = planned.iter().map(|credit| LineCredit {
        hundredths: None,
        net_minor_units: credit.net_minor_units.saturating_sub(noted_of(credit.line_number)),
        ..*credit
    });
    rest.filter(|credit| credit.net_minor_units > 0).collect()
}
