use crate::support::Told;

/// An operation, asked about what is another merchant's.
pub(super) struct Row {
    /// As the interface's document has it: what is in braces is the other merchant's.
    pub(super) operation: &'static str,
    pub(super) body: &'static str,
    /// What each is told; `None` is an answer about the caller's own.
    pub(super) told: [Option<Told>; 7],
}

const OWN: Option<Told> = None;
const DENIED: Option<Told> = Some((403, "operation_not_permitted_for_checkout_token", None));
const NOT_ADMIN: Option<Told> = Some((403, "merchant_account_admin_required", None));
const NOT_LIVE: Option<Told> = Some((403, "live_mode_not_enabled", None));
const NOT_ELIGIBLE: Option<Told> = Some((422, "no_eligible_provider", None));
const UNKNOWN: Option<Told> = Some((401, "api_key_invalid", None));
const NO_PAYMENT: Option<Told> = Some((404, "payment_not_found", Some("paymentId")));
const NO_DOCUMENT: Option<Told> = Some((404, "fiscal_document_not_found", Some("fiscalDocumentId")));
const NO_ACCOUNT: Option<Told> = Some((404, "merchant_account_not_found", Some("merchantAccountId")));
const NO_EVENT: Option<Told> = Some((404, "event_not_found", Some("eventId")));
const NO_ENDPOINT: Option<Told> = Some((404, "webhook_endpoint_not_found", Some("webhookEndpointId")));
const NO_REFERENCE: Option<Told> = Some((400, "checkout_reference_invalid", Some("checkoutReference")));

const fn row(operation: &'static str, body: &'static str, told: [Option<Told>; 7]) -> Row {
    Row { operation, body, told }
}

/// What a payer may do as well as a merchant.
const FOR_PAYERS: [Option<Told>; 7] = [NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, DENIED, NO_PAYMENT, UNKNOWN];
/// What of all payers the organizer alone may do.
const FOR_ORGANIZERS: [Option<Told>; 7] = [NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, DENIED, DENIED, NO_PAYMENT, UNKNOWN];

/// What only an administrator of the whole merchant may do with a webhook endpoint.
const FOR_ADMINS: [Option<Told>; 7] = [NOT_ADMIN, NO_ENDPOINT, NOT_ADMIN, DENIED, DENIED, NO_ENDPOINT, UNKNOWN];

const SALE: &str = crate::support::SALE;
const PROFILE: &str = r#"{"legalName":"Comedor Nuevo, S.R.L.","rnc":"101000007","displayName":"El Nuevo","supportPhone":"809-555-0101","statementDescriptor":"EL NUEVO","paymentWindowSeconds":900}"#;
const CARD: &str = r#"{"card":{"number":"4222220000000008","expirationMonth":12,"expirationYear":2030,"securityCode":"737","holderName":"ROSA PRUEBA"}}"#;
const SPLIT: &str = r#"{"strategy":"equal","partCount":2}"#;
const CORRECTION: &str = r#"{"kind":"consumer","merchantInvoiceNumber":"INV-2","merchantOrderNumber":"1","lines":[{"sourceLineId":"l1","description":"Cena","quantity":"1","unitPriceMinorUnits":100000,"measurementUnit":"unit","itemKind":"service","taxTreatment":"itbis_18","isLegalTipApplicable":false}]}"#;
const SECRETS: &str = r#"{"provider":"simulator","credentials":{"merchantId":"m-1"}}"#;
const ENDPOINT: &str = r#"{"url":"https://laesquina.example/hook","enabledEvents":["*"]}"#;

/// Told to: a standard key, an admin's, an admin's for another account, a token to pay, one for a receipt, a live key, no key.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("get /v1/payments", "", [OWN, OWN, OWN, DENIED, DENIED, OWN, UNKNOWN]),
    row("get /v1/events", "", [OWN, OWN, OWN, DENIED, DENIED, OWN, UNKNOWN]),
    row("get /v1/merchant_profile", "", [OWN, OWN, OWN, DENIED, DENIED, OWN, UNKNOWN]),
    row("get /v1/payments/{paymentId}", "", [NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, UNKNOWN]),
    row("get /v1/events/{eventId}", "", [NO_EVENT, NO_EVENT, NO_EVENT, DENIED, DENIED, NO_EVENT, UNKNOWN]),
    row("get /v1/fiscal_documents/{fiscalDocumentId}", "", [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, NO_DOCUMENT, NO_DOCUMENT, UNKNOWN]),
    row("get /v1/fiscal_documents/{fiscalDocumentId}/revisions", "", [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, DENIED, NO_DOCUMENT, UNKNOWN]),
    row("get /v1/fiscal_documents/{fiscalDocumentId}/signed-document", "", [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, NO_DOCUMENT, NO_DOCUMENT, UNKNOWN]),
    row("get /v1/fiscal_documents/{fiscalDocumentId}/printed-representation", "", [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, NO_DOCUMENT, NO_DOCUMENT, UNKNOWN]),
    row("get /v1/fiscal_documents/{fiscalDocumentId}/contingency-representation", "", [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, NO_DOCUMENT, NO_DOCUMENT, UNKNOWN]),
    row("get /v1/merchant_accounts/{merchantAccountId}", "", [NO_ACCOUNT, NO_ACCOUNT, NO_ACCOUNT, DENIED, DENIED, NO_ACCOUNT, UNKNOWN]),
    row("post /v1/payments", SALE, [OWN, OWN, NOT_ELIGIBLE, DENIED, DENIED, NOT_LIVE, UNKNOWN]),
    row("post /v1/payments/{paymentId}/cancellations", r#"{"reason":"requested_by_merchant"}"#, [NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, DENIED, DENIED, NO_PAYMENT, UNKNOWN]),
    row("post /v1/payments/{paymentId}/card-submissions", CARD, [DENIED, DENIED, DENIED, NO_PAYMENT, DENIED, DENIED, UNKNOWN]),
    row("put /v1/payments/{paymentId}/fiscal-document-choice", r#"{"kind":"consumer"}"#, [NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, NO_PAYMENT, DENIED, NO_PAYMENT, UNKNOWN]),
    row("put /v1/payments/{paymentId}/voluntary-tip", r#"{"amount":{"currency":"DOP","minorUnits":1}}"#, [DENIED, DENIED, DENIED, NO_PAYMENT, DENIED, DENIED, UNKNOWN]),
    row("get /v1/payments/{paymentId}/split", "", FOR_PAYERS),
    row("get /v1/payments/{paymentId}/split/parts/{ordinal}", "", FOR_PAYERS),
    row("post /v1/payments/{paymentId}/split", SPLIT, FOR_PAYERS),
    row("put /v1/payments/{paymentId}/split", SPLIT, FOR_ORGANIZERS),
    row("delete /v1/payments/{paymentId}/split", "", FOR_ORGANIZERS),
    row("post /v1/payments/{paymentId}/split/captures", "{}", FOR_ORGANIZERS),
    row("post /v1/payments/{paymentId}/split/releases", r#"{"reason":"other"}"#, FOR_ORGANIZERS),
    row("post /v1/payments/{paymentId}/split/renewals", "{}", FOR_ORGANIZERS),
    row("post /v1/checkout_tokens", r#"{"checkoutReference":"{reference}","purpose":"pay"}"#, [NO_REFERENCE, NO_REFERENCE, NO_REFERENCE, DENIED, DENIED, NOT_LIVE, UNKNOWN]),
    row("post /v1/fiscal_documents/{fiscalDocumentId}/corrections", CORRECTION, [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, DENIED, NO_DOCUMENT, UNKNOWN]),
    row("post /v1/fiscal_documents/{fiscalDocumentId}/deliveries", r#"{"recipientEmail":"rosa@example.com"}"#, [NO_DOCUMENT, NO_DOCUMENT, NO_DOCUMENT, DENIED, NO_DOCUMENT, NO_DOCUMENT, UNKNOWN]),
    row("put /v1/merchant_profile", PROFILE, [NOT_ADMIN, OWN, NOT_ADMIN, DENIED, DENIED, OWN, UNKNOWN]),
    row("post /v1/merchant_accounts", r#"{"provider":"simulator"}"#, [NOT_ADMIN, OWN, NOT_ADMIN, DENIED, DENIED, NOT_LIVE, UNKNOWN]),
    row("put /v1/merchant_accounts/{merchantAccountId}/credentials", SECRETS, [NOT_ADMIN, NO_ACCOUNT, NO_ACCOUNT, DENIED, DENIED, NOT_LIVE, UNKNOWN]),
    row("get /v1/webhook_endpoints", "", [NOT_ADMIN, OWN, NOT_ADMIN, DENIED, DENIED, OWN, UNKNOWN]),
    row("get /v1/webhook_endpoints/{webhookEndpointId}", "", FOR_ADMINS),
    row("patch /v1/webhook_endpoints/{webhookEndpointId}", r#"{"status":"disabled"}"#, FOR_ADMINS),
    row("delete /v1/webhook_endpoints/{webhookEndpointId}", "", FOR_ADMINS),
    row("get /v1/webhook_endpoints/{webhookEndpointId}/deliveries", "", FOR_ADMINS),
    row("post /v1/webhook_endpoints/{webhookEndpointId}/secret-rotations", "{}", FOR_ADMINS),
    row("post /v1/webhook_endpoints/{webhookEndpointId}/tests", "{}", FOR_ADMINS),
    row("post /v1/webhook_endpoints/{webhookEndpointId}/replays", r#"{"eventId":"{eventId}"}"#, FOR_ADMINS),
    row("post /v1/webhook_endpoints", ENDPOINT, [NOT_ADMIN, OWN, NOT_ADMIN, DENIED, DENIED, NOT_LIVE, UNKNOWN]),
];
