//! Credit notes that follow the document of their sale.

use chrono::{DateTime, Utc};
use domain::{Event, FiscalDocument, fiscal::DocumentStatus, sale::Sale};
use ports::{Change, Credited};

use crate::{Error, Ports, commit::tenant_of, refunds::changed_documents};

/// Effect of a step of a sale's document on the credit notes.
pub(super) struct Followed {
    /// The sale's document, canceled if everything was returned before the rejection.
    pub(super) document: FiscalDocument,
    /// The changed credit notes.
    pub(super) notes: Vec<Change<FiscalDocument>>,
    pub(super) events: Vec<Event>,
}

/// Returns the effect of a document that is issued or rejected now on the credit notes of its sale; `None` without
/// refunds. A sale without refunds costs no statement.
pub(super) async fn follow_document(
    ports: &Ports,
    sale: &Sale,
    was: DocumentStatus,
    now: DateTime<Utc>,
) -> Result<Option<Followed>, Error> {
    let document = &sale.document;
    let is_original = document.refund().is_none() && sale.payment.state().refunds.count > 0;
    let is_settled = matches!(document.status(), DocumentStatus::Issued | DocumentStatus::Rejected);
    if !is_original || !is_settled || document.status() == was {
        return Ok(None);
    }
    let Some(mut before) = ports.refunds.refunded_sale(&tenant_of(sale), &sale.payment.facts.id).await? else {
        return Ok(None);
    };
    before.sale.document = document.clone();
    let mut after = before.clone();
    let events = after.advance_notes(now)?;
    let mut notes = changed_documents(&before, &after, now);
    notes.retain(|change| change.to.refund().is_some());
    Ok(Some(Followed { document: after.sale.document, notes, events }))
}

/// Returns the total of a credit note that is accepted now.
pub(super) fn credited(document: &FiscalDocument, was: DocumentStatus) -> Option<Credited> {
    let note = document.content().note.as_ref()?;
    let is_accepted = document.status() == DocumentStatus::Issued && was != DocumentStatus::Issued;
    let minor_units = document.total().minor_units();
    is_accepted.then(|| Credited { document: note.original.clone(), minor_units })
}
