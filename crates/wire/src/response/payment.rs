use chrono::{DateTime, Utc};
use domain::{CheckoutReference, PaymentId, payment::PaymentStatus, refund::RefundRecord, sale::Sale};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Breakdown, CheckoutDisplay, FiscalDocumentResponse, Money, PublicUrls, ReceiptDocumentResponse,
    checkout_refund::CheckoutRefund,
    metadata::{Metadata, metadata},
    payment_status::{Decline, NextAction, PaymentMethodSummary, Verification},
    refund_summary::RefundSummary,
    split::MerchantSplit,
    value::{Coded, Id, PaymentObject, Text, Timestamp},
};

// Without `Debug`, because the reference opens the receipt.
/// Payment as shown to the merchant.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Payment")]
pub struct PaymentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    /// Bearer handle of the receipt: the holder reads buyer and lines. Keep the handle private.
    checkout_reference: Id<'a, CheckoutReference>,
    #[serde(flatten)]
    of_merchant: OfMerchant<'a>,
}

/// Payment in an event: without `checkoutReference`.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventPayment<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    #[serde(flatten)]
    of_merchant: OfMerchant<'a>,
}

/// Payment as shown to the holder of a checkout token: without the merchant's own data.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CheckoutPayment")]
pub struct CheckoutPaymentResponse<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    /// Fiscal document of the sale.
    fiscal_document: ReceiptDocumentResponse<'a>,
    /// Refunds of the payment, newest first, at most 20.
    #[schemars(length(max = 20))]
    refunds: Vec<CheckoutRefund<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shared<'a> {
    /// Identifier of the payment.
    id: Id<'a, PaymentId>,
    /// Type of the object.
    object: PaymentObject,
    /// Status of the payment.
    status: Coded<PaymentStatus>,
    /// Amount of the sale, with taxes and legal tip: the total of the fiscal document.
    amount: Money,
    /// The payer's voluntary tip. The fiscal document does not contain the tip.
    voluntary_tip: Money,
    /// Amount that is charged: `amount` and `voluntaryTip`.
    total_amount: Money,
    /// The merchant's own reference of the sale.
    sale_reference: Text<'a, 1, 128>,
    /// URL that the checkout offers to the payer afterwards. A visit does not prove a payment: retrieve the payment
    /// instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(url)]
    return_url: Option<&'a str>,
    /// Short context that the checkout shows, such as a table number.
    #[serde(skip_serializing_if = "Option::is_none")]
    service_label: Option<Text<'a, 0, 24>>,
    /// Text that the checkout shows instead of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Text<'a, 1, 80>>,
    /// Composition of the amount.
    breakdown: Breakdown<'a>,
    /// How the checkout presents the sale.
    checkout_display: CheckoutDisplay<'a>,
    /// Next step of the payer. Present while the payment waits for a payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_action: Option<NextAction>,
    /// Why the issuer declined the card. `null` unless `status` is `declined`.
    decline: Option<Decline>,
    /// Progress of the verification at the provider. `null` unless `status` is `verifying`.
    verification: Option<Verification>,
    /// Card that was last submitted. `null` while the payment is split: each part has a card.
    payment_method_summary: Option<PaymentMethodSummary<'a>>,
    /// Whether the payment belongs to live mode.
    is_live_mode: bool,
    /// When an unpaid payment expires.
    expires_at: Timestamp,
    /// When the payment was created.
    created_at: Timestamp,
    /// When the payment last changed.
    updated_at: Timestamp,
}

/// The merchant's own data of a payment.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfMerchant<'a> {
    /// Fiscal document of the sale.
    fiscal_document: FiscalDocumentResponse<'a>,
    /// Split of the payment. `null` while the payment is not split.
    split: Option<MerchantSplit<'a>>,
    /// Sums over the refunds. `null` while no money was captured.
    refund_summary: Option<RefundSummary>,
    /// The merchant's own notes, as sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "metadata")]
    metadata: Option<Metadata<'a>>,
}

impl<'a> PaymentResponse<'a> {
    /// Returns the payment of `sale`, for its merchant.
    pub fn full(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> Self {
        Self {
            shared: Shared::of(sale, urls, now),
            checkout_reference: (&sale.payment.facts.checkout_reference).into(),
            of_merchant: OfMerchant::of(sale),
        }
    }

    /// Returns the payment of `sale`, for an event.
    pub(super) fn for_event(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> EventPayment<'a> {
        EventPayment { shared: Shared::of(sale, urls, now), of_merchant: OfMerchant::of(sale) }
    }

    /// Returns the payment of `sale` with these refunds, for the holder of a checkout token.
    pub fn checkout(
        sale: &'a Sale,
        refunds: &'a [RefundRecord],
        urls: &PublicUrls,
        now: DateTime<Utc>,
    ) -> CheckoutPaymentResponse<'a> {
        CheckoutPaymentResponse {
            shared: Shared::of(sale, urls, now),
            fiscal_document: FiscalDocumentResponse::receipt(sale),
            refunds: refunds.iter().map(CheckoutRefund::from).collect(),
        }
    }
}

impl<'a> OfMerchant<'a> {
    fn of(sale: &'a Sale) -> Self {
        Self {
            fiscal_document: FiscalDocumentResponse::full(sale),
            split: sale.payment.split().map(MerchantSplit::from),
            refund_summary: sale.payment.refund_summary().map(RefundSummary::from),
            metadata: sale.payment.facts.metadata.as_deref().map(Metadata),
        }
    }
}

impl<'a> Shared<'a> {
    fn of(sale: &'a Sale, urls: &PublicUrls, now: DateTime<Utc>) -> Self {
        let payment = &sale.payment;
        let (facts, state) = (&payment.facts, payment.state());
        Self {
            id: (&facts.id).into(),
            object: PaymentObject,
            status: payment.status().into(),
            amount: facts.amount.into(),
            voluntary_tip: state.voluntary_tip.into(),
            total_amount: payment.total_amount().into(),
            sale_reference: (&facts.sale_reference).into(),
            return_url: facts.return_url.as_ref().map(|url| url.as_str()),
            service_label: facts.service_label.as_ref().map(Text::from),
            description: facts.description.as_ref().map(Text::from),
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
