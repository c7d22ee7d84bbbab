//! `POST /payments`.

use domain::{
    Refusal,
    fiscal::{DocumentKind, IssuanceMode},
    merchant::CheckoutMode,
    sale::{DocumentDraft, SaleDraft},
    text::{BoundedText, Email, Prose},
};

use super::{address, document, money};
use crate::{
    json::Json,
    read::{self, Value},
};

/// A merchant has this many notes on a payment at most.
const MAX_METADATA: usize = 20;

/// The wish in `body`.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. What can only be judged together, such as a currency
/// that nobody settles in or a document without lines, is left to the sale.
pub fn parse(body: &Json) -> Result<SaleDraft, Refusal> {
    read::request(body, |it| {
        let sale_reference = it.required("saleReference", read::line);
        let amount = it.required("amount", |value| money::amount(value, i64::MIN..=i64::MAX));
        let return_url = it.optional("returnUrl", address::web_url);
        let service_label = it.optional("serviceLabel", read::line);
        let description = it.optional("description", read::line);
        let document = it.required("fiscalDocument", document_draft);
        let display_mode = it.optional("checkoutDisplay", display_mode);
        let metadata = it.optional("metadata", |value| value.map(MAX_METADATA, note));
        Some(SaleDraft {
            sale_reference: sale_reference?,
            amount: amount?,
            return_url: return_url?,
            service_label: service_label?,
            description: description?,
            display_mode: display_mode?,
            metadata: metadata?,
            document: document?,
        })
    })
}

fn document_draft(value: Value<'_>) -> Option<DocumentDraft> {
    value.object(|it| {
        let issuance_mode = it.required("issuanceMode", |value| value.one_of(IssuanceMode::from_code));
        let kind = it.required("kind", document::kind);
        let merchant_invoice_number = it.required("merchantInvoiceNumber", read::line);
        let merchant_order_number = it.required("merchantOrderNumber", document::order_number);
        let lines = document::lines(it);
        let delivery_email = it.optional("deliveryEmail", |value| address::email(value, Email::written));
        let buyer_tax_id = it.optional("buyer", document::buyer);
        let government = it.optional("governmentEligibility", document::government);
        let allowed_kinds = it.optional("allowedKinds", allowed_kinds);
        let is_kind_locked = it.optional("isKindLocked", read::boolean);
        let is_buyer_locked = it.optional("isBuyerLocked", read::boolean);
        Some(DocumentDraft {
            issuance_mode: issuance_mode?,
            kind: kind?,
            merchant_invoice_number: merchant_invoice_number?,
            merchant_order_number: merchant_order_number?,
            lines: lines?,
            delivery_email: delivery_email?,
            buyer_tax_id: buyer_tax_id?,
            listed_buyer: None,
            government: government?,
            allowed_kinds: allowed_kinds?,
            is_kind_locked: is_kind_locked?.unwrap_or(false),
            is_buyer_locked: is_buyer_locked?.unwrap_or(false),
        })
    })
}

fn allowed_kinds(value: Value<'_>) -> Option<Vec<DocumentKind>> {
    // One more than there are, so that a repetition is called one.
    let kinds = value.list(DocumentKind::ALL.len() + 1, document::kind)?;
    let is_repeated = |(index, kind)| kinds.iter().take(index).any(|earlier| earlier == kind);
    if kinds.is_empty() || kinds.iter().enumerate().any(is_repeated) {
        return value.invalid("The value must name at least one kind, and none twice.");
    }
    Some(kinds)
}

fn display_mode(value: Value<'_>) -> Option<CheckoutMode> {
    value.object(|it| it.required("mode", |value| value.one_of(CheckoutMode::from_code)))
}

fn note(key: &str, value: Value<'_>) -> Option<(String, Prose)> {
    let prose = value.parsed(Prose::parse, "The value must be a string of at most 500 visible characters.");
    if BoundedText::<1, 128>::parse(key).is_none() {
        return value.invalid("A key must be one line of 1 to 128 visible characters.");
    }
    prose.map(|prose| (key.to_owned(), prose))
}
