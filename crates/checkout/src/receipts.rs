//! What a payer takes away: the document as signed and as printed, and the wish to have it by e-mail.

use actix_web::{
    HttpResponse,
    http::{
        StatusCode,
        header::{CONTENT_DISPOSITION, CONTENT_TYPE},
    },
};
use app::{Error, Rendered, get_printed_representation, get_signed_document, request_delivery};
use domain::{
    fiscal::{DocumentStage, RequestedDelivery},
    text::Email,
};

use crate::{
    command::At,
    form::Fields,
    note::Note,
    respond::{guard, out_of_order, say},
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

/// The document, by e-mail. The address is not shown again: others may have the link.
pub(crate) async fn email(at: At, fields: Fields) -> HttpResponse {
    let Some(recipient) = Email::recipient(&fields.get("email")) else {
        return at.back(Some(Note::WrongEmail));
    };
    let document = &at.visit.sale.document;
    let id = document.facts.id.clone();
    let key = (format!("email-{}", document.version()), &*format!("email {}", recipient.as_str()));
    let outcome = at.run(key, |ports, caller, keyed| async move {
        let nothing = |_: &RequestedDelivery| Rendered { status: 202, etag: None, body: Vec::new() };
        request_delivery(&ports, &caller, &keyed, id.as_str(), recipient, &nothing).await
    });
    let done = if matches!(document.stage(), DocumentStage::Issued(_)) { Note::EmailSending } else { Note::EmailAsked };
    let outcome = outcome.await;
    at.told(outcome, Some(done))
}

fn file(at: At, bytes: Result<Vec<u8>, Error>, (media, ending): (&str, &str)) -> HttpResponse {
    let At { checkout, visit, .. } = at;
    let texts = visit.texts;
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(Error::Gone(_)) => return say(&checkout, texts, StatusCode::GONE, texts.no_longer),
        Err(Error::Refusal(_) | Error::Permission(..)) => {
            return say(&checkout, texts, StatusCode::CONFLICT, texts.not_ready);
        }
        Err(error) => return out_of_order(&checkout, texts, &error),
    };
    let number = match visit.sale.document.stage() {
        DocumentStage::Issued(issued) => issued.numbered.number.as_str(),
        _ => "e-CF",
    };
    let name = format!("attachment; filename=\"{number}.{ending}\"");
    let mut answer = HttpResponse::Ok();
    guard(&checkout.place, &mut answer);
    answer.insert_header((CONTENT_TYPE, media)).insert_header((CONTENT_DISPOSITION, name));
    visit.dressed(answer.body(bytes))
}
