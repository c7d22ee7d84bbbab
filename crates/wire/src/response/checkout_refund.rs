use domain::{
    Currency, FiscalDocument, FiscalDocumentId, RefundId,
    fiscal::{DocumentStage, DocumentStatus},
    refund::{self, LegStatus, RefundRecord, RefundStatus},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Money,
    value::{Coded, Id, Timestamp},
};

/// Refund as shown to the holder of a checkout token.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CheckoutRefund<'a> {
    /// Identifier of the refund.
    id: Id<'a, RefundId>,
    /// Status of the refund.
    status: Coded<RefundStatus>,
    /// Amount of the refund.
    total_amount: Money,
    /// When the refund was created.
    created_at: Timestamp,
    /// Shares of the charges in the refund, by ordinal.
    #[schemars(length(min = 1, max = 10))]
    legs: Vec<Leg>,
    /// Credit note of the refund. `null` until the last leg ends, and if no document is credited.
    credit_note: Option<CreditNote<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct Leg {
    /// Ordinal of the refunded part, 1 to 10. `null` if the payment is not split.
    #[schemars(range(min = 1, max = 10), extend("format" = "int64"))]
    ordinal: Option<u8>,
    /// Amount of the leg.
    amount: Money,
    /// Status of the leg.
    status: Coded<LegStatus>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckoutCreditNote")]
struct CreditNote<'a> {
    /// Identifier of the document.
    id: Id<'a, FiscalDocumentId>,
    /// e-NCF of the credit note: `E34` and ten digits. `null` until `status` is `issued`.
    #[schemars(regex(pattern = "^E[0-9]{12}$"))]
    fiscal_number: Option<&'a str>,
    /// Status of the document.
    status: Coded<DocumentStatus>,
}

impl<'a> From<&'a RefundRecord> for CheckoutRefund<'a> {
    fn from(RefundRecord { refund, note }: &'a RefundRecord) -> Self {
        let currency = refund.facts.currency;
        Self {
            id: (&refund.facts.id).into(),
            status: refund.status().into(),
            total_amount: domain::Money::new(refund.state().total, currency).into(),
            created_at: refund.facts.created_at.into(),
            legs: refund.legs().iter().map(|leg| Leg::new(leg, currency)).collect(),
            credit_note: note.as_ref().map(CreditNote::from),
        }
    }
}

impl Leg {
    fn new(leg: &refund::Leg, currency: Currency) -> Self {
        let amount = domain::Money::new(leg.amount, currency).into();
        Self { ordinal: leg.ordinal, amount, status: leg.status().into() }
    }
}

impl<'a> From<&'a FiscalDocument> for CreditNote<'a> {
    fn from(note: &'a FiscalDocument) -> Self {
        let fiscal_number = match note.stage() {
            DocumentStage::Issued(issued) => Some(issued.numbered.number.as_str()),
            _ => None,
        };
        Self { id: (&note.facts.id).into(), fiscal_number, status: note.status().into() }
    }
}
