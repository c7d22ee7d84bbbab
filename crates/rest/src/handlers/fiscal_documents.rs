use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    IdempotentRequest, PageRequest, View, choose_fiscal_document, correct_fiscal_document, get_fiscal_document,
    list_revisions,
};
use domain::{rights::Right, sale::Sale};
use wire::{FiscalDocumentResponse, ListResponse, PaymentResponse, query::PageQuery, to_bytes};

use crate::{
    command::Command,
    operation::{Operation, Success},
    problem::Problem,
    request::{ApiRequest, Effect, RequestContext},
    response,
};

pub(super) const OPERATIONS: &[Operation] = &[CHOOSE, GET, CORRECT, REVISIONS];

const CHOOSE: Operation = Operation {
    id: "chooseFiscalDocument",
    method: Method::PUT,
    path: "/v1/payments/{paymentId}/fiscal-document-choice",
    right: Right::DocumentsChoose,
    effect: Effect::Change,
    summary: "Choose the kind and the buyer of the fiscal document",
    description: "Allowed until the payment is paid, within the kinds and locks that the sale was created with. A \
                  field that is left out keeps its value. A `fiscal_credit` or `government` document needs a buyer, \
                  whom the register of taxpayers confirms.",
    parameters: &[],
    body: Some("ChooseFiscalDocument"),
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        "merchant_account_not_ready",
        "fiscal_buyer_tax_id_invalid",
        "merchant_account_not_owned",
        "payment_not_found",
        "payment_awaiting_verification",
        "checkout_window_closed",
        "fiscal_preset_locked",
        "payment_not_editable",
        "fiscal_buyer_required",
        "fiscal_document_kind_not_allowed",
        "fiscal_document_kind_unsupported",
        "fiscal_government_eligibility_required",
        "fiscal_government_eligibility_not_allowed",
        "fiscal_buyer_not_registered",
        "fiscal_buyer_inactive",
        "fiscal_buyer_is_issuer",
        "fiscal_buyer_not_government_entity",
        "taxpayer_directory_unavailable",
    ],
    handler: |request, body| Box::pin(choose(request, body)),
};

async fn choose(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::choose_fiscal_document::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let choose = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render =
            |sale: &Sale, now| context.sale(sale, to_bytes(&PaymentResponse::checkout(sale, context.urls(), now)));
        choose_fiscal_document(context.ports(), &context.caller, &idempotent, &payment, content, &render).await
    };
    request.run(idempotent, choose).await
}

const GET: Operation = Operation {
    id: "getFiscalDocument",
    method: Method::GET,
    path: "/v1/fiscal_documents/{fiscalDocumentId}",
    right: Right::ArtifactsRead,
    effect: Effect::Read,
    summary: "Retrieve a fiscal document",
    description: "Returns the document at its current revision. `status` decides which other fields it has. The \
                  holder of a receipt token gets it without the merchant's invoice and order numbers.",
    parameters: &[],
    body: None,
    success: Success::json(
        200,
        "FiscalDocumentView",
        &["fiscal-document-issued", "fiscal-document-rejected", "fiscal-document-delayed", "receipt-document"],
    )
    .with_etag(),
    refusals: &["merchant_account_not_owned", "fiscal_document_not_found"],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_fiscal_document(context.ports(), &context.caller, request.segment("fiscalDocumentId")).await?;
    let body = match context.caller.view() {
        View::Full => to_bytes(&FiscalDocumentResponse::full(&sale)),
        View::Checkout => to_bytes(&FiscalDocumentResponse::receipt(&sale)),
    };
    Ok(response::json(context.sale(&sale, body)))
}

const CORRECT: Operation = Operation {
    id: "correctFiscalDocument",
    method: Method::POST,
    path: "/v1/fiscal_documents/{fiscalDocumentId}/corrections",
    right: Right::DocumentsCorrect,
    effect: Effect::Change,
    summary: "Correct a rejected fiscal document",
    description: "Replaces a document with status `rejected` by a new revision, which is then issued. Send every \
                  field again: the total of the lines must be the amount of the payment. Earlier revisions stay \
                  readable.",
    parameters: &[],
    body: Some("CorrectFiscalDocument"),
    success: Success::json(201, "FiscalDocument", &["fiscal-document-requested"]).with_etag(),
    refusals: &[
        "fiscal_buyer_tax_id_invalid",
        "fiscal_line_total_invalid",
        "fiscal_lines_required",
        "merchant_account_not_owned",
        "fiscal_document_not_found",
        "fiscal_buyer_required",
        "fiscal_correction_not_allowed",
        "currency_not_supported_for_fiscal_document",
        "fiscal_total_mismatch",
        "fiscal_line_legal_tip_invalid",
        "fiscal_document_kind_not_allowed",
        "fiscal_document_kind_unsupported",
        "fiscal_government_eligibility_required",
        "fiscal_government_eligibility_not_allowed",
        "fiscal_buyer_not_registered",
        "fiscal_buyer_inactive",
        "fiscal_buyer_is_issuer",
        "fiscal_buyer_not_government_entity",
        "taxpayer_directory_unavailable",
    ],
    handler: |request, body| Box::pin(correct(request, body)),
};

async fn correct(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::correct_fiscal_document::parse).await?;
    let document = request.segment("fiscalDocumentId").to_owned();
    let correct = move |context: RequestContext, idempotent: IdempotentRequest| async move {
        let render = |sale: &Sale, _| context.sale(sale, to_bytes(&FiscalDocumentResponse::full(sale)));
        correct_fiscal_document(context.ports(), &context.caller, &idempotent, &document, content, &render).await
    };
    request.run(idempotent, correct).await
}

const REVISIONS: Operation = Operation {
    id: "listFiscalRevisions",
    method: Method::GET,
    path: "/v1/fiscal_documents/{fiscalDocumentId}/revisions",
    right: Right::RevisionsRead,
    effect: Effect::Read,
    summary: "List the earlier revisions of a fiscal document",
    description: "Returns the document as it was before each correction, newest revision first.",
    parameters: &["Limit", "Cursor"],
    body: None,
    success: Success::json(200, "FiscalDocumentList", &["fiscal-revision-list"]),
    refusals: &["merchant_account_not_owned", "fiscal_document_not_found"],
    handler: |request, _| Box::pin(revisions(request)),
};

async fn revisions(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let id = request.segment("fiscalDocumentId");
    let PageQuery { limit, cursor, filters } = request.query(|raw| wire::query::revisions(raw, id))?;
    let page = PageRequest { limit, cursor, filters };
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_revisions(context.ports(), &context.caller, id, &page).await?;
    let items = listed.items.iter().map(FiscalDocumentResponse::full).collect();
    let body = to_bytes(&ListResponse::new(items, listed.has_more, &listed.next_cursor));
    Ok(response::json(context.json(body)))
}
