//! Files of the receipt, and its e-mail.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
};
use app::{
    ContingencyCopy, Error, Rendered, get_contingency_representation, get_printed_representation, get_signed_document,
    request_delivery,
};
use domain::{
    fiscal::{DocumentEmail, DocumentStage},
    text::Email,
};

use crate::{
    form::Fields,
    note::Note,
    page_request::PageRequest,
    respond::{error_page, message_page, set_security_headers},
};

/// Signed XML of the document.
pub(crate) async fn xml(request: PageRequest) -> HttpResponse {
    let file = get_signed_document(&request.checkout.ports, &request.context.caller, document(&request)).await;
    download_named(request, file, ("application/xml", "xml"))
}

/// Printed representation of the document.
pub(crate) async fn pdf(request: PageRequest) -> HttpResponse {
    let file = get_printed_representation(&request.checkout.ports, &request.context.caller, document(&request)).await;
    download_named(request, file, ("application/pdf", "pdf"))
}

/// Contingency copy of the document, while the authority is unreachable.
pub(crate) async fn contingency(request: PageRequest) -> HttpResponse {
    let (ports, caller) = (&request.checkout.ports, &request.context.caller);
    let file = get_contingency_representation(ports, caller, document(&request)).await;
    let file = file.map(|ContingencyCopy { file_name, pdf, .. }| (pdf, file_name));
    download(request, file, "application/pdf")
}

fn document(request: &PageRequest) -> &str {
    request.context.sale.document.facts.id.as_str()
}

/// Requests an e-mail of the document. The page does not show the address again, since others may have the link.
pub(crate) async fn request_email(request: PageRequest, fields: Fields) -> HttpResponse {
    let Some(recipient) = Email::recipient(&fields.get("email")) else {
        return request.redirect(Some(Note::WrongEmail));
    };
    let document = &request.context.sale.document;
    let id = document.facts.id.clone();
    let key = (format!("email-{}", document.version()), &*format!("email {}", recipient.as_str()));
    let is_issued = matches!(document.stage(), DocumentStage::Issued(_));
    let command = request.run(key, |ports, caller, keyed| async move {
        let no_body = |_: &DocumentEmail| Rendered { status: 202, etag: None, body: Vec::new() };
        request_delivery(&ports, &caller, &keyed, id.as_str(), recipient, &no_body).await
    });
    let outcome = command.await;
    request.redirect_with_outcome(outcome, Some(if is_issued { Note::EmailSending } else { Note::EmailRequested }))
}

/// Returns a file that is named after the number of the document.
fn download_named(
    request: PageRequest,
    file: Result<Vec<u8>, Error>,
    (media_type, extension): (&str, &str),
) -> HttpResponse {
    let number = match request.context.sale.document.stage() {
        DocumentStage::Issued(issued) => issued.numbered.number.as_str(),
        _ => "e-CF",
    };
    let name = format!("{number}.{extension}");
    download(request, file.map(|bytes| (bytes, name)), media_type)
}

fn download(request: PageRequest, file: Result<(Vec<u8>, String), Error>, media_type: &str) -> HttpResponse {
    let PageRequest { checkout, context, .. } = request;
    let texts = context.texts;
    match file {
        Ok((bytes, name)) => {
            let mut response = HttpResponse::Ok();
            set_security_headers(&checkout.base_url, &mut response);
            let disposition = format!("attachment; filename=\"{name}\"");
            response.insert_header((CONTENT_TYPE, media_type)).insert_header((CONTENT_DISPOSITION, disposition));
            context.with_cookie(response.body(bytes))
        }
        Err(Error::Gone(_)) => message_page(&checkout, texts, StatusCode::GONE, texts.no_longer),
        Err(Error::Refusal(_) | Error::Permission(..)) => {
            message_page(&checkout, texts, StatusCode::CONFLICT, texts.not_ready)
        }
        Err(error) => error_page(&checkout, texts, &error),
    }
}
