//! Input of the page besides its request, and conditions that several parts of the page share.

use chrono::{DateTime, Utc};
use domain::{
    catalog::Catalog,
    fiscal::{DocumentKind, DocumentStage, EmailStatus, IssuanceMode},
    money::AmountLimits,
    sale::Sale,
};

use crate::{base_url::PublicBaseUrl, form::CardFaults, note::Note};

pub(crate) struct ViewInput<'a> {
    pub(crate) base_url: &'a PublicBaseUrl,
    pub(crate) catalog: &'a Catalog,
    pub(crate) limits: &'a AmountLimits,
    pub(crate) now: DateTime<Utc>,
    pub(crate) note: Option<Note>,
    /// Whether the payer may split the payment.
    pub(crate) may_split: bool,
    pub(crate) form: FormInput,
}

/// Input of forms that were not applied.
#[derive(Default)]
pub(crate) struct FormInput {
    pub(crate) faults: CardFaults,
    pub(crate) split: Option<SplitInput>,
    /// Chosen kind of document.
    pub(crate) kind: Option<DocumentKind>,
}

/// Typed shares of a split.
pub(crate) struct SplitInput {
    pub(crate) people: u8,
    /// Amounts as typed; empty before the first submission.
    pub(crate) amounts: Vec<String>,
    pub(crate) is_wrong: bool,
}

/// Chosen kind of document that still lacks a detail. The page accepts no card until the document is complete.
pub(crate) fn incomplete_kind(sale: &Sale, input: &ViewInput<'_>) -> Option<DocumentKind> {
    let is_offered = |it: &DocumentKind| sale.payment.facts.display.available_kinds.contains(it);
    let may_choose = !sale.document.facts.is_kind_locked && sale.payment.is_editable(input.now);
    input.form.kind.filter(|it| may_choose && is_offered(it) && *it != sale.document.content().kind)
}

/// Whether an e-mail of the issued document is queued.
pub(crate) fn is_being_mailed(sale: &Sale) -> bool {
    let is_issued = matches!(sale.document.stage(), DocumentStage::Issued(_));
    let status = &sale.document.state().delivery.status;
    is_issued && matches!(status, EmailStatus::WaitingForDocument | EmailStatus::Queued { .. })
}

/// Whether the sale requires its document before completion, and issuance is in progress.
pub(crate) fn is_being_issued(sale: &Sale) -> bool {
    sale.document.facts.issuance_mode == IssuanceMode::Required
        && matches!(
            sale.document.stage(),
            DocumentStage::Requested | DocumentStage::Issuing(_) | DocumentStage::Delayed(..)
        )
}
