use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    Error, IdempotentRequest, capture_split, delete_split, get_part, get_split, open_split, release_split, renew_split,
    replace_split,
};
use domain::{rights::Right, sale::Sale};
use wire::{PaymentPartResponse, PaymentSplitResponse, to_bytes};

use crate::{
    command::Command,
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[GET, OPEN, REPLACE, DELETE, GET_PART, CAPTURE, RELEASE, RENEW];

/// Response with the payment as far as the caller may see it.
const fn payment(status: u16, examples: &'static [&'static str]) -> Success {
    Success::json(status, "PaymentView", examples).with_etag()
}

const OPEN: Operation = Operation {
    id: "openSplit",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsOpen,
    effect: Effect::Change,
    summary: "Split a payment",
    description: "Divides the payment among 2 to 10 payers, equally or by amounts. The caller becomes the organizer: \
                  the merchant's server, or the checkout session.",
    parameters: &[],
    body: Some("OpenSplit"),
    success: payment(201, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "payment_split_invalid",
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_split_not_allowed",
        "payment_split_exists",
    ],
    handler: |request, body| Box::pin(open(request, body)),
};

async fn open(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::open_split::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let open = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        open_split(context.ports(), &context.caller, &idempotent, &payment, content, &render).await
    };
    request.run(idempotent, open).await
}

const GET: Operation = Operation {
    id: "getSplit",
    method: Method::GET,
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsRead,
    effect: Effect::Read,
    summary: "Retrieve the split of a payment",
    description: "Returns the parts and how much of the payment is reserved and charged.",
    parameters: &[],
    body: None,
    success: Success::json(200, "PaymentSplit", &["payment_split-open", "payment_split-partially_authorized"])
        .with_etag(),
    refusals: &["merchant_account_not_owned", "payment_not_found", "payment_split_not_found"],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_split(context.ports(), &context.caller, request.segment("paymentId")).await?;
    let split = PaymentSplitResponse::of(&sale).ok_or_else(|| Error::internal("the sale has no split"))?;
    Ok(response::json(context.sale(&sale, to_bytes(&split))))
}

const REPLACE: Operation = Operation {
    id: "replaceSplit",
    method: Method::PUT,
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsCommand,
    effect: Effect::Change,
    summary: "Replace a split",
    description: "Divides the payment anew and starts a new window. Allowed while no part has a card.",
    parameters: &[],
    body: Some("OpenSplit"),
    success: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "payment_split_invalid",
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_split_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_split_locked",
    ],
    handler: |request, body| Box::pin(replace(request, body)),
};

async fn replace(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::open_split::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let replace = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        replace_split(context.ports(), &context.caller, &idempotent, &payment, content, &render).await
    };
    request.run(idempotent, replace).await
}

const DELETE: Operation = Operation {
    id: "deleteSplit",
    method: Method::DELETE,
    path: "/v1/payments/{paymentId}/split",
    right: Right::SplitsCommand,
    effect: Effect::Change,
    summary: "Delete a split",
    description: "Makes the payment whole again, in its own window. Allowed while no part has a card.",
    parameters: &[],
    body: None,
    success: payment(200, &["payment-requires_customer_action", "checkout-payment"]),
    refusals: &[
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_split_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_split_locked",
    ],
    handler: |request, _| Box::pin(delete(request)),
};

async fn delete(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let idempotent = request.deletion()?;
    let payment = request.segment("paymentId").to_owned();
    let delete = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        delete_split(context.ports(), &context.caller, &idempotent, &payment, &render).await
    };
    request.run(idempotent, delete).await
}

const GET_PART: Operation = Operation {
    id: "getPart",
    method: Method::GET,
    path: "/v1/payments/{paymentId}/split/parts/{ordinal}",
    right: Right::SplitsRead,
    effect: Effect::Read,
    summary: "Retrieve a part of a split",
    description: "Returns one part, with its card and, while it is declined, the reason.",
    parameters: &[],
    body: None,
    success: Success::json(
        200,
        "PaymentPart",
        &["payment_part-unpaid", "payment_part-challenge", "payment_part-declined", "payment_part-authorized"],
    )
    .with_etag(),
    refusals: &["merchant_account_not_owned", "payment_not_found", "payment_split_not_found", "payment_part_not_found"],
    handler: |request, _| Box::pin(part(request)),
};

async fn part(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let (payment, ordinal) = (request.segment("paymentId"), request.segment("ordinal"));
    let (sale, ordinal) = get_part(context.ports(), &context.caller, payment, ordinal).await?;
    let part = PaymentPartResponse::of(&sale, ordinal, context.urls());
    let part = part.ok_or_else(|| Error::internal("the split has no such part"))?;
    Ok(response::json(context.sale(&sale, to_bytes(&part))))
}

const CAPTURE: Operation = Operation {
    id: "captureSplit",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/split/captures",
    right: Right::SplitsCommand,
    effect: Effect::Change,
    summary: "Charge the parts of a split",
    description: "Charges every part once all are reserved. If some cannot be charged, the response is not an error: \
                  read the status of each part.",
    parameters: &[],
    body: Some("CaptureSplit"),
    success: payment(200, &["payment-split-succeeded", "payment-split-partially_paid", "checkout-payment"]),
    refusals: &[
        "merchant_account_not_ready",
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "payment_split_not_capturable",
        "payment_split_complete",
        "provider_unavailable",
        "provider_rejected_request",
    ],
    handler: |request, body| Box::pin(capture(request, body)),
};

async fn capture(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::capture_split::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let capture = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        capture_split(context.ports(), &context.caller, &idempotent, &payment, &render).await
    };
    request.run(idempotent, capture).await
}

const RELEASE: Operation = Operation {
    id: "releaseSplit",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/split/releases",
    right: Right::SplitsCommand,
    effect: Effect::Change,
    summary: "Release a split",
    description: "Releases every reservation that is not charged, and ends the split.",
    parameters: &[],
    body: Some("ReleaseSplit"),
    success: payment(200, &["payment-split-released", "checkout-payment"]),
    refusals: &[
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "payment_split_locked",
        "payment_split_complete",
        "provider_unavailable",
        "provider_rejected_request",
    ],
    handler: |request, body| Box::pin(release(request, body)),
};

async fn release(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::release_split::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let release = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        release_split(context.ports(), &context.caller, &idempotent, &payment, &render).await
    };
    request.run(idempotent, release).await
}

const RENEW: Operation = Operation {
    id: "renewSplit",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/split/renewals",
    right: Right::SplitsCommand,
    effect: Effect::Change,
    summary: "Renew an expired split",
    description: "Starts a new window of 24 hours, at most three times.",
    parameters: &[],
    body: Some("RenewSplit"),
    success: payment(200, &["payment-split-open", "checkout-payment"]),
    refusals: &[
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_split_not_found",
        "payment_awaiting_verification",
        "payment_split_not_expired",
        "payment_split_not_renewable",
        "merchant_account_not_ready",
    ],
    handler: |request, body| Box::pin(renew(request, body)),
};

async fn renew(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::renew_split::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let renew = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        renew_split(context.ports(), &context.caller, &idempotent, &payment, &render).await
    };
    request.run(idempotent, renew).await
}
