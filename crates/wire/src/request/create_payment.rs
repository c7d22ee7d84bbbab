//! `POST /payments`.

use domain::{
    Refusal,
    fiscal::DocumentKind,
    sale::{DocumentDraft, SaleDraft},
    text::Prose,
};
use serde_json::json;

use super::{address, document, money};
use crate::{
    json::Json,
    read::{self, Object, Value},
    schema,
};

/// Maximum number of metadata entries.
const MAX_METADATA: usize = 20;

/// Parses the request. Rules across fields, such as a currency that no account settles in, are left to the sale.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field.
pub fn parse(body: &Json) -> Result<SaleDraft, Refusal> {
    read::request(body, fields)
}

pub(crate) fn fields(body: &mut Object<'_>) -> Option<SaleDraft> {
    let sale_reference =
        body.required("saleReference", "The merchant's own reference of the sale. It need not be unique.", read::line);
    let amount = body.required(
        "amount",
        "Amount of the sale, with taxes and legal tip. It must equal the total of the lines.",
        |value| money::amount(value, i64::MIN..=i64::MAX),
    );
    let return_url = body.optional(
        "returnUrl",
        "http or https URL that the checkout offers to the payer afterwards. Omit it for QR codes and points of sale.",
        address::web_url,
    );
    let service_label =
        body.optional("serviceLabel", "Short context that the checkout shows, such as a table number.", read::line);
    let description = body.optional(
        "description",
        "Text that the checkout shows instead of the lines. Required if `checkoutDisplay.mode` is `amount_only`.",
        read::line,
    );
    let document = body.required("fiscalDocument", "The fiscal document that the sale ends in.", document_draft);
    let display_mode = body.optional("checkoutDisplay", "How the checkout presents the sale.", display_mode);
    let metadata = body.optional(
        "metadata",
        "The merchant's own notes, returned as sent: strings under keys of its choice.",
        |value| value.map::<128, _>(0..=MAX_METADATA, note),
    );
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
}

fn document_draft(value: Value<'_>) -> Option<DocumentDraft> {
    value.object(|document| {
        let issuance_mode = document.required(
            "issuanceMode",
            "`required`: the checkout completes only once the document is issued. `deferred`: the document is issued \
             after the payment.",
            read::code,
        );
        let kind = document.required("kind", document::KIND, document::kind);
        let merchant_invoice_number = document.required("merchantInvoiceNumber", document::INVOICE_NUMBER, read::line);
        let merchant_order_number =
            document.required("merchantOrderNumber", document::ORDER_NUMBER, document::order_number);
        let lines = document::lines(document);
        let delivery_email =
            document.optional("deliveryEmail", "E-mail address to which the issued document is sent.", address::email);
        let buyer_tax_id = document.optional("buyer", document::BUYER, document::buyer);
        let government = document.optional("governmentEligibility", document::GOVERNMENT, document::government);
        let allowed_kinds = document.optional(
            "allowedKinds",
            "Kinds of e-CF that the payer may choose. All kinds if absent.",
            allowed_kinds,
        );
        let is_kind_locked =
            document.optional("isKindLocked", "Whether the payer must keep the kind. Default: false.", read::boolean);
        let is_buyer_locked =
            document.optional("isBuyerLocked", "Whether the payer must keep the buyer. Default: false.", read::boolean);
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
    let value = value.keywords(|| [("uniqueItems", json!(true))]);
    let kinds = value.list(1..=DocumentKind::ALL.len(), document::kind)?;
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

fn note(key: &str, value: Value<'_>) -> Option<(String, Prose)> {
    let rule = format_args!("The value must be a string of at most {} visible characters.", Prose::MAX);
    value.parsed(schema::prose, Prose::parse, rule).map(|prose| (key.to_owned(), prose))
}
