//! Refunds of a payment, for its payers.

use domain::{
    Money, Payment,
    fiscal::{DocumentStage, DocumentStatus},
    refund::{Leg, RefundRecord},
};

use crate::{amount::format_amount, base_url::PublicBaseUrl, session::CheckoutPageContext, texts::Texts};

/// A refund in the list of the page.
pub(crate) struct RefundEntry {
    pub(crate) day: String,
    pub(crate) status: &'static str,
    /// Whether the outcome of the return is not known yet.
    pub(crate) is_pending: bool,
    /// Money of each payer; one row without a split.
    pub(crate) shares: Vec<RefundShare>,
    pub(crate) note: Option<NoteView>,
}

/// Money that is returned to one card.
pub(crate) struct RefundShare {
    /// Part of the split.
    pub(crate) ordinal: Option<u8>,
    pub(crate) amount: String,
    /// Status, where the parts differ.
    pub(crate) status: Option<&'static str>,
}

/// Credit note of a refund.
pub(crate) struct NoteView {
    /// e-NCF of the issued note.
    pub(crate) number: Option<String>,
    /// Path of the note's files, without the extension.
    pub(crate) path: String,
}

/// Returns the refunds that payers see, newest first.
pub(crate) fn entries(context: &CheckoutPageContext, base_url: &PublicBaseUrl) -> Vec<RefundEntry> {
    let path = base_url.path(&context.path());
    context.refunds.iter().map(|record| RefundEntry::of(record, &path, context.texts)).collect()
}

/// Returns the sum of the returned money, if there is any.
pub(crate) fn returned(payment: &Payment) -> Option<String> {
    let returned = payment.refund_summary()?.refunded;
    (returned.minor_units() > 0).then(|| format_amount(returned))
}

/// Whether a refund or its note changes without a command from the page.
pub(crate) fn are_changing(records: &[RefundRecord]) -> bool {
    records.iter().any(|RefundRecord { refund, note }| {
        use DocumentStatus as S;
        let is_issuing = |status| matches!(status, S::Requested | S::Issuing | S::Delayed);
        refund.status().is_open() || note.as_ref().is_some_and(|note| is_issuing(note.status()))
    })
}

impl RefundEntry {
    fn of(RefundRecord { refund, note }: &RefundRecord, path: &str, texts: &Texts) -> Self {
        let (status, language) = (refund.status(), texts.language);
        let has_differing_legs = refund.legs().windows(2).any(|pair| pair[0].status() != pair[1].status());
        let share = |leg: &Leg| RefundShare {
            ordinal: leg.ordinal,
            amount: format_amount(Money::new(leg.amount, refund.facts.currency)),
            status: has_differing_legs.then(|| language.leg_status(leg.status())),
        };
        Self {
            day: language.day(refund.facts.created_at),
            status: language.refund_status(status),
            is_pending: status.is_open(),
            shares: refund.legs().iter().map(share).collect(),
            note: note.as_ref().filter(|note| note.status() != DocumentStatus::Canceled).map(|note| NoteView {
                number: match note.stage() {
                    DocumentStage::Issued(issued) => Some(issued.numbered.number.as_str().to_owned()),
                    _ => None,
                },
                path: format!("{path}/notes/{}/document", note.facts.id),
            }),
        }
    }
}
