use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    Error, capture_split, delete_split, get_part, get_split, open_split, release_split, renew_split, replace_split,
};
use domain::rights::Right;
use wire::{PaymentPartResponse, PaymentSplitResponse};

use super::{
    operation::{Input, Operation, Success},
    refusals,
};
use crate::{command::Command, problem::Problem, request::ApiRequest, response};

pub(super) const OPERATIONS: &[Operation] = &[GET, OPEN, REPLACE, DELETE, GET_PART, CAPTURE, RELEASE, RENEW];

/// Response with the payment as far as the caller may see it.
const fn payment(status: u16, examples: &'static [&'static str]) -> Success {
    Success::json(status, "PaymentView", examples).with_etag()
}

const OPEN: Operation = Operation {
    id: "openSplit",
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsOpen,
    input: Input::change(&Method::POST, "OpenSplit"),
    summary: "Split a payment",
    description: "Divides the payment among 2 to 10 payers, equally or by amounts. The caller becomes the organizer: \
                  the merchant's server, or the checkout session.",
    success: payment(201, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        refusals::PAYMENT,
        refusals::IN_PROGRESS,
        &["payment_split_invalid", "checkout_window_closed", "payment_split_not_allowed", "payment_split_exists"],
    ],
    handler: |request, body| Box::pin(request.change_payment(body, wire::open_split::parse, open_split)),
};

const GET: Operation = Operation {
    id: "getSplit",
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsRead,
    input: Input::PATH,
    summary: "Retrieve the split of a payment",
    description: "Returns the parts and how much of the payment is reserved and charged.",
    success: Success::json(200, "PaymentSplit", &["payment_split-open", "payment_split-partially_authorized"])
        .with_etag(),
    refusals: &[refusals::SPLIT],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_split(context.ports(), &context.caller, request.segment("paymentId")).await?;
    let split = PaymentSplitResponse::of(&sale).ok_or_else(|| Error::internal("the sale has no split"))?;
    Ok(response::json(context.sale(&sale, &split)))
}

const REPLACE: Operation = Operation {
    id: "replaceSplit",
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsCommand,
    input: Input::change(&Method::PUT, "OpenSplit"),
    summary: "Replace a split",
    description: "Divides the payment anew and starts a new window. Allowed while no part has a card.",
    success: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[refusals::SPLIT, refusals::IN_PROGRESS, &["payment_split_invalid", "payment_split_locked"]],
    handler: |request, body| Box::pin(request.change_payment(body, wire::open_split::parse, replace_split)),
};

const DELETE: Operation = Operation {
    id: "deleteSplit",
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsCommand,
    input: Input::DELETION,
    summary: "Delete a split",
    description: "Makes the payment whole again, in its own window. Allowed while no part has a card.",
    success: payment(200, &["payment-requires_customer_action", "checkout-payment"]),
    refusals: &[refusals::SPLIT, refusals::IN_PROGRESS, &["payment_split_locked"]],
    handler: |request, _| Box::pin(delete(request)),
};

async fn delete(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let idempotent = request.deletion()?;
    request.run_on_payment(idempotent, delete_split).await
}

const GET_PART: Operation = Operation {
    id: "getPart",
    path: "/v1/payments/{paymentId}/split/parts/{ordinal}",
    right: Right::SplitsRead,
    input: Input::PATH,
    summary: "Retrieve a part of a split",
    description: "Returns one part, with its card and, while it is declined, the reason.",
    success: Success::json(
        200,
        "PaymentPart",
        &["payment_part-unpaid", "payment_part-challenge", "payment_part-declined", "payment_part-authorized"],
    )
    .with_etag(),
    refusals: &[refusals::SPLIT, &["payment_part_not_found"]],
    handler: |request, _| Box::pin(part(request)),
};

async fn part(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let (payment, ordinal) = (request.segment("paymentId"), request.segment("ordinal"));
    let (sale, ordinal) = get_part(context.ports(), &context.caller, payment, ordinal).await?;
    let part = PaymentPartResponse::of(&sale, ordinal, context.urls());
    let part = part.ok_or_else(|| Error::internal("the split has no such part"))?;
    Ok(response::json(context.sale(&sale, &part)))
}

const CAPTURE: Operation = Operation {
    id: "captureSplit",
    path: "/v1/payments/{paymentId}/split/captures",
    right: Right::SplitsCommand,
    input: Input::change(&Method::POST, "CaptureSplit"),
    summary: "Charge the parts of a split",
    description: "Charges every part once all are reserved. If some cannot be charged, the response is not an error: \
                  read the status of each part.",
    success: payment(200, &["payment-split-succeeded", "payment-split-partially_paid", "checkout-payment"]),
    refusals: &[
        refusals::SPLIT,
        refusals::PROVIDER,
        &[
            "merchant_account_not_ready",
            "payment_awaiting_verification",
            "payment_split_not_capturable",
            "payment_split_complete",
        ],
    ],
    handler: |request, body| Box::pin(capture(request, body)),
};

async fn capture(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::empty_body::parse).await?;
    request.run_on_payment(idempotent, capture_split).await
}

const RELEASE: Operation = Operation {
    id: "releaseSplit",
    path: "/v1/payments/{paymentId}/split/releases",
    right: Right::SplitsCommand,
    input: Input::change(&Method::POST, "ReleaseSplit"),
    summary: "Release a split",
    description: "Releases every reservation that is not charged, and ends the split.",
    success: payment(200, &["payment-split-released", "checkout-payment"]),
    refusals: &[
        refusals::SPLIT,
        refusals::PROVIDER,
        &["payment_awaiting_verification", "checkout_window_closed", "payment_split_locked", "payment_split_complete"],
    ],
    handler: |request, body| Box::pin(release(request, body)),
};

async fn release(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::release_split::parse).await?;
    request.run_on_payment(idempotent, release_split).await
}

const RENEW: Operation = Operation {
    id: "renewSplit",
    path: "/v1/payments/{paymentId}/split/renewals",
    right: Right::SplitsCommand,
    input: Input::change(&Method::POST, "RenewSplit"),
    summary: "Renew an expired split",
    description: "Starts a new window of 24 hours, at most three times.",
    success: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        refusals::SPLIT,
        &[
            "payment_awaiting_verification",
            "payment_split_not_expired",
            "payment_split_not_renewable",
            "merchant_account_not_ready",
        ],
    ],
    handler: |request, body| Box::pin(renew(request, body)),
};

async fn renew(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::empty_body::parse).await?;
    request.run_on_payment(idempotent, renew_split).await
}
