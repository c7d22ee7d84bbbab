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
    FiscalDocument,
    fiscal::{DocumentEmail, DocumentStage},
    text::Email,
};

use crate::{
    form::Fields,
    note::Note,
    page_request::PageRequest,
    respond::{error_page, message_page, set_security_headers},
};

/// Format of a document's file.
#[derive(Clone, Copy)]
pub(crate) enum FileFormat {
    /// Signed document.
    Xml,
    /// Printed representation.
    Pdf,
}

/// File of the sale's document.
pub(crate) async fn document_file(request: PageRequest, format: FileFormat) -> HttpResponse {
    let (id, stem) = (document(&request).to_owned(), file_stem(&request.context.sale.document));
    download_document(request, (&id, &stem), format).await
}

/// File of a credit note.
pub(crate) async fn note_file(request: PageRequest, format: FileFormat) -> HttpResponse {
    let Some((id, stem)) = note(&request) else { return unknown_note(&request) };
    download_document(request, (&id, &stem), format).await
}

/// Contingency copy of the document, while the authority is unreachable.
pub(crate) async fn contingency(request: PageRequest) -> HttpResponse {
    let (ports, caller) = (&request.checkout.ports, &request.context.caller);
    let file = get_contingency_representation(ports, caller, document(&request)).await;
    let file = file.map(|ContingencyCopy { file_name, pdf, .. }| (pdf, file_name));
    download(request, file, "application/pdf")
}

/// Returns the identifier of the credit note in the path, and the stem of its file names; `None` if the page shows no
/// such note.
fn note(request: &PageRequest) -> Option<(String, String)> {
    let id = request.path_parameter("note");
    let notes = request.context.refunds.iter().filter_map(|record| record.note.as_ref());
    let note = notes.into_iter().find(|note| note.facts.id.as_str() == id)?;
    Some((id.to_owned(), file_stem(note)))
}

fn unknown_note(PageRequest { checkout, context, .. }: &PageRequest) -> HttpResponse {
    message_page(checkout, context.texts, StatusCode::NOT_FOUND, context.texts.no_payment)
}

/// Returns the stem of a document's file names: the number, once issued.
fn file_stem(document: &FiscalDocument) -> String {
    match document.stage() {
        DocumentStage::Issued(issued) => issued.numbered.number.as_str().to_owned(),
        _ => "e-CF".to_owned(),
    }
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

async fn download_document(request: PageRequest, (id, stem): (&str, &str), format: FileFormat) -> HttpResponse {
    let (ports, caller) = (&request.checkout.ports, &request.context.caller);
    let (file, media_type, extension) = match format {
        FileFormat::Xml => (get_signed_document(ports, caller, id).await, "application/xml", "xml"),
        FileFormat::Pdf => (get_printed_representation(ports, caller, id).await, "application/pdf", "pdf"),
    };
    download(request, file.map(|bytes| (bytes, format!("{stem}.{extension}"))), media_type)
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
