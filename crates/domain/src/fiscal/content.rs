//! What a fiscal document consists of: what never changes, what it says, what changes.

use chrono::{DateTime, Utc};

use super::{
    Breakdown, Buyer, Delivery, DocumentKind, DocumentStage, Environment, ExchangeRate, FiscalLine,
    GovernmentEligibility, IssuanceMode, TaxId,
};
use crate::{
    Currency, FiscalDocumentId, MerchantId, Mode, PaymentId,
    text::{Digits, Line},
};

/// What is settled when a document is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentFacts {
    /// Its identifier.
    pub id: FiscalDocumentId,
    /// The payment that requested it.
    pub payment: PaymentId,
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// Where it goes at the authority.
    pub environment: Environment,
    /// Who issues it.
    pub issuer: Issuer,
    /// Whether the checkout waits for it.
    pub issuance_mode: IssuanceMode,
    /// What the sale is charged in.
    pub currency: Currency,
    /// What that is worth in pesos, frozen with the sale; nothing where pesos are charged.
    pub rate: Option<ExchangeRate>,
    /// The kinds that the payer may choose; all if `None`.
    pub allowed_kinds: Option<Vec<DocumentKind>>,
    /// Whether the payer may not choose the kind.
    pub is_kind_locked: bool,
    /// Whether the payer may not choose the buyer.
    pub is_buyer_locked: bool,
    /// When it was requested.
    pub created_at: DateTime<Utc>,
}

/// The issuer as documents print it; frozen with the sale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issuer {
    /// Its taxpayer number.
    pub rnc: TaxId,
    /// Its registered name.
    pub legal_name: Line<1, 256>,
    /// The name that customers know.
    pub trade_name: Line<1, 128>,
    /// Its address, on one line.
    pub address: String,
}

/// What a document says; a correction replaces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its kind.
    pub kind: DocumentKind,
    /// The merchant's invoice number.
    pub merchant_invoice_number: Line<1, 20>,
    /// The merchant's order number.
    pub merchant_order_number: Digits<1, 20>,
    /// To whom it is made out.
    pub buyer: Option<Buyer>,
    /// Why it may be a government document.
    pub government: Option<GovernmentEligibility>,
    /// What was sold.
    pub lines: Vec<FiscalLine>,
    /// What that comes to, in the currency that is charged.
    pub breakdown: Breakdown,
}

/// What changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentState {
    /// What it says now.
    pub content: Content,
    /// The number of this content, from 1.
    pub revision: u32,
    /// Its delivery by e-mail.
    pub delivery: Delivery,
    /// Where it stands.
    pub stage: DocumentStage,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// How many times it has changed.
    pub version: u32,
}
