//! What a payer takes away: the document as signed and as printed, and the wish to have it by e-mail.

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
    command::At,
    form::Fields,
    note::Note,
    place::Checkout,
    respond::{guard, out_of_order, say},
    session::Visit,
};

/// The document as it was signed.
pub(crate) async fn xml(at: At) -> HttpResponse {
    let id = at.visit.sale.document.facts.id.as_str().to_owned();
    let bytes = get_signed_document(&at.checkout.ports, &at.visit.caller, &id).await;
    file(at, bytes, ("application/xml", "xml"))
}

/// The document as it is printed.
pub(crate) async fn pdf(at: At) -> HttpResponse {
    let id = at.visit.sale.document.facts.id.as_str().to_owned();
    let bytes = get_printed_representation(&at.checkout.ports, &at.visit.caller, &id).await;
    file(at, bytes, ("application/pdf", "pdf"))
}

/// A contingency copy of the document, while the authority is unreachable.
pub(crate) async fn contingency(At { checkout, visit, .. }: At) -> HttpResponse {
    let id = visit.sale.document.facts.id.as_str();
    match get_contingency_representation(&checkout.ports, &visit.caller, id).await {
        Ok(ContingencyCopy { file_name, pdf, .. }) => attached(&checkout, visit, pdf, "application/pdf", &file_name),
        Err(error) => not_attached(&checkout, &visit, &error),
    }
}

/// The document, by e-mail. The address is not shown again: others may have the link.
pub(crate) async fn email(at: At, fields: Fields) -> HttpResponse {
    let Some(recipient) = Email::recipient(&fields.get("email")) else {
        return at.back(Some(Note::WrongEmail));
    };
    let document = &at.visit.sale.document;
    let id = document.facts.id.clone();
    let key = (format!("email-{}", document.version()), &*format!("email {}", recipient.as_str()));
    let outcome = at.run(key, |ports, caller, keyed| async move {
        let nothing = |_: &DocumentEmail| Rendered { status: 202, etag: None, body: Vec::new() };
        request_delivery(&ports, &caller, &keyed, id.as_str(), recipient, &nothing).await
    });
    let done = if matches!(document.stage(), DocumentStage::Issued(_)) { Note::EmailSending } else { Note::EmailAsked };
    let outcome = outcome.await;
    at.told(outcome, Some(done))
}

fn file(At { checkout, visit, .. }: At, bytes: Result<Vec<u8>, Error>, (media, ending): (&str, &str)) -> HttpResponse {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return not_attached(&checkout, &visit, &error),
    };
    let number = match visit.sale.document.stage() {
        DocumentStage::Issued(issued) => issued.numbered.number.as_str(),
        _ => "e-CF",
    };
    let name = format!("{number}.{ending}");
    attached(&checkout, visit, bytes, media, &name)
}

fn attached(checkout: &Checkout, visit: Visit, bytes: Vec<u8>, media: &str, name: &str) -> HttpResponse {
    let mut answer = HttpResponse::Ok();
    guard(&checkout.base_url, &mut answer);
    let disposition = format!("attachment; filename=\"{name}\"");
    answer.insert_header((CONTENT_TYPE, media)).insert_header((CONTENT_DISPOSITION, disposition));
    visit.dressed(answer.body(bytes))
}

fn not_attached(checkout: &Checkout, visit: &Visit, error: &Error) -> HttpResponse {
    let texts = visit.texts;
    match error {
        Error::Gone(_) => say(checkout, texts, StatusCode::GONE, texts.no_longer),
        Error::Refusal(_) | Error::Permission(..) => say(checkout, texts, StatusCode::CONFLICT, texts.not_ready),
        error => out_of_order(checkout, texts, error),
    }
}
