use chrono::{DateTime, Utc};
use domain::{sale::Sale, text::Prose};
use serde::{Serialize, Serializer};

use super::{
    Breakdown, CheckoutDisplay, FiscalDocumentResponse, Money, PublicUrls, ReceiptDocumentResponse, Timestamp,
    payment_status::{Decline, NextAction, PaymentMethodSummary, Verification},
    split::MerchantSplit,
};

/// A payment as its merchant sees it. It has no `Debug`: the reference in it opens the receipt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    checkout_reference: &'a str,
    fiscal_document: FiscalDocumentResponse<'a>,
    /// Null while the sale is not split.
    split: Option<MerchantSplit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata<'a>>,
}

/// A payment as an event tells its merchant of it: in full, but for the reference that opens the receipt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventPayment<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    fiscal_document: FiscalDocumentResponse<'a>,
    /// Null while the sale is not split.
    split: Option<MerchantSplit<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata<'a>>,
}

/// A payment as the holder of a checkout token sees it. A type of its own, so that what is the merchant's cannot slip in.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutPaymentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    fiscal_document: ReceiptDocumentResponse<'a>,
}

/// What both see.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shared<'a> {
    id: &'a str,
    object: &'static str,
    status: &'static str,
    amount: Money,
    voluntary_tip: Money,
    total_amount: Money,
    sale_reference: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    breakdown: Breakdown<'a>,
    checkout_display: CheckoutDisplay<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_action: Option<NextAction>,
    decline: Option<Decline>,
    verification: Option<Verification>,
    payment_method_summary: Option<PaymentMethodSummary<'a>>,
    is_live_mode: bool,
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// The merchant's own notes, in the order sent.
struct Metadata<'a>(&'a [(String, Prose)]);

impl<'a> PaymentResponse<'a> {
    /// The payment of `sale`, in full.
    pub fn full(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> Self {
        let facts = &sale.payment.facts;
        Self {
            shared: Shared::of(sale, urls, now),
            checkout_reference: facts.checkout_reference.as_str(),
            fiscal_document: FiscalDocumentResponse::full(sale),
            split: sale.payment.split().map(MerchantSplit::from),
            metadata: facts.metadata.as_deref().map(Metadata),
        }
    }

    /// The payment of `sale`, for an event.
    pub(super) fn told(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> EventPayment<'a> {
        EventPayment {
            shared: Shared::of(sale, urls, now),
            fiscal_document: FiscalDocumentResponse::full(sale),
            split: sale.payment.split().map(MerchantSplit::from),
            metadata: sale.payment.facts.metadata.as_deref().map(Metadata),
        }
    }

    /// The payment of `sale`, for the holder of a checkout token.
    pub fn checkout(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> CheckoutPaymentResponse<'a> {
        CheckoutPaymentResponse {
            shared: Shared::of(sale, urls, now),
            fiscal_document: FiscalDocumentResponse::receipt(sale),
        }
    }
}

impl<'a> Shared<'a> {
    fn of(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> Self {
        let payment = &sale.payment;
        let (facts, state) = (&payment.facts, payment.state());
        Self {
            id: facts.id.as_str(),
            object: "payment",
            status: payment.status().as_str(),
            amount: facts.amount.into(),
            voluntary_tip: state.voluntary_tip.into(),
            total_amount: payment.total_amount().into(),
            sale_reference: facts.sale_reference.as_str(),
            return_url: facts.return_url.as_ref().map(|it| it.as_str()),
            service_label: facts.service_label.as_ref().map(|it| it.as_str()),
            description: facts.description.as_ref().map(|it| it.as_str()),
            breakdown: (&facts.breakdown).into(),
            checkout_display: CheckoutDisplay::of(sale, now),
            next_action: NextAction::of(payment, urls),
            decline: Decline::of(payment),
            verification: Verification::of(payment),
            payment_method_summary: PaymentMethodSummary::of(payment),
            is_live_mode: facts.mode.is_live(),
            expires_at: payment.expires_at().into(),
            created_at: facts.created_at.into(),
            updated_at: state.updated_at.into(),
        }
    }
}

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value.as_str())))
    }
}
