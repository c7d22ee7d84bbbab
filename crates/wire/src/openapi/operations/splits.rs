use super::super::operation::{
    Answer,
    Caller::{Key, Organizer, Pay},
    Content::Json,
    Operation,
};

const TAG: &str = "Splits";

pub(super) const OPERATIONS: &[Operation] = &[OPEN, GET, REPLACE, DELETE, GET_PART, CAPTURE, RELEASE, RENEW];

/// A key sees the payment, a token what its holder may see of it.
const fn payment(status: u16, shown: &'static [&'static str]) -> Answer {
    Answer { status, content: Json("PaymentView", shown), has_etag: true }
}

const OPEN: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/split",
    id: "openSplit",
    tag: TAG,
    summary: "Split a payment",
    description: "Divides the payment among 2 to 10 payers, equally or by amounts. The caller becomes the organizer: \
                  the merchant's server, or the checkout session.",
    callers: &[Key, Pay, Organizer],
    parameters: &["PaymentId"],
    body: Some("OpenSplit"),
    answer: payment(201, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "payment_split_invalid",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_split_not_allowed",
        "payment_split_exists",
    ],
};

const GET: Operation = Operation {
    method: "get",
    path: "/v1/payments/{paymentId}/split",
    id: "getSplit",
    tag: TAG,
    summary: "Retrieve the split of a payment",
    description: "Returns the parts and how much of the payment is reserved and charged.",
    callers: &[Key, Pay, Organizer],
    parameters: &["PaymentId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json("PaymentSplit", &["payment_split-open", "payment_split-partially_authorized"]),
        has_etag: true,
    },
    refusals: &[
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
    ],
};

const REPLACE: Operation = Operation {
    method: "put",
    path: "/v1/payments/{paymentId}/split",
    id: "replaceSplit",
    tag: TAG,
    summary: "Replace a split",
    description: "Divides the payment anew and starts a new window. Allowed while no part has a card.",
    callers: &[Key, Organizer],
    parameters: &["PaymentId"],
    body: Some("OpenSplit"),
    answer: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "payment_split_invalid",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_split_locked",
    ],
};

const DELETE: Operation = Operation {
    method: "delete",
    path: "/v1/payments/{paymentId}/split",
    id: "deleteSplit",
    tag: TAG,
    summary: "Delete a split",
    description: "Makes the payment whole again, in its own window. Allowed while no part has a card.",
    callers: &[Key, Organizer],
    parameters: &["PaymentId"],
    body: None,
    answer: payment(200, &["payment-requires_customer_action", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_split_locked",
    ],
};

const GET_PART: Operation = Operation {
    method: "get",
    path: "/v1/payments/{paymentId}/split/parts/{ordinal}",
    id: "getPart",
    tag: TAG,
    summary: "Retrieve a part of a split",
    description: "Returns one part, with its card and, while it is declined, the reason.",
    callers: &[Key, Pay, Organizer],
    parameters: &["PaymentId", "Ordinal"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json(
            "PaymentPart",
            &["payment_part-unpaid", "payment_part-challenge", "payment_part-declined", "payment_part-authorized"],
        ),
        has_etag: true,
    },
    refusals: &[
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_part_not_found",
    ],
};

const CAPTURE: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/split/captures",
    id: "captureSplit",
    tag: TAG,
    summary: "Charge the parts of a split",
    description: "Charges every part once all are reserved. If some cannot be charged, the response is not an error: \
                  read the status of each part.",
    callers: &[Key, Organizer],
    parameters: &["PaymentId"],
    body: Some("CaptureSplit"),
    answer: payment(200, &["payment-split-succeeded", "payment-split-partially_paid", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "merchant_account_not_ready",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "payment_split_not_capturable",
        "payment_split_complete",
        "provider_unavailable",
        "provider_rejected_request",
    ],
};

const RELEASE: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/split/releases",
    id: "releaseSplit",
    tag: TAG,
    summary: "Release a split",
    description: "Releases every reservation that is not charged, and ends the split.",
    callers: &[Key, Organizer],
    parameters: &["PaymentId"],
    body: Some("ReleaseSplit"),
    answer: payment(200, &["payment-split-released", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_split_locked",
        "payment_split_complete",
        "provider_unavailable",
        "provider_rejected_request",
    ],
};

const RENEW: Operation = Operation {
    method: "post",
    path: "/v1/payments/{paymentId}/split/renewals",
    id: "renewSplit",
    tag: TAG,
    summary: "Renew an expired split",
    description: "Starts a new window of 24 hours, at most three times.",
    callers: &[Key, Organizer],
    parameters: &["PaymentId"],
    body: Some("RenewSplit"),
    answer: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "precondition_failed",
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "payment_split_not_expired",
        "payment_split_not_renewable",
        "merchant_account_not_ready",
    ],
};
