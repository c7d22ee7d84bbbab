use actix_web::{
    HttpResponse,
    http::{
        Method,
        header::{CONTENT_DISPOSITION, ETAG},
    },
    web::Payload,
};
use app::{
    ContingencyCopy, IdempotentRequest, get_contingency_representation, get_fiscal_document,
    get_printed_representation, get_signed_document, request_delivery,
};
use domain::{
    fiscal::{DocumentEmail, DocumentStage},
    rights::Right,
};
use wire::DocumentEmailResponse;

use super::{
    operation::{Content, Input, Operation, Success},
    refusals,
};
use crate::{
    command::Command,
    problem::Problem,
    request::{ApiRequest, RequestContext},
    response::sale_etag,
};

pub(super) const OPERATIONS: &[Operation] = &[SIGNED, PRINTED, CONTINGENCY, SEND];

const SIGNED: Operation = Operation {
    id: "getSignedDocument",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/signed-document",
    right: Right::ArtifactsRead,
    input: Input::PATH,
    summary: "Download the signed XML",
    description: "Returns the bytes that were signed and that DGII accepted, after their hash was checked. Available \
                  once the document is issued.",
    success: Success::file(Content::Xml),
    refusals: &[
        refusals::DOCUMENT,
        &["fiscal_artifact_not_ready", "receipt_retention_elapsed", "fiscal_artifact_retrieval_unavailable"],
    ],
    handler: |request, _| Box::pin(signed(request)),
};

/// Returns all of the signed bytes: ranges and `Accept` are ignored.
async fn signed(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let bytes = get_signed_document(context.ports(), &context.caller, request.segment("fiscalDocumentId")).await?;
    attachment(&request, bytes, ("application/xml", "xml")).await
}

const PRINTED: Operation = Operation {
    path: "/v1/fiscal_documents/{fiscalDocumentId}/printed-representation",
    id: "getPrintedRepresentation",
    summary: "Download the printed representation",
    description: "Returns a PDF with the QR code, byte for byte the same every time. Available once the document is \
                  issued and the PDF is rendered.",
    success: Success::file(Content::Pdf),
    handler: |request, _| Box::pin(printed(request)),
    ..SIGNED
};

async fn printed(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let id = request.segment("fiscalDocumentId");
    let bytes = get_printed_representation(context.ports(), &context.caller, id).await?;
    attachment(&request, bytes, ("application/pdf", "pdf")).await
}

/// Response with a file that is named after the number of the document.
async fn attachment(
    request: &ApiRequest,
    bytes: Vec<u8>,
    (content_type, extension): (&'static str, &str),
) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let sale = get_fiscal_document(context.ports(), &context.caller, request.segment("fiscalDocumentId")).await?;
    let mut response = HttpResponse::Ok();
    if let DocumentStage::Issued(issued) = sale.document.stage() {
        let disposition = format!("attachment; filename=\"{}.{extension}\"", issued.numbered.number.as_str());
        response.insert_header((CONTENT_DISPOSITION, disposition));
    }
    Ok(response.insert_header((ETAG, sale_etag(&sale))).content_type(content_type).body(bytes))
}

const CONTINGENCY: Operation = Operation {
    path: "/v1/fiscal_documents/{fiscalDocumentId}/contingency-representation",
    id: "getContingencyRepresentation",
    summary: "Retrieve a contingency copy",
    description: "Returns a PDF with the tax authority's legend for contingencies. Available while the document is signed \
                  and `delayed` with `authority_unavailable` or `authority_result_unknown`.",
    handler: |request, _| Box::pin(contingency(request)),
    ..PRINTED
};

async fn contingency(request: ApiRequest) -> Result<HttpResponse, Problem> {
    let context = request.context();
    let id = request.segment("fiscalDocumentId");
    let ContingencyCopy { sale, file_name, pdf } =
        get_contingency_representation(context.ports(), &context.caller, id).await?;
    let disposition = format!("attachment; filename=\"{file_name}\"");
    let mut response = HttpResponse::Ok();
    response.insert_header((CONTENT_DISPOSITION, disposition)).insert_header((ETAG, sale_etag(&sale)));
    Ok(response.content_type("application/pdf").body(pdf))
}

const SEND: Operation = Operation {
    id: "requestDelivery",
    path: "/v1/fiscal_documents/{fiscalDocumentId}/deliveries",
    right: Right::ArtifactsRead,
    input: Input::change(&Method::POST, "RequestDelivery"),
    summary: "Send a fiscal document by e-mail",
    description: "Queues an e-mail with the XML and the PDF of an issued document. At most 5 deliveries of a document in \
                  24 hours.",
    success: Success::json(202, "RequestedDelivery", &["requested-delivery"]),
    refusals: &[refusals::DOCUMENT, &["fiscal_artifact_not_ready"]],
    handler: |request, body| Box::pin(send(request, body)),
};

async fn send(request: ApiRequest, body: Payload) -> Result<HttpResponse, Problem> {
    let Command { idempotent, content: recipient, .. } = request.command(body, wire::request_delivery::parse).await?;
    let document = request.segment("fiscalDocumentId").to_owned();
    let send = async move |context: &RequestContext, idempotent: &IdempotentRequest| {
        let render = |delivery: &DocumentEmail| context.json(&DocumentEmailResponse::queued_for(&delivery.email));
        request_delivery(context.ports(), &context.caller, idempotent, &document, recipient, &render).await
    };
    request.run(idempotent, send).await
}
