//! Data of a fiscal document: its fixed facts, its content, its state.

use chrono::{DateTime, Utc};

use super::{
    Breakdown, Buyer, DocumentKind, DocumentStage, EmailDelivery, Environment, ExchangeRate, FiscalLine,
    GovernmentEligibility, IssuanceMode, NoteContent, TaxId,
};
use crate::{
    Currency, FiscalDocumentId, MerchantId, Mode, PaymentId,
    text::{BoundedText, Digits},
};

/// Facts that are fixed when a document is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFacts {
    /// The identifier.
    pub id: FiscalDocumentId,
    /// The payment.
    pub payment: PaymentId,
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// Environment of the authority.
    pub environment: Environment,
    /// The issuer.
    pub issuer: Issuer,
    /// Whether the checkout waits for the document.
    pub issuance_mode: IssuanceMode,
    /// Currency of the charge.
    pub currency: Currency,
    /// Exchange rate to pesos, frozen with the sale; `None` for a charge in pesos.
    pub rate: Option<ExchangeRate>,
    /// The kinds that the payer may choose; all if `None`.
    pub allowed_kinds: Option<Vec<DocumentKind>>,
    /// Whether the payer may not choose the kind.
    pub is_kind_locked: bool,
    /// Whether the payer may not choose the buyer.
    pub is_buyer_locked: bool,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
}

/// The issuer as printed on documents; frozen with the sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// Taxpayer number.
    pub rnc: TaxId,
    /// Registered name.
    pub legal_name: BoundedText<1, 256>,
    /// The name that customers know.
    pub trade_name: BoundedText<1, 128>,
    /// Address on one line.
    pub address: String,
}

/// Content of a document; a correction replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The kind.
    pub kind: DocumentKind,
    /// The merchant's invoice number.
    pub merchant_invoice_number: BoundedText<1, 20>,
    /// The merchant's order number.
    pub merchant_order_number: Digits<1, 20>,
    /// The buyer.
    pub buyer: Option<Buyer>,
    /// Eligibility for a government document.
    pub government: Option<GovernmentEligibility>,
    /// The lines.
    pub lines: Vec<FiscalLine>,
    /// Sums of the lines, in the currency of the charge.
    pub breakdown: Breakdown,
    /// Facts of a credit note; `None` for every other kind.
    pub note: Option<Box<NoteContent>>,
}

/// The state of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentState {
    /// The current content.
    pub content: Content,
    /// The number of this content, from 1.
    pub revision: u32,
    /// Delivery by e-mail.
    pub delivery: EmailDelivery,
    /// The stage.
    pub stage: DocumentStage,
    /// Total of the accepted credit notes, in minor units of the currency of the charge; 0 of a credit note.
    pub credited: i64,
    /// Time of the last change.
    pub updated_at: DateTime<Utc>,
    /// Number of changes.
    pub version: u32,
}
