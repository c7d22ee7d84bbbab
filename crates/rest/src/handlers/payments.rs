use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    CreatePayment, IdempotentRequest, PageRequest, SaleFilter, cancel_payment, create_payment, get_payment,
    list_payments,
};
use domain::{rights::Right, sale::Sale};
use wire::{ListResponse, PaymentResponse, query::PaymentQuery, to_bytes};

use crate::{
    command::Command,
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[LIST, CREATE, GET, CANCEL];

const CREATE: Operation = Operation {
    id: "createPayment",
    method: Method::POST,
    path: "/v1/payments",
    right: Right::PaymentsCreate,
    effect: Effect::Create,
    summary: "Create a payment",
    description: "Creates the payment of one sale together with its fiscal document. Send the payer to \
                  `nextAction.url`, where the card is entered. The total of the lines, with ITBIS and legal tip, must \
                  be `amount`. A declined card is not an error: read `status`.",
    parameters: &["MerchantAccount", "Provider"],
    body: Some("CreatePayment"),
    success: Success::json(
        201,
        "Payment",
        &["payment-requires_customer_action", "payment-declined", "payment-verifying"],
    )
    .with_etag(),
    refusals: &[
        "provider_not_available",
        "currency_not_supported",
        "amount_below_minimum",
        "amount_above_maximum",
        "fiscal_buyer_tax_id_invalid",
        "fiscal_line_total_invalid",
        "fiscal_lines_required",
        "merchant_account_not_owned",
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
    handler: |request, body| Box::pin(create(request, body)),
};

async fn create(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: draft, account, provider } =
        request.command(body, wire::create_payment::parse).await?;
    let create = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        let command = CreatePayment { draft, account, provider };
        create_payment(context.ports(), &context.caller, &idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

const LIST: Operation = Operation {
    id: "listPayments",
    method: Method::GET,
    path: "/v1/payments",
    right: Right::PaymentsList,
    effect: Effect::Read,
    summary: "List payments, newest first",
    description: "Returns the payments in the mode of the key. Every filter is optional, and filters are combined \
                  with and.",
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
    success: Success::json(200, "PaymentList", &["payment-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let query = request.query(wire::query::payments)?;
    let page = PageRequest { limit: query.limit, cursor: query.cursor.clone(), filters: query.filters.clone() };
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_payments(context.ports(), &context.caller, filter(query), &page).await?;
    let now = context.ports().clock.now();
    let items = listed.items.iter().map(|sale| PaymentResponse::full(sale, context.urls(), now)).collect();
    let body = to_bytes(&ListResponse::new(items, listed.has_more, &listed.next_cursor));
    Ok(response::json(context.json(body)))
}

fn filter(query: PaymentQuery) -> SaleFilter {
    SaleFilter {
        accounts: Vec::new(),
        status: query.status,
        sale_reference: query.sale_reference,
        merchant_invoice_number: query.merchant_invoice_number,
        merchant_order_number: query.merchant_order_number,
        created_after: query.created_after,
        created_before: query.created_before,
    }
}

const GET: Operation = Operation {
    id: "getPayment",
    method: Method::GET,
    path: "/v1/payments/{paymentId}",
    right: Right::PaymentsRead,
    effect: Effect::Read,
    summary: "Retrieve a payment",
    description: "A merchant key reads every field; a checkout token does not read the fields that \
                  only the merchant may see.",
    parameters: &[],
    body: None,
    success: Success::json(200, "PaymentView", &["payment-succeeded", "payment-challenge", "checkout-payment"])
        .with_etag(),
    refusals: &["merchant_account_not_owned", "payment_not_found"],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_payment(context.ports(), &context.caller, request.segment("paymentId")).await?;
    Ok(response::json(context.payment(&sale, context.ports().clock.now())))
}

const CANCEL: Operation = Operation {
    id: "cancelPayment",
    method: Method::POST,
    path: "/v1/payments/{paymentId}/cancellations",
    right: Right::PaymentsCancel,
    effect: Effect::Change,
    summary: "Cancel a payment",
    description: "Cancels a sale that is not paid, and its fiscal document with it.",
    parameters: &[],
    body: Some("CancelPayment"),
    success: Success::json(200, "Payment", &["payment-canceled"]).with_etag(),
    refusals: &[
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_method_already_in_progress",
        "payment_awaiting_verification",
        "payment_not_editable",
    ],
    handler: |request, body| Box::pin(cancel(request, body)),
};

async fn cancel(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, .. } = request.command(body, wire::cancel_payment::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let cancel = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, now| context.payment(sale, now);
        cancel_payment(context.ports(), &context.caller, &idempotent, &payment, &render).await
    };
    request.run(idempotent, cancel).await
}
