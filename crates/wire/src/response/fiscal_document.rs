use domain::{
    FiscalDocument, FiscalDocumentId, PaymentId,
    fiscal::{self, DocumentKind, IssuanceMode},
    sale::Sale,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    document_email::DocumentEmail,
    fiscal_line::FiscalLine,
    fiscal_status::FiscalStatus,
    modifies::Modifies,
    value::{CentralGovernment, Coded, FiscalDocumentObject, Id, Text, Timestamp},
};

/// Fiscal document (e-CF) as shown to the merchant.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FiscalDocument")]
pub struct FiscalDocumentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    /// The merchant's own invoice number.
    merchant_invoice_number: Text<'a, 1, 20>,
    /// The merchant's own order number, in digits.
    #[schemars(regex(pattern = "^[0-9]{1,20}$"))]
    merchant_order_number: &'a str,
}

/// Fiscal document (e-CF) as shown to the holder of a checkout token: without the merchant's own numbers, the recipient of
/// the e-mail and the messages of the authority.
#[derive(JsonSchema, Serialize)]
#[schemars(rename = "ReceiptDocument")]
pub struct ReceiptDocumentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shared<'a> {
    /// Identifier of the document.
    id: Id<'a, FiscalDocumentId>,
    /// Type of the object.
    object: FiscalDocumentObject,
    /// Payment that the document belongs to.
    payment_id: Id<'a, PaymentId>,
    /// Kind of e-CF. More kinds may be added.
    #[schemars(schema_with = "super::document_kind")]
    kind: Coded<DocumentKind>,
    /// `required`: the checkout completes only once the document is issued. `deferred`: the document is issued after the
    /// payment.
    issuance_mode: Coded<IssuanceMode>,
    /// Number of the revision, counted from 1. A correction starts a new revision.
    #[schemars(range(min = 1))]
    revision: u32,
    /// Buyer that the document names.
    #[serde(skip_serializing_if = "Option::is_none")]
    buyer: Option<FiscalBuyer<'a>>,
    /// Purchase of a government body. Present if `kind` is `government`.
    #[serde(skip_serializing_if = "Option::is_none")]
    government_eligibility: Option<GovernmentEligibility<'a>>,
    /// Lines, in printed order. A credit note states each credited amount as one unit at that price.
    lines: Vec<FiscalLine<'a>>,
    /// Document that a credit note modifies, and its refund. `null` unless `kind` is `credit_note`.
    modifies: Option<Modifies<'a>>,
    /// Sum of the accepted credit notes of the document, in minor units (cents) of the payment's currency: 0 without one,
    /// and of a credit note.
    #[schemars(range(min = 0))]
    credited_minor_units: i64,
    /// State of the e-mail that sends the document.
    delivery: DocumentEmail<'a>,
    /// When the document was created.
    created_at: Timestamp,
    /// When the document last changed.
    updated_at: Timestamp,
    #[serde(flatten)]
    status: FiscalStatus<'a>,
}

/// Buyer that a document names.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct FiscalBuyer<'a> {
    /// Kind of identification.
    #[schemars(extend("enum" = ["domestic", "foreign"]))]
    identity_kind: &'static str,
    /// RNC of 9 digits or cédula of 11 digits. `null` for a foreign buyer.
    #[schemars(regex(pattern = "^([0-9]{9}|[0-9]{11})$"))]
    tax_id: Option<&'a str>,
    // Requests name domestic buyers alone.
    /// Foreign identification. `null` for a domestic buyer.
    #[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9._/-]{0,19}$"))]
    foreign_id: Option<&'a str>,
    /// Registered name. `null` until the taxpayer directory responds.
    #[schemars(length(min = 1, max = 256))]
    legal_name: Option<&'a str>,
    /// Address of the buyer.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Text<'a, 1, 100>>,
    /// Contact of the buyer.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_name: Option<Text<'a, 1, 80>>,
    /// E-mail address of the buyer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(email, length(max = 80))]
    email: Option<&'a str>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct GovernmentEligibility<'a> {
    /// The buyer is a body of the central government.
    entity_kind: CentralGovernment,
    /// Reference of the purchase at the government body.
    authority_reference: Text<'a, 1, 128>,
}

impl<'a> FiscalDocumentResponse<'a> {
    /// Returns the document of `sale`, for its merchant.
    pub fn full(sale: &'a Sale) -> Self {
        Self::with_status(&sale.document, FiscalStatus::full(sale))
    }

    /// Returns the credit note of a refund, for its merchant.
    pub fn note(note: &'a FiscalDocument) -> Self {
        Self::with_status(note, FiscalStatus::of_note(note))
    }

    fn with_status(document: &'a FiscalDocument, status: FiscalStatus<'a>) -> Self {
        let content = document.content();
        Self {
            shared: Shared::of(document, (&document.state().delivery).into(), status),
            merchant_invoice_number: (&content.merchant_invoice_number).into(),
            merchant_order_number: content.merchant_order_number.as_str(),
        }
    }

    /// Returns the document of `sale`, for the holder of a checkout token.
    pub fn receipt(sale: &'a Sale) -> ReceiptDocumentResponse<'a> {
        let email = DocumentEmail::without_address(&sale.document.state().delivery);
        ReceiptDocumentResponse { shared: Shared::of(&sale.document, email, FiscalStatus::receipt(sale)) }
    }
}

impl<'a> Shared<'a> {
    fn of(document: &'a FiscalDocument, delivery: DocumentEmail<'a>, status: FiscalStatus<'a>) -> Self {
        let (facts, state) = (&document.facts, document.state());
        Self {
            id: (&facts.id).into(),
            object: FiscalDocumentObject,
            payment_id: (&facts.payment).into(),
            kind: state.content.kind.into(),
            issuance_mode: facts.issuance_mode.into(),
            revision: state.revision,
            buyer: state.content.buyer.as_ref().map(FiscalBuyer::from),
            government_eligibility: state.content.government.as_ref().map(GovernmentEligibility::from),
            lines: state.content.lines.iter().map(FiscalLine::from).collect(),
            modifies: Modifies::of(document),
            credited_minor_units: state.credited,
            delivery,
            created_at: facts.created_at.into(),
            updated_at: state.updated_at.into(),
            status,
        }
    }
}

impl<'a> From<&'a fiscal::Buyer> for FiscalBuyer<'a> {
    fn from(buyer: &'a fiscal::Buyer) -> Self {
        Self {
            identity_kind: "domestic",
            tax_id: Some(buyer.tax_id.as_str()),
            foreign_id: None,
            legal_name: buyer.legal_name.as_deref(),
            address: buyer.address.as_ref().map(Text::from),
            contact_name: buyer.contact_name.as_ref().map(Text::from),
            email: buyer.email.as_ref().map(|email| email.as_str()),
        }
    }
}

impl<'a> From<&'a fiscal::GovernmentEligibility> for GovernmentEligibility<'a> {
    fn from(eligibility: &'a fiscal::GovernmentEligibility) -> Self {
        Self { entity_kind: CentralGovernment, authority_reference: (&eligibility.authority_reference).into() }
    }
}
