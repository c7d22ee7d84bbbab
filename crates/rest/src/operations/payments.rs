use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    CreatePayment, IdempotentRequest, View, cancel_payment, create_payment, get_payment, list_payments,
    with_refunds_for_payers,
};
use domain::{rights::Right, sale::Sale};
use wire::PaymentResponse;

use super::{
    operation::{Input, Operation, Success},
    refusals,
};
use crate::{
    command::Command,
    problem::Problem,
    request::{ApiRequest, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[LIST, CREATE, GET, CANCEL];

const CREATE: Operation = Operation {
    id: "createPayment",
    path: "/v1/payments",
    right: Right::PaymentsCreate,
    input: Input { parameters: &["MerchantAccount", "Provider"], ..Input::create("CreatePayment") },
    summary: "Create a payment",
    description: "Creates the payment of one sale together with its fiscal document. Send the payer to \
                  `nextAction.url`, where the card is entered. The total of the lines, with ITBIS and legal tip, must \
                  be `amount`. A declined card is not an error: read `status`.",
    success: Success::json(
        201,
        "Payment",
        &["payment-requires_customer_action", "payment-declined", "payment-verifying"],
    )
    .with_etag(),
    refusals: &[
        refusals::KIND,
        refusals::CONTENT,
        refusals::PROVIDER,
        &[
            "provider_not_available",
            "currency_not_supported",
            "amount_below_minimum",
            "amount_above_maximum",
            "merchant_account_not_owned",
            "merchant_account_not_found",
            "merchant_profile_not_found",
            "merchant_account_not_ready",
            "merchant_profile_incomplete",
            "payment_description_required",
            "merchant_account_provider_mismatch",
            "provider_not_eligible",
            "no_eligible_provider",
            "currency_not_supported_by_provider",
        ],
    ],
    handler: |request, body| Box::pin(create(request, body)),
};

async fn create(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: draft, account, provider } =
        request.command(body, wire::create_payment::parse).await?;
    let create = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |sale: &Sale, now| context.payment(sale, now);
        let command = CreatePayment { draft, account, provider };
        create_payment(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

const LIST: Operation = Operation {
    id: "listPayments",
    path: "/v1/payments",
    right: Right::PaymentsList,
    input: Input::query(&[
        "Limit",
        "Cursor",
        "Status",
        "SaleReference",
        "MerchantInvoiceNumber",
        "MerchantOrderNumber",
        "CreatedAfter",
        "CreatedBefore",
    ]),
    summary: "List payments, newest first",
    description: "Returns the payments in the mode of the key. Every filter is optional, and filters are combined \
                  with and.",
    success: Success::json(200, "PaymentList", &["payment-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let (filter, page) = request.query(wire::query::payments)?;
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_payments(context.ports(), &context.caller, filter, &page).await?;
    let now = context.ports().clock.now();
    Ok(context.page(&listed, |sale| PaymentResponse::full(sale, context.urls(), now)))
}

const GET: Operation = Operation {
    id: "getPayment",
    path: "/v1/payments/{paymentId}",
    right: Right::PaymentsRead,
    input: Input::PATH,
    summary: "Retrieve a payment",
    description: "A merchant key reads every field; a checkout token does not read the fields that \
                  only the merchant may see.",
    success: Success::json(
        200,
        "PaymentView",
        &["payment-succeeded", "payment-challenge", "checkout-payment", "checkout-payment-refunded"],
    )
    .with_etag(),
    refusals: &[refusals::PAYMENT],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_payment(context.ports(), &context.caller, request.segment("paymentId")).await?;
    let (sale, refunds) = match context.caller.view() {
        View::Full => (sale, Vec::new()),
        View::Checkout => with_refunds_for_payers(context.ports(), sale).await?,
    };
    Ok(response::json(context.payment_with(&sale, &refunds, context.ports().clock.now())))
}

const CANCEL: Operation = Operation {
    id: "cancelPayment",
    path: "/v1/payments/{paymentId}/cancellations",
    right: Right::PaymentsCancel,
    input: Input::change(&Method::POST, "CancelPayment"),
    summary: "Cancel a payment",
    description: "Cancels a sale that is not paid, and its fiscal document with it.",
    success: Success::json(200, "Payment", &["payment-canceled"]).with_etag(),
    refusals: &[refusals::PAYMENT, refusals::IN_PROGRESS, &["payment_not_editable"]],
    handler: |request, body| Box::pin(cancel(request, body)),
};

async fn cancel(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::cancel_payment::parse).await?;
    request.run_on_payment(idempotent, cancel_payment).await
}
