//! Advice for each error code, on the page that `docUrl` leads to.

/// Codes with their advice, in published order. A code with several statuses has one row.
pub const ADVICE: &[(&str, &str)] = &[
    (
        "parameter_missing",
        "Send the field or header that `param` names. A field that is null counts as missing. Names of headers are in lower case.",
    ),
    (
        "parameter_invalid",
        "Correct the value that `param` names, by its schema. Unknown fields, repeated keys, and fractions instead of integers are rejected.",
    ),
    (
        "provider_not_available",
        "Name a provider that this deployment offers in the mode of the key, or omit the header.",
    ),
    ("currency_not_supported", "Use DOP or USD."),
    (
        "amount_below_minimum",
        "Increase the amount, or take this sale without a card: cards have a minimum amount in each currency.",
    ),
    ("amount_above_maximum", "Divide the sale into several payments. The tip counts towards the maximum."),
    (
        "checkout_reference_invalid",
        "Send the `checkoutReference` of the payment unchanged, with a key of the same merchant and mode. The scope `receipt` requires a payment that has ended.",
    ),
    ("checkout_reference_expired", "Create a new payment: this one has ended."),
    (
        "fiscal_buyer_tax_id_invalid",
        "Ask the buyer for the number again. An RNC has 9 digits and a cédula 11; the last one is a check digit.",
    ),
    (
        "fiscal_line_total_invalid",
        "Check price and quantity of the line that `param` names: their product is zero, or larger than a document can state.",
    ),
    ("fiscal_lines_required", "Send at least one line that is billed."),
    (
        "payment_split_invalid",
        "Send two to ten parts whose amounts add up to the total exactly, none below the minimum amount of a card.",
    ),
    ("api_key_missing", "Send `Authorization: Bearer` with an API key or a checkout token."),
    (
        "api_key_invalid",
        "Check that the key is complete and belongs to this deployment. If it was revoked or replaced, use its successor.",
    ),
    ("checkout_token_invalid", "Create a new token from the payment's `checkoutReference`."),
    ("checkout_token_expired", "Create a new token from the payment's `checkoutReference`."),
    ("merchant_account_not_owned", "Use a key of that merchant account, or a key without restriction to an account."),
    ("merchant_account_admin_required", "Use a key of the role `admin`."),
    (
        "operation_not_permitted_for_checkout_token",
        "See which credentials the operation accepts. Card submission accepts only a checkout token of the same payment, which keeps cards away from the merchant's servers. Most other operations require an API key.",
    ),
    ("live_mode_not_enabled", "Request the activation of live mode, or use a test key."),
    ("endpoint_not_found", "Check method and path. The credential was not checked."),
    (
        "payment_not_found",
        "Check the id, and that the key belongs to the same merchant and mode. A checkout token opens its own payment only.",
    ),
    ("fiscal_document_not_found", "Check the id, and that the key belongs to the same merchant and mode."),
    ("merchant_account_not_found", "Check the id, and that the key belongs to the same merchant and mode."),
    ("merchant_profile_not_found", "Set the profile first, with an admin key."),
    ("payment_split_not_found", "Open a split, or omit `partOrdinal` to pay the whole amount."),
    ("payment_part_not_found", "Count parts from 1. The split shows the number of parts."),
    ("webhook_endpoint_not_found", "Check the id, and that the key belongs to the same merchant and mode."),
    ("event_not_found", "Check the id. Events are available for 30 days; after that, retrieve their object."),
    (
        "idempotency_key_reused",
        "Use a new key for another request. To repeat the first request, send exactly the same body. This request had no effect.",
    ),
    ("idempotency_request_in_progress", "Send the same request again, with the same key, after `Retry-After`."),
    (
        "idempotency_key_expired",
        "Find the payment by `saleReference`: it may be paid. Use a new key only if there is none.",
    ),
    (
        "payment_method_already_in_progress",
        "Retrieve the payment until its status changes. Do not submit a card before.",
    ),
    (
        "payment_awaiting_verification",
        "Retrieve the payment after `verification.nextCheckAt`. Do not ask for another card: the first one may have paid.",
    ),
    ("decline_not_retryable", "Create a new payment, for another card or another payment method."),
    ("checkout_window_closed", "Create a new payment, or renew its expired split."),
    ("fiscal_preset_locked", "Keep the values that the merchant has locked."),
    ("payment_not_editable", "Retrieve the payment: its status shows the reason. A paid payment cannot be canceled."),
    (
        "fiscal_buyer_required",
        "Set the buyer first, with the choice of the fiscal document. Large sales to consumers require one too.",
    ),
    (
        "fiscal_correction_not_allowed",
        "Retrieve the document: a correction requires the status `rejected` and a problem with `isCorrectable`.",
    ),
    ("payment_split_not_allowed", "Pay the whole amount with one card."),
    ("payment_split_exists", "Retrieve the split, or replace it."),
    (
        "payment_split_locked",
        "A card was submitted, so the parts cannot change. Releasing the split releases every reserved part.",
    ),
    (
        "payment_split_not_capturable",
        "Retrieve the split: a part is not reserved, a capture is in progress, or a reservation has lapsed.",
    ),
    ("payment_split_not_expired", "Continue with the current split: only an expired split can be renewed."),
    ("payment_split_not_renewable", "Create a new payment."),
    ("payment_split_complete", "Every part is paid. Retrieve the payment."),
    ("payment_split_part_required", "Send `partOrdinal` with the part that is paid."),
    ("payment_part_not_payable", "Choose a part that is unpaid or declined."),
    (
        "fiscal_artifact_not_ready",
        "Wait for the event `fiscal_document.issued`, or retrieve the document until its status is `issued`.",
    ),
    (
        "precondition_failed",
        "Retrieve the resource: its ETag or its amount has changed. This request had no effect. Send it again if it still applies.",
    ),
    ("webhook_endpoint_limit_reached", "Add the types of events to an existing endpoint."),
    ("receipt_retention_elapsed", "Refer the payer to the merchant, who can retrieve the document for ten years."),
    (
        "merchant_account_not_ready",
        "Retrieve the merchant account: `readiness` lists what prevents sales, by kind of document if a blocker concerns only one.",
    ),
    ("merchant_profile_incomplete", "Complete the profile: `missingFields` lists the missing fields."),
    ("payment_description_required", "Send `description`, or another `checkoutDisplay.mode`."),
    ("merchant_account_provider_mismatch", "Name the provider of that account, or omit the provider."),
    (
        "credential_storage_unavailable",
        "This request had no effect. The operator of this deployment must set up the vault.",
    ),
    ("provider_not_eligible", "Use another merchant account for this sale."),
    ("no_eligible_provider", "Name a merchant account in the header `merchant-account`, or connect one."),
    ("currency_not_supported_by_provider", "Use another currency or merchant account."),
    ("currency_not_supported_for_fiscal_document", "Use a currency in which the issuer may issue this document."),
    (
        "fiscal_total_mismatch",
        "Send the total of the lines: price times quantity, the tax of each line, and the legal tip if it applies. The message states both amounts.",
    ),
    (
        "fiscal_line_legal_tip_invalid",
        "Remove the legal tip from the line: the line is not billed, or the merchant does not charge the tip.",
    ),
    ("fiscal_document_kind_not_allowed", "Choose one of the payment's `allowedKinds`."),
    ("fiscal_document_kind_unsupported", "Choose an available kind: the payment lists them."),
    ("fiscal_government_eligibility_required", "Send `governmentEligibility` with a document of kind `government`."),
    ("fiscal_government_eligibility_not_allowed", "Omit `governmentEligibility`, or choose the kind `government`."),
    ("fiscal_buyer_not_registered", "Ask the buyer for the number again: it is well formed, but not registered."),
    ("fiscal_buyer_inactive", "Name another buyer, or choose the kind `consumer` without a buyer."),
    ("fiscal_buyer_is_issuer", "Send the buyer's tax id, not the merchant's own."),
    (
        "fiscal_buyer_not_government_entity",
        "Choose another kind: the register does not list this buyer as a government body.",
    ),
    ("rate_limit_exceeded", "Send the same request again, with the same key, after `Retry-After`."),
    (
        "internal_error",
        "Send the same request again, with the same key, with exponential backoff: a retry resumes the command. If the error persists, report the `requestId`.",
    ),
    (
        "provider_unavailable",
        "The card was not charged. Send the same request again, with the same key, with exponential backoff.",
    ),
    (
        "provider_rejected_request",
        "The card was not charged. The merchant must check the set-up of the account. Then send the same request again, with the same key.",
    ),
    ("taxpayer_directory_unavailable", "Send the same request again, with the same key, with exponential backoff."),
    (
        "fiscal_artifact_retrieval_unavailable",
        "Try again later. The document is issued, but its stored copy failed verification and is not served.",
    ),
];

/// Returns the advice for a published code.
pub(crate) fn advice(code: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(advised, _)| *advised == code).map(|(_, advice)| *advice)
}
