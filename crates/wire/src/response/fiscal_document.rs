use domain::{fiscal, sale::Sale};
use serde::Serialize;

use super::{DocumentEmailResponse, Timestamp, fiscal_line::FiscalLine, fiscal_status::FiscalStatus};

/// A fiscal document as its merchant sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FiscalDocumentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    merchant_invoice_number: &'a str,
    merchant_order_number: &'a str,
}

/// A fiscal document as shown to the holder of a checkout or a receipt: without the merchant's own numbers, the
/// delivery address, and the authority's own messages.
#[derive(Serialize)]
pub struct ReceiptDocumentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
}

/// What both see.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shared<'a> {
    id: &'a str,
    object: &'static str,
    payment_id: &'a str,
    kind: &'static str,
    issuance_mode: &'static str,
    revision: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    buyer: Option<FiscalBuyer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    government_eligibility: Option<GovernmentEligibility<'a>>,
    lines: Vec<FiscalLine<'a>>,
    delivery: DocumentEmailResponse<'a>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(flatten)]
    status: FiscalStatus<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FiscalBuyer<'a> {
    identity_kind: &'static str,
    tax_id: &'a str,
    /// Requests name domestic buyers alone.
    foreign_id: (),
    /// `null` until the directory has answered.
    legal_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GovernmentEligibility<'a> {
    entity_kind: &'static str,
    authority_reference: &'a str,
}

impl<'a> FiscalDocumentResponse<'a> {
    /// The document of `sale`, in full.
    pub fn full(sale: &'a Sale) -> Self {
        let content = sale.document.content();
        Self {
            shared: Shared::of(sale, (&sale.document.state().delivery).into(), FiscalStatus::full(sale)),
            merchant_invoice_number: content.merchant_invoice_number.as_str(),
            merchant_order_number: content.merchant_order_number.as_str(),
        }
    }

    /// The document of `sale`, for the holder of a checkout or a receipt.
    pub fn receipt(sale: &'a Sale) -> ReceiptDocumentResponse<'a> {
        let delivery = DocumentEmailResponse::without_address(&sale.document.state().delivery);
        ReceiptDocumentResponse { shared: Shared::of(sale, delivery, FiscalStatus::receipt(sale)) }
    }
}

impl<'a> Shared<'a> {
    fn of(sale: &'a Sale, delivery: DocumentEmailResponse<'a>, status: FiscalStatus<'a>) -> Self {
        let (facts, state) = (&sale.document.facts, sale.document.state());
        Self {
            id: facts.id.as_str(),
            object: "fiscal_document",
            payment_id: facts.payment.as_str(),
            kind: state.content.kind.as_str(),
            issuance_mode: facts.issuance_mode.as_str(),
            revision: state.revision,
            buyer: state.content.buyer.as_ref().map(FiscalBuyer::from),
            government_eligibility: state.content.government.as_ref().map(GovernmentEligibility::from),
            lines: state.content.lines.iter().map(FiscalLine::from).collect(),
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
            tax_id: buyer.tax_id.as_str(),
            foreign_id: (),
            legal_name: buyer.legal_name.as_deref(),
            address: buyer.address.as_ref().map(|it| it.as_str()),
            contact_name: buyer.contact_name.as_ref().map(|it| it.as_str()),
            email: buyer.email.as_ref().map(|it| it.as_str()),
        }
    }
}

impl<'a> From<&'a fiscal::GovernmentEligibility> for GovernmentEligibility<'a> {
    fn from(eligibility: &'a fiscal::GovernmentEligibility) -> Self {
        Self { entity_kind: "central_government", authority_reference: eligibility.authority_reference.as_str() }
    }
}
