//! `POST /payments`.

use domain::{
    Refusal,
    fiscal::DocumentKind,
    sale::{DocumentDraft, SaleDraft},
};
use serde_json::json;

use super::{address, document, metadata, money};
use crate::{
    json::Json,
    read::{self, Object, Value, read_fields},
};

/// Parses the request. Rules across fields, such as a currency that no account settles in, are left to the sale.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<SaleDraft, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<SaleDraft> {
    read_fields!(body => SaleDraft {
        /// The merchant's own reference of the sale. It need not be unique.
        sale_reference: required("saleReference", read::line),
        /// Amount of the sale, with taxes and legal tip. It must equal the total of the lines.
        amount: required("amount", |value| money::amount(value, i64::MIN..=i64::MAX)),
        /// http or https URL that the checkout offers to the payer afterwards. Omit it for QR codes and points of sale.
        return_url: optional("returnUrl", address::web_url),
        /// Short context that the checkout shows, such as a table number.
        service_label: optional("serviceLabel", read::line),
        /// Text that the checkout shows instead of the lines. Required if `checkoutDisplay.mode` is `amount_only`.
        description: optional("description", read::line),
        /// The fiscal document that the sale ends in.
        document: required("fiscalDocument", document_draft),
        /// How the checkout presents the sale.
        display_mode: optional("checkoutDisplay", display_mode),
        metadata: optional("metadata", metadata::ABOUT, metadata::read),
    })
}

fn document_draft(value: Value<'_>) -> Option<DocumentDraft> {
    value.object(|document| {
        read_fields!(document => DocumentDraft {
            /// `required`: the checkout completes only once the document is issued. `deferred`: the document is issued
            /// after the payment.
            issuance_mode: required("issuanceMode", read::code),
            kind: required("kind", document::KIND, document::kind),
            merchant_invoice_number: required("merchantInvoiceNumber", document::INVOICE_NUMBER, read::line),
            merchant_order_number: required("merchantOrderNumber", document::ORDER_NUMBER, document::order_number),
            lines: required_later("lines", document::LINES, document::lines),
            /// E-mail address to which the issued document is sent.
            delivery_email: optional("deliveryEmail", address::email),
            buyer_tax_id: optional("buyer", document::BUYER, document::buyer),
            government: optional("governmentEligibility", document::GOVERNMENT, document::government),
            /// Kinds of e-CF that the payer may choose. All kinds if absent.
            allowed_kinds: optional("allowedKinds", allowed_kinds),
            /// Whether the payer must keep the kind. Default: false.
            is_kind_locked: with_default("isKindLocked", read::boolean),
            /// Whether the payer must keep the buyer. Default: false.
            is_buyer_locked: with_default("isBuyerLocked", read::boolean);
            listed_buyer: None,
        })
    })
}

fn allowed_kinds(value: Value<'_>) -> Option<Vec<DocumentKind>> {
    let value = value.keywords(|| [("uniqueItems", json!(true))]);
    let kinds = value.list(1..=DocumentKind::SALE.len(), document::kind)?;
    let is_repeated = |(index, kind)| kinds.iter().take(index).any(|earlier| earlier == kind);
    match kinds.iter().enumerate().any(is_repeated) {
        true => value.invalid("The value must not name a kind twice."),
        false => Some(kinds),
    }
}

fn display_mode(value: Value<'_>) -> Option<domain::merchant::CheckoutMode> {
    value.object(|display| {
        display.required(
            "mode",
            "`itemized` shows each line, `grouped` the total of each group of lines, `amount_only` the description.",
            read::code,
        )
    })
}
