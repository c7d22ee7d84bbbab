use super::super::operation::{
    Answer,
    Caller::{Key, Organizer, Pay, Receipt},
    Content::Json,
    Operation,
};

const TAG: &str = "Payments";

pub(super) const OPERATIONS: &[Operation] =
    &[CREATE, LIST, GET, SUBMIT_CARD, SET_VOLUNTARY_TIP, CANCEL, CREATE_CHECKOUT_TOKEN];

const CREATE: Operation = Operation {
    method: "post",
    path: "/v1/payments",
    id: "createPayment",
    tag: TAG,
    summary: "Create a payment",
    description: "Creates the payment of one sale together with its fiscal document. Send the payer to \
                  `nextAction.url`, where the card is entered. The total of the lines, with ITBIS and legal tip, must \
                  be `amount`. A declined card is not an error: read `status`.",
    callers: &[Key],
    parameters: &["MerchantAccount", "Provider"],
    body: Some("CreatePayment"),
    answer: Answer {
        status: 201,
        content: Json("Payment", &["payment-requires_customer_action", "payment-declined", "payment-verifying"]),
        has_etag: true,
    },
    refusals: &[
        "provider_not_available",
        "currency_not_supported",
        "amount_below_minimum",
        "amount_above_maximum",
        "fiscal_buyer_tax_id_invalid",
        "fiscal_line_total_invalid",
        "fiscal_lines_required",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "live_mode_not_enabled",
        "merchant_account_not_found",
        "merchant_profile_not_found",
        "fiscal_buyer_required",
        "merchant_account_not_ready",
        "merchant_profile_incomplete",
        "payment_description_required",
        "merchant_account_provider_mismatch",
        "provider_not_eligible",
        "no_eligible_provider",
        "currency_not_supported_by_provider",
        "currency_not_supported_for_fiscal_document",
        "fiscal_total_mismatch",
        "fiscal_line_legal_tip_invalid",
        "fiscal_document_kind_not_allowed",
        "fiscal_document_kind_unsupported",
        "fiscal_government_eligibility_required",
        "fiscal_government_eligibility_not_allowed",
        "provider_unavailable",
        "provider_rejected_request",
    ],
};

const LIST: Operation = Operation {
    method: "get",
    path: "/v1/payments",
    id: "listPayments",
    tag: TAG,
    summary: "List payments, newest first",
    description: "Returns the payments in the mode of the key. Every filter is optional, and filters are combined \
                  with and.",
    callers: &[Key],
    parameters: &[
        "Limit",
        "Cursor",
        "Status",
        "SaleReference",
        "MerchantInvoiceNumber",
        "MerchantOrderNumber",
        "CreatedAfter",
        "CreatedBefore",
    ],
    body: None,
    answer: Answer { status: 200, content: Json("PaymentList", &["payment-list"]), has_etag: false },
    refusals: &["operation_not_permitted_for_checkout_token"],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/payments/{paymentId}",
    id: "getPayment",
    tag: TAG,
    summary: "Retrieve a payment",
    description: "A merchant key reads every field; a checkout token does not read the fields that \
                  only the merchant may see.",
    callers: &[Key, Pay, Organizer, Receipt],
    parameters: &["PaymentId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json("PaymentView", &["payment-succeeded", "payment-challenge", "checkout-payment"]),
        has_etag: true,
    },
    refusals: &["merchant_account_not_owned", "payment_not_found"],
};

const SUBMIT_CARD: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/card-submissions",
    id: "submitCard",
    tag: TAG,
    summary: "Pay by card",
    description: "Charges a card for the payment, or reserves the amount of one part if the payment is split. A \
                  declined card is not an error: read `status` and `decline`. If the provider's response is lost, \
                  `status` is `verifying` and Cobro asks the provider for the result. A server that calls this \
                  operation handles card numbers and is in the scope of PCI DSS; the page at `nextAction.url` keeps it \
                  out.",
    callers: &[Pay, Organizer],
    parameters: &["PaymentId"],
    body: Some("SubmitCard"),
    answer: Answer { status: 200, content: Json("CheckoutPayment", &["checkout-payment"]), has_etag: true },
    refusals: &[
        "precondition_failed",
        "merchant_account_not_ready",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_part_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "decline_not_retryable",
        "checkout_window_closed",
        "fiscal_buyer_required",
        "payment_split_complete",
        "payment_split_part_required",
        "payment_part_not_payable",
        "provider_unavailable",
        "provider_rejected_request",
    ],
};

const SET_VOLUNTARY_TIP: Operation = Operation {
    method: "put",
    path: "/v1/payments/{paymentId}/voluntary-tip",
    id: "setVoluntaryTip",
    tag: TAG,
    summary: "Set the voluntary tip",
    description: "Sets or, with 0, removes the tip of the payer: at most as much as `amount`. It is charged with the \
                  payment and is not part of the fiscal document.",
    callers: &[Pay, Organizer],
    parameters: &["PaymentId"],
    body: Some("SetVoluntaryTip"),
    answer: Answer { status: 200, content: Json("CheckoutPayment", &["checkout-payment"]), has_etag: true },
    refusals: &[
        "precondition_failed",
        "amount_above_maximum",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_not_editable",
    ],
};

const CANCEL: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/cancellations",
    id: "cancelPayment",
    tag: TAG,
    summary: "Cancel a payment",
    description: "Cancels a sale that is not paid, and its fiscal document with it.",
    callers: &[Key],
    parameters: &["PaymentId"],
    body: Some("CancelPayment"),
    answer: Answer { status: 200, content: Json("Payment", &["payment-canceled"]), has_etag: true },
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_not_editable",
    ],
};

const CREATE_CHECKOUT_TOKEN: Operation = Operation {
    method: "post",
    path: "/v1/checkout_tokens",
    id: "createCheckoutToken",
    tag: TAG,
    summary: "Create a checkout token",
    description: "Creates a bearer token for one payment, for a checkout (`pay`) or a receipt (`receipt`) that the \
                  merchant builds. The response is the only one that contains it.",
    callers: &[Key],
    parameters: &[],
    body: Some("CreateCheckoutToken"),
    answer: Answer { status: 201, content: Json("CheckoutToken", &["checkout-token"]), has_etag: false },
    refusals: &[
        "checkout_reference_invalid",
        "checkout_reference_expired",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "live_mode_not_enabled",
        "receipt_retention_elapsed",
    ],
};
