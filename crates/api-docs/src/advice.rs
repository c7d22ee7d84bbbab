//! What to do about each error, for whoever followed its `docUrl`.

/// A code and what helps, in published order. A code stands once, whatever its statuses.
pub const ADVICE: &[(&str, &str)] = &[
    (
        "parameter_missing",
        "Send what `param` names. A field that is null counts as missing; headers are named in lower case.",
    ),
    (
        "parameter_invalid",
        "Mend what `param` names, as its schema says. Unknown fields, keys that stand twice and fractions where whole numbers are wanted are refused.",
    ),
    (
        "provider_not_available",
        "Name a provider that this deployment offers in the mode of the key, or leave the header out.",
    ),
    ("currency_not_supported", "Use DOP or USD."),
    (
        "amount_below_minimum",
        "Charge more, or take this sale in another way: cards have a least amount in each currency.",
    ),
    ("amount_above_maximum", "Make several payments. A tip counts towards the maximum."),
    (
        "checkout_reference_invalid",
        "Take `checkoutReference` from the payment as it is, with a key of the same merchant and mode. A receipt is there only once the payment has ended.",
    ),
    ("checkout_reference_expired", "Make a new payment: this one is over."),
    (
        "fiscal_buyer_tax_id_invalid",
        "Ask the buyer for the number again. An RNC has 9 digits, a cedula 11, and the last one checks the others.",
    ),
    (
        "fiscal_line_total_invalid",
        "Check price and quantity of the line that `param` names: together they come to nothing, or to more than a document can state.",
    ),
    ("fiscal_lines_required", "Send at least one line that is billed."),
    (
        "payment_split_invalid",
        "Make the shares come to the total to the centavo, for two to ten payers, none of them below the least amount.",
    ),
    ("api_key_missing", "Send `Authorization: Bearer` with an API key or a checkout token."),
    (
        "api_key_invalid",
        "Check that the key is whole and of this deployment. If it was revoked or replaced, use its successor.",
    ),
    ("checkout_token_invalid", "Make a new token from the payment's `checkoutReference`."),
    ("checkout_token_expired", "Make a new token from the payment's `checkoutReference`."),
    ("merchant_account_not_owned", "Use a key of that merchant account, or one that is restricted to none."),
    ("merchant_account_admin_required", "Use a key that has the scope `admin`."),
    (
        "operation_not_permitted_for_checkout_token",
        "See which credentials the operation takes. A card is taken with a checkout token of its own payment alone, so that a merchant's servers never touch one; most others take an API key.",
    ),
    ("live_mode_not_enabled", "Have live mode activated, or use a test key."),
    ("endpoint_not_found", "Check method and path. Nothing was looked at, the credential included."),
    (
        "payment_not_found",
        "Check the id, and that the key is of the same merchant and mode. A checkout token opens its own payment alone.",
    ),
    ("fiscal_document_not_found", "Check the id, and that the key is of the same merchant and mode."),
    ("merchant_account_not_found", "Check the id, and that the key is of the same merchant and mode."),
    ("merchant_profile_not_found", "Set the profile first, with an admin key."),
    ("payment_split_not_found", "Open a split, or leave `partOrdinal` out to pay the whole."),
    ("payment_part_not_found", "Count parts from 1; the split says how many there are."),
    ("webhook_endpoint_not_found", "Check the id, and that the key is of the same merchant and mode."),
    ("event_not_found", "Check the id. An event is kept for 30 days; what it told is in its resource."),
    (
        "idempotency_key_reused",
        "Use a new key if another command is meant. To repeat the first, send exactly its body; nothing was done now.",
    ),
    ("idempotency_request_in_progress", "Send the same again, with the same key, after `Retry-After`."),
    (
        "idempotency_key_expired",
        "Find out by `saleReference` whether it was done; only then use a new key. It may be paid.",
    ),
    ("payment_method_already_in_progress", "Read the payment until its status changes. Do not send a card meanwhile."),
    (
        "payment_awaiting_verification",
        "Wait until after `verification.nextCheckAt`, then read the payment. Do not ask for another card: this one may have paid.",
    ),
    ("decline_not_retryable", "Make a new payment, for another card or another way to pay."),
    ("checkout_window_closed", "Make a new payment, or renew the split if there is one that expired."),
    ("fiscal_preset_locked", "Leave what the merchant has fixed as it is."),
    ("payment_not_editable", "Read the payment: its status says why. What is paid is not canceled."),
    (
        "fiscal_buyer_required",
        "Name the buyer first, by the choice of the fiscal document. Large sales to consumers need one, too.",
    ),
    (
        "fiscal_correction_not_allowed",
        "Read the document: only one that is rejected, with `isCorrectable`, takes a correction.",
    ),
    ("payment_split_not_allowed", "Take the payment as a whole."),
    ("payment_split_exists", "Read the split, or replace it."),
    ("payment_split_locked", "Leave it: somebody has given a card. It can be released, which lets go of all shares."),
    (
        "payment_split_not_capturable",
        "Read the split: a share is missing, a capture is running, or an authorization has lapsed.",
    ),
    ("payment_split_not_expired", "Go on with the split as it is; only one that expired is renewed."),
    ("payment_split_not_renewable", "Make a new payment."),
    ("payment_split_complete", "Nothing: every share is there. Read the payment."),
    ("payment_split_part_required", "Say in `partOrdinal` whose share is paid."),
    ("payment_part_not_payable", "Choose a part that is still unpaid or declined."),
    (
        "fiscal_artifact_not_ready",
        "Wait for the event `fiscal_document.issued`, or read the document until its status is `issued`.",
    ),
    (
        "precondition_failed",
        "Read the resource: it has another ETag, or another amount, by now. Nothing was changed. Send the command again if it is still meant.",
    ),
    ("webhook_endpoint_limit_reached", "Use an endpoint that there is, with more kinds of events."),
    ("receipt_retention_elapsed", "Payers ask the merchant, who may fetch the document for ten years."),
    (
        "merchant_account_not_ready",
        "Read the merchant account: `readiness` lists what is in the way, by kind of document where it concerns one.",
    ),
    ("merchant_profile_incomplete", "Complete the profile: `missingFields` lists what it lacks."),
    ("payment_description_required", "Send `description`, or another `checkoutDisplay.mode`."),
    ("merchant_account_provider_mismatch", "Name the provider of that account, or leave it out."),
    ("credential_storage_unavailable", "Nothing was changed. Whoever runs this deployment has to set up its vault."),
    ("provider_not_eligible", "Use another merchant account for this sale."),
    ("no_eligible_provider", "Name one in the header `merchant-account`, or connect one."),
    ("currency_not_supported_by_provider", "Use another currency or merchant account."),
    ("currency_not_supported_for_fiscal_document", "Use the currency in which the issuer may make out this document."),
    (
        "fiscal_total_mismatch",
        "Send the amount that the lines come to: price times quantity, the tax of each line, and the legal tip where it applies. The message states both numbers.",
    ),
    (
        "fiscal_line_legal_tip_invalid",
        "Take the legal tip off the line: it is not billed, or the merchant charges none.",
    ),
    ("fiscal_document_kind_not_allowed", "Choose one of the payment's `allowedKinds`."),
    ("fiscal_document_kind_unsupported", "Choose a kind that is available: the payment lists them."),
    ("fiscal_government_eligibility_required", "Send `governmentEligibility` with a document of kind `government`."),
    (
        "fiscal_government_eligibility_not_allowed",
        "Leave `governmentEligibility` out, or choose the kind `government`.",
    ),
    ("fiscal_buyer_not_registered", "Ask the buyer for the number again: it is well formed, and nobody's."),
    ("fiscal_buyer_inactive", "Make the document out to another buyer or, to a consumer, to nobody."),
    ("fiscal_buyer_is_issuer", "Name the buyer's tax id, not the merchant's own."),
    ("fiscal_buyer_not_government_entity", "Choose another kind: the register lists this buyer as no government body."),
    ("rate_limit_exceeded", "Wait for as long as `Retry-After` says, then send the same again, with the same key."),
    (
        "internal_error",
        "Send the same again, with the same key, after growing pauses: a retry goes on from what was done. If it stays, tell us the `requestId`.",
    ),
    ("provider_unavailable", "Nothing was charged. Send the same again, with the same key, after growing pauses."),
    (
        "provider_rejected_request",
        "Nothing was charged. The merchant has to look at the set-up of the account; then send the same again, with the same key.",
    ),
    ("taxpayer_directory_unavailable", "Send the same again, with the same key, after growing pauses."),
    (
        "fiscal_artifact_retrieval_unavailable",
        "Ask again later: the document is issued, and a copy that does not verify is not given away.",
    ),
];

/// What helps, if it is a code of ours.
pub(crate) fn advice(code: &str) -> Option<&'static str> {
    ADVICE.iter().find(|(of, _)| *of == code).map(|(_, advice)| *advice)
}
