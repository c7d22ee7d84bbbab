use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    AttributeRefund, CorrectNote, CreateRefund, IdempotentRequest, PreviewRefund, Rendered, attribute_refund,
    correct_credit_note, create_refund, get_payment, get_refund, list_refunds, preview_refund,
};
use domain::{
    Payment, PaymentId,
    refund::{RefundPurpose, RefundRecord},
    rights::Right,
    sale::Sale,
};
use wire::{
    FiscalDocumentResponse, MerchantRefundResponse, RefundPreviewResponse, attribute_refund::Attribution,
    create_refund::RequestedRefund,
};

use super::{
    operation::{Input, Operation, Success},
    refusals,
};
use crate::{
    command::Command,
    limits::{Limits, RateLimited},
    problem::Problem,
    request::{ApiRequest, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[LIST, CREATE, PREVIEW, GET, CORRECT_NOTE, ATTRIBUTE];

const CREATE: Operation = Operation {
    id: "createRefund",
    path: "/v1/payments/{paymentId}/refunds",
    right: Right::RefundsManage,
    input: Input::change(&Method::POST, "CreateRefund"),
    summary: "Refund a payment",
    description: "Returns money of a paid payment, whole or in part, and then issues the credit note (E34) of the returned \
                  part of the document. A recent charge is voided; any other is refunded. An outcome is not an error: read \
                  `status`. A refund whose legs failed can be retried by another one with scope `retry`, or \
                  settled outside. The request may take as long as a card submission.",
    success: Success::json(
        201,
        "Refund",
        &["refund-succeeded", "refund-split", "refund-verifying", "refund-failed", "refund-outside"],
    )
    .with_etag(),
    refusals: &[
        refusals::PAYMENT,
        refusals::REFUND_STATE,
        refusals::REFUND_SELECTION,
        refusals::PROVIDER,
        &["refund_itbis_loss_unacknowledged"],
    ],
    handler: |request, body| Box::pin(create(request, body)),
};

async fn create(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::create_refund::parse).await?;
    let payment = admitted_payment(&request, Limits::admit_refund).await?;
    let RequestedRefund { draft, retried, reason, settlement_reference, description, refund_reference, metadata } =
        content;
    let command = CreateRefund {
        payment,
        draft,
        retried: retried.map(|id| id.as_str().to_owned()),
        purpose: RefundPurpose { reason, description },
        settlement_reference,
        refund_reference,
        metadata,
    };
    let create = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |_: &Payment, record: &RefundRecord| context.refund(&record.refund, record.note.as_ref());
        create_refund(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, create).await
}

const PREVIEW: Operation = Operation {
    id: "previewRefund",
    path: "/v1/payments/{paymentId}/refunds/preview",
    right: Right::RefundsPreview,
    input: Input::calculation("PreviewRefund"),
    summary: "Preview a refund",
    description: "Computes lines, ITBIS, credit note and legs of a refund, and changes nothing. An amount that no credit \
                  note can state is not an error: `nearestAmounts` has the amounts next to it. Every other refusal is that \
                  of the refund. The result binds neither side.",
    success: Success::json(
        200,
        "RefundPreview",
        &["refund-preview-lines", "refund-preview-split", "refund-preview-tip", "refund-preview-inexact"],
    ),
    refusals: &[&["parameter_missing"], refusals::PAYMENT, refusals::REFUND_STATE, refusals::REFUND_SELECTION],
    handler: |request, body| Box::pin(preview(request, body)),
};

async fn preview(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let content = request.content(body, wire::preview_refund::parse).await?;
    let payment = admitted_payment(&request, Limits::admit_preview).await?;
    let context = request.context();
    let command =
        PreviewRefund { payment, draft: content.draft, retried: content.retried.map(|id| id.as_str().to_owned()) };
    let previewed = preview_refund(context.ports(), &context.caller, command).await?;
    Ok(response::json(context.json(&RefundPreviewResponse::new(&previewed.sale, &previewed.preview))))
}

/// Returns the payment in the path, if its limit admits another request. Unknown payments, and payments of other accounts,
/// are not counted.
async fn admitted_payment(
    request: &ApiRequest,
    admit: fn(&Limits, &PaymentId) -> Result<(), RateLimited>,
) -> Result<PaymentId, Problem> {
    let context = request.context();
    let sale = get_payment(context.ports(), &context.caller, request.segment("paymentId")).await?;
    admit(&context.state.limits, &sale.payment.facts.id)?;
    Ok(sale.payment.facts.id)
}

const GET: Operation = Operation {
    id: "getRefund",
    path: "/v1/refunds/{refundId}",
    right: Right::RefundsRead,
    input: Input::PATH,
    summary: "Retrieve a refund",
    description: "Returns the refund with its legs and its credit note.",
    success: Success::json(200, "Refund", &["refund-succeeded", "refund-partially_succeeded", "refund-unattributed"])
        .with_etag(),
    refusals: &[refusals::REFUND],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let record = get_refund(context.ports(), &context.caller, request.segment("refundId")).await?;
    Ok(response::json(context.refund(&record.refund, record.note.as_ref())))
}

const LIST: Operation = Operation {
    id: "listRefunds",
    path: "/v1/refunds",
    right: Right::RefundsRead,
    input: Input::query(&[
        "Limit",
        "Cursor",
        "RefundedPayment",
        "RefundStatus",
        "RefundReference",
        "CreatedAfter",
        "CreatedBefore",
    ]),
    summary: "List refunds, newest first",
    description: "Returns the refunds in the mode of the key. Every filter is optional, and filters are combined with and.",
    success: Success::json(200, "RefundList", &["refund-list"]),
    refusals: &[],
    handler: |request, _| Box::pin(list(request)),
};

async fn list(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let (filter, page) = request.query(wire::query::refunds)?;
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_refunds(context.ports(), &context.caller, filter, &page).await?;
    Ok(context.page(&listed, MerchantRefundResponse::from))
}

const CORRECT_NOTE: Operation = Operation {
    id: "correctCreditNote",
    path: "/v1/refunds/{refundId}/credit-note-corrections",
    right: Right::RefundsManage,
    input: Input::change(&Method::POST, "CorrectCreditNote"),
    summary: "Correct a rejected credit note",
    description: "Issues a credit note with status `rejected` again, as its next revision: the same lines and amounts, and \
                  another text of the reason if `description` is sent.",
    success: Success::json(201, "FiscalDocument", &["fiscal-document-note_corrected"]).with_etag(),
    refusals: &[refusals::REFUND, &["fiscal_correction_not_allowed"]],
    handler: |request, body| Box::pin(correct_note(request, body)),
};

async fn correct_note(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::correct_credit_note::parse).await?;
    let command = CorrectNote { refund: request.segment("refundId").to_owned(), description: content };
    let correct = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |payment: &Payment, record: &RefundRecord| render_note(context, payment, record);
        correct_credit_note(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, correct).await
}

/// Renders the credit note of a refund, as the document of the sale's payment.
fn render_note(context: &RequestContext, payment: &Payment, record: &RefundRecord) -> Rendered {
    let document = record.note.clone().expect("a corrected refund has a credit note");
    let sale = Sale { payment: payment.clone(), document };
    context.sale(&sale, &FiscalDocumentResponse::full(&sale))
}

const ATTRIBUTE: Operation = Operation {
    id: "attributeRefund",
    path: "/v1/refunds/{refundId}/attributions",
    right: Right::RefundsManage,
    input: Input::change(&Method::POST, "AttributeRefund"),
    summary: "Attribute money that was found at the provider",
    description: "States which part of the sale a refund with status `unattributed` returns, and issues its credit note. The \
                  money is fixed: the selected part must be exactly the found money.",
    success: Success::json(200, "Refund", &["refund-attributed"]).with_etag(),
    refusals: &[
        refusals::REFUND,
        refusals::REFUND_SELECTION,
        &[
            "merchant_account_not_ready",
            "refund_in_progress",
            "refund_not_attributable",
            "refund_itbis_loss_unacknowledged",
        ],
    ],
    handler: |request, body| Box::pin(attribute(request, body)),
};

async fn attribute(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::attribute_refund::parse).await?;
    let context = request.context();
    let record = get_refund(context.ports(), &context.caller, request.segment("refundId")).await?;
    context.state.limits.admit_refund(&record.refund.facts.payment)?;
    let Attribution { selection, purpose, acknowledges_itbis_loss } = content;
    let refund = record.refund.facts.id;
    let command = AttributeRefund { refund, selection, purpose, acknowledges_itbis_loss };
    let attribute = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |_: &Payment, record: &RefundRecord| context.refund(&record.refund, record.note.as_ref());
        attribute_refund(context.ports(), &context.caller, idempotent, command, &render).await
    };
    request.run(idempotent, attribute).await
}
