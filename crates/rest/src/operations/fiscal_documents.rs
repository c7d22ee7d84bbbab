use actix_web::{HttpResponse, http::Method, web::Payload};
use app::{
    IdempotentRequest, View, choose_fiscal_document, correct_fiscal_document, get_fiscal_document, list_revisions,
};
use domain::{rights::Right, sale::Sale};
use wire::{FiscalDocumentResponse, PaymentResponse};

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

pub(super) const OPERATIONS: &[Operation] = &[CHOOSE, GET, CORRECT, REVISIONS];

const CHOOSE: Operation = Operation {
    id: "chooseFiscalDocument",
    path: "/v1/payments/{paymentId}/fiscal-document-choice",
    right: Right::DocumentsChoose,
    input: Input::change(&Method::PUT, "ChooseFiscalDocument"),
    summary: "Choose the kind and the buyer of the fiscal document",
    description: "Allowed until the payment is paid, within the kinds and locks that the sale was created with. A \
                  field that is left out keeps its value. A `fiscal_credit` or `government` document needs a buyer, \
                  whom the register of taxpayers confirms.",
    success: Success::json(200, "CheckoutPayment", &["checkout-payment"]).with_etag(),
    refusals: &[
        refusals::PAYMENT,
        refusals::KIND,
        refusals::BUYER,
        &[
            "merchant_account_not_ready",
            "fiscal_buyer_tax_id_invalid",
            "payment_awaiting_verification",
            "checkout_window_closed",
            "fiscal_preset_locked",
            "payment_not_editable",
            "fiscal_buyer_required",
        ],
    ],
    handler: |request, body| Box::pin(choose(request, body)),
};

async fn choose(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::choose_fiscal_document::parse).await?;
    let payment = request.segment("paymentId").to_owned();
    let choose = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |sale: &Sale, now| context.sale(sale, &PaymentResponse::checkout(sale, &[], context.urls(), now));
        choose_fiscal_document(context.ports(), &context.caller, idempotent, &payment, content, &render).await
    };
    request.run(idempotent, choose).await
}

const GET: Operation = Operation {
    id: "getFiscalDocument",
    path: "/v1/fiscal_documents/{fiscalDocumentId}",
    right: Right::ArtifactsRead,
    input: Input::PATH,
    summary: "Retrieve a fiscal document",
    description: "Returns the document at its current revision. `status` decides which other fields it has. The \
                  holder of a receipt token gets it without the merchant's invoice and order numbers. A credit note of \
                  the payment is a document too.",
    success: Success::json(
        200,
        "FiscalDocumentView",
        &[
            "fiscal-document-issued",
            "fiscal-document-rejected",
            "fiscal-document-delayed",
            "fiscal-document-note_issued",
            "receipt-document",
        ],
    )
    .with_etag(),
    refusals: &[refusals::DOCUMENT],
    handler: |request, _| Box::pin(get(request)),
};

async fn get(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_fiscal_document(context.ports(), &context.caller, request.segment("fiscalDocumentId")).await?;
    Ok(response::json(match context.caller.view() {
        View::Full => context.sale(&sale, &FiscalDocumentResponse::full(&sale)),
        View::Checkout => context.sale(&sale, &FiscalDocumentResponse::receipt(&sale)),
    }))
}

const CORRECT: Operation = Operation {
    id: "correctFiscalDocument",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/corrections",
    right: Right::DocumentsCorrect,
    input: Input::change(&Method::POST, "CorrectFiscalDocument"),
    summary: "Correct a rejected fiscal document",
    description: "Replaces a document with status `rejected` by a new revision, which is then issued. Send every \
                  field again: the total of the lines must be the amount of the payment. Earlier revisions stay \
                  readable. A credit note is corrected by its refund.",
    success: Success::json(201, "FiscalDocument", &["fiscal-document-requested"]).with_etag(),
    refusals: &[
        refusals::DOCUMENT,
        refusals::KIND,
        refusals::BUYER,
        refusals::CONTENT,
        &["fiscal_correction_not_allowed"],
    ],
    handler: |request, body| Box::pin(correct(request, body)),
};

async fn correct(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content, .. } = request.command(body, wire::correct_fiscal_document::parse).await?;
    let document = request.segment("fiscalDocumentId").to_owned();
    let correct = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |sale: &Sale, _| context.sale(sale, &FiscalDocumentResponse::full(sale));
        correct_fiscal_document(context.ports(), &context.caller, idempotent, &document, content, &render).await
    };
    request.run(idempotent, correct).await
}

const REVISIONS: Operation = Operation {
    id: "listFiscalRevisions",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/revisions",
    right: Right::RevisionsRead,
    input: Input::query(&["Limit", "Cursor"]),
    summary: "List the earlier revisions of a fiscal document",
    description: "Returns the document as it was before each correction, newest revision first.",
    success: Success::json(200, "FiscalDocumentList", &["fiscal-revision-list"]),
    refusals: &[refusals::DOCUMENT],
    handler: |request, _| Box::pin(revisions(request)),
};

async fn revisions(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let id = request.segment("fiscalDocumentId");
    let page = request.query(|raw| wire::query::revisions(raw, id))?;
    let _permit = request.list_permit().await?;
    let context = request.context();
    let listed = list_revisions(context.ports(), &context.caller, id, &page).await?;
    Ok(context.page(&listed, FiscalDocumentResponse::full))
}
