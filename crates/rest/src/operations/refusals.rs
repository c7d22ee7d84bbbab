//! Groups of codes that several operations have.

/// Payment that is named in the path.
pub(super) const PAYMENT: &[&str] = &["merchant_account_not_owned", "payment_not_found"];
/// Payment with a split.
pub(super) const SPLIT: &[&str] = &["merchant_account_not_owned", "payment_not_found", "payment_split_not_found"];
/// Fiscal document that is named in the path.
pub(super) const DOCUMENT: &[&str] = &["merchant_account_not_owned", "fiscal_document_not_found"];
/// Refund that is named in the path.
pub(super) const REFUND: &[&str] = &["merchant_account_not_owned", "refund_not_found"];
/// Webhook endpoint that is named in the path.
pub(super) const WEBHOOK_ENDPOINT: &[&str] = &["webhook_endpoint_not_found"];

/// Payment whose card is being charged.
pub(super) const IN_PROGRESS: &[&str] = &["payment_method_already_in_progress", "payment_awaiting_verification"];
/// Call to the payment provider.
pub(super) const PROVIDER: &[&str] = &["provider_unavailable", "provider_rejected_request"];

/// Kind of a fiscal document.
pub(super) const KIND: &[&str] = &[
    "fiscal_document_kind_not_allowed",
    "fiscal_document_kind_unsupported",
    "fiscal_government_eligibility_required",
    "fiscal_government_eligibility_not_allowed",
];
/// Buyer that the register of taxpayers confirms.
pub(super) const BUYER: &[&str] = &[
    "fiscal_buyer_not_registered",
    "fiscal_buyer_inactive",
    "fiscal_buyer_is_issuer",
    "fiscal_buyer_not_government_entity",
    "taxpayer_directory_unavailable",
];
/// Buyer and lines of a fiscal document.
pub(super) const CONTENT: &[&str] = &[
    "fiscal_buyer_tax_id_invalid",
    "fiscal_line_total_invalid",
    "fiscal_lines_required",
    "fiscal_buyer_required",
    "currency_not_supported_for_fiscal_document",
    "fiscal_total_mismatch",
    "fiscal_line_legal_tip_invalid",
];

/// State of the payment, the merchant's account and the provider before a refund.
pub(super) const REFUND_STATE: &[&str] = &[
    "payment_split_not_found",
    "payment_part_not_found",
    "refund_not_found",
    "payment_awaiting_verification",
    "payment_not_refundable",
    "refund_in_progress",
    "refund_not_retryable",
    "refund_not_available_at_provider",
    "merchant_account_not_ready",
    "refund_parts_mismatch",
];
/// Selected part of a sale.
pub(super) const REFUND_SELECTION: &[&str] = &[
    "refund_document_unsettled",
    "refund_amount_exceeds_refundable",
    "refund_line_not_found",
    "refund_line_not_divisible",
    "fiscal_line_total_invalid",
    "fiscal_total_mismatch",
];
