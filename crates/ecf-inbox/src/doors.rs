use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{ACCEPT, AUTHORIZATION},
    },
    web::{Data, Path, Payload},
};
use app::interchange::{
    ApprovalOutcome, ReceiptOutcome, RecipientEndpoint, SeedOutcome, TokenOutcome, create_seed, is_token_valid,
    issue_token, receive_approval, receive_document,
};
use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

use crate::{EcfInbox, bring, respond};

/// In an hour some of what came a day ago no longer counts.
const LATER: u64 = 3600;

/// Finds the service behind a path, whatever its letters.
pub(crate) async fn open(
    receiver: Data<EcfInbox>,
    request: HttpRequest,
    path: Path<(String, String, String)>,
    payload: Payload,
) -> HttpResponse {
    let (environment, rnc, service) = path.into_inner();
    let Some(door) = RecipientEndpoint::of(&environment, &rnc) else { return respond::nobody() };
    if let Err(seconds) = receiver.callers.admits(request.head()) {
        return respond::later(seconds);
    }
    let is_post = request.method() == Method::POST;
    match service.to_ascii_lowercase().as_str() {
        "fe/autenticacion/api/semilla" if request.method() == Method::GET => seed(&receiver, &door).await,
        "fe/autenticacion/api/semilla" => respond::other_method("GET"),
        "fe/autenticacion/api/validacioncertificado" if is_post => token(&receiver, &request, &door, payload).await,
        // The standard spells it with an accent in one place.
        "fe/recepcion/api/ecf" | "fe/recepci\u{f3}n/api/ecf" if is_post => {
            document(&receiver, &request, &door, payload).await
        }
        "fe/aprobacioncomercial/api/ecf" if is_post => approval(&receiver, &request, &door, payload).await,
        "fe/autenticacion/api/validacioncertificado"
        | "fe/recepcion/api/ecf"
        | "fe/recepci\u{f3}n/api/ecf"
        | "fe/aprobacioncomercial/api/ecf" => respond::other_method("POST"),
        _ => respond::nobody(),
    }
}

async fn seed(receiver: &EcfInbox, door: &RecipientEndpoint) -> HttpResponse {
    match create_seed(receiver.counter(), door, |it| STANDARD.encode(it)).await {
        Ok(SeedOutcome::Seed(seed)) => respond::xml(seed),
        Ok(SeedOutcome::UnknownTaxpayer) => respond::nobody(),
        Ok(SeedOutcome::NotReady) => respond::not_ready(),
        Err(error) => respond::broken(&error),
    }
}

async fn token(receiver: &EcfInbox, request: &HttpRequest, door: &RecipientEndpoint, payload: Payload) -> HttpResponse {
    let signed = match bring::file(request, payload, bring::SEED).await {
        Ok(signed) => signed,
        Err(refused) => return respond::refused(refused),
    };
    let admitted = issue_token(receiver.counter(), door, &signed, |it| STANDARD.decode(it).ok()).await;
    match admitted {
        Ok(TokenOutcome::Issued(admission)) => {
            let accept = request.headers().get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default();
            let wants_xml = accept.contains("xml") && !accept.contains("json");
            respond::token(&URL_SAFE_NO_PAD.encode(&admission.token), &admission, wants_xml)
        }
        Ok(TokenOutcome::NotReady) => respond::not_ready(),
        Ok(TokenOutcome::Refused) => {
            receiver.callers.note(request.head());
            respond::refused("La semilla no es válida, venció, o su firma no es válida.")
        }
        Err(error) => respond::broken(&error),
    }
}

async fn document(
    receiver: &EcfInbox,
    request: &HttpRequest,
    door: &RecipientEndpoint,
    payload: Payload,
) -> HttpResponse {
    let xml = match brought(receiver, request, door, payload).await {
        Ok(xml) => xml,
        Err(refused) => return refused,
    };
    match receive_document(receiver.counter(), door, xml).await {
        Ok(ReceiptOutcome::Acknowledged(acknowledgement)) => respond::xml(acknowledgement),
        Ok(ReceiptOutcome::Unreadable) => respond::refused("El archivo no es un e-CF."),
        Ok(ReceiptOutcome::InflowLimitReached) => respond::later(LATER),
        Ok(ReceiptOutcome::NotReady) => respond::not_ready(),
        Err(error) => respond::broken(&error),
    }
}

async fn approval(
    receiver: &EcfInbox,
    request: &HttpRequest,
    door: &RecipientEndpoint,
    payload: Payload,
) -> HttpResponse {
    let xml = match brought(receiver, request, door, payload).await {
        Ok(xml) => xml,
        Err(refused) => return refused,
    };
    match receive_approval(receiver.counter(), door, xml).await {
        Ok(ApprovalOutcome::Stored) => respond::taken(),
        Ok(ApprovalOutcome::Unreadable) => {
            respond::refused("El archivo no es una aprobación comercial, o su firma no es válida.")
        }
        Ok(ApprovalOutcome::UnknownDocument) => respond::refused("La aprobación no corresponde a un e-CF emitido."),
        Ok(ApprovalOutcome::Contradiction) => respond::refused("El e-CF ya tiene otra respuesta comercial."),
        Err(error) => respond::broken(&error),
    }
}

/// The file that somebody who is let in brings.
async fn brought(
    receiver: &EcfInbox,
    request: &HttpRequest,
    door: &RecipientEndpoint,
    payload: Payload,
) -> Result<Vec<u8>, HttpResponse> {
    if !bearer(request).is_some_and(|it| is_token_valid(receiver.counter(), door, &it)) {
        receiver.callers.note(request.head());
        return Err(respond::stranger());
    }
    bring::file(request, payload, bring::DOCUMENT).await.map_err(respond::refused)
}

fn bearer(request: &HttpRequest) -> Option<Vec<u8>> {
    let text = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && token.len() <= 1024).then(|| URL_SAFE_NO_PAD.decode(token).ok())?
}
