use std::convert::identity;

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

use crate::{inbox::EcfInbox, responses, upload};

/// Seconds until part of the documents of the last day no longer count.
const HOUR: u64 = 3600;

/// Response to a request, or the one that refuses it.
type Handled = Result<HttpResponse, HttpResponse>;

/// Selects the handler by the path, ignoring the case.
pub(crate) async fn route(
    inbox: Data<EcfInbox>,
    request: HttpRequest,
    path: Path<(String, String, String)>,
    payload: Payload,
) -> HttpResponse {
    let (environment, rnc, service) = path.into_inner();
    let Some(door) = RecipientEndpoint::of(&environment, &rnc) else { return responses::not_found() };
    if let Err(seconds) = inbox.callers.admits(request.head()) {
        return responses::too_many_requests(seconds);
    }
    let is_post = request.method() == Method::POST;
    match service.to_ascii_lowercase().as_str() {
        "fe/autenticacion/api/semilla" if request.method() == Method::GET => seed(&inbox, &door).await,
        "fe/autenticacion/api/semilla" => responses::method_not_allowed("GET"),
        "fe/autenticacion/api/validacioncertificado" if is_post => {
            token(&inbox, &request, &door, payload).await.unwrap_or_else(identity)
        }
        // The standard has an accent in one place.
        "fe/recepcion/api/ecf" | "fe/recepci\u{f3}n/api/ecf" if is_post => {
            document(&inbox, &request, &door, payload).await.unwrap_or_else(identity)
        }
        "fe/aprobacioncomercial/api/ecf" if is_post => {
            approval(&inbox, &request, &door, payload).await.unwrap_or_else(identity)
        }
        "fe/autenticacion/api/validacioncertificado"
        | "fe/recepcion/api/ecf"
        | "fe/recepci\u{f3}n/api/ecf"
        | "fe/aprobacioncomercial/api/ecf" => responses::method_not_allowed("POST"),
        _ => responses::not_found(),
    }
}

async fn seed(inbox: &EcfInbox, door: &RecipientEndpoint) -> HttpResponse {
    match create_seed(inbox.counter(), door, |it| STANDARD.encode(it)).await {
        Ok(SeedOutcome::Seed(seed)) => responses::xml(seed),
        Ok(SeedOutcome::UnknownTaxpayer) => responses::not_found(),
        Ok(SeedOutcome::NotReady) => responses::not_ready(),
        Err(error) => responses::internal_error(&error),
    }
}

async fn token(inbox: &EcfInbox, request: &HttpRequest, door: &RecipientEndpoint, payload: Payload) -> Handled {
    let signed = upload::read_file(request, payload, upload::MAX_SEED).await.map_err(responses::bad_request)?;
    Ok(match issue_token(inbox.counter(), door, &signed, |it| STANDARD.decode(it).ok()).await {
        Ok(TokenOutcome::Issued(admission)) => {
            let accept = request.headers().get(ACCEPT).and_then(|it| it.to_str().ok()).unwrap_or_default();
            let wants_xml = accept.contains("xml") && !accept.contains("json");
            responses::token(&URL_SAFE_NO_PAD.encode(&admission.token), &admission, wants_xml)
        }
        Ok(TokenOutcome::NotReady) => responses::not_ready(),
        Ok(TokenOutcome::Refused) => {
            inbox.callers.note(request.head());
            responses::bad_request("La semilla no es válida, venció, o su firma no es válida.")
        }
        Err(error) => responses::internal_error(&error),
    })
}

async fn document(inbox: &EcfInbox, request: &HttpRequest, door: &RecipientEndpoint, payload: Payload) -> Handled {
    let xml = authorized_file(inbox, request, door, payload).await?;
    Ok(match receive_document(inbox.counter(), door, xml).await {
        Ok(ReceiptOutcome::Acknowledged(acknowledgement)) => responses::xml(acknowledgement),
        Ok(ReceiptOutcome::Unreadable) => responses::bad_request("El archivo no es un e-CF."),
        Ok(ReceiptOutcome::InflowLimitReached) => responses::too_many_requests(HOUR),
        Ok(ReceiptOutcome::NotReady) => responses::not_ready(),
        Err(error) => responses::internal_error(&error),
    })
}

async fn approval(inbox: &EcfInbox, request: &HttpRequest, door: &RecipientEndpoint, payload: Payload) -> Handled {
    let xml = authorized_file(inbox, request, door, payload).await?;
    Ok(match receive_approval(inbox.counter(), door, xml).await {
        Ok(ApprovalOutcome::Stored) => responses::approval_received(),
        Ok(ApprovalOutcome::Unreadable) => {
            responses::bad_request("El archivo no es una aprobación comercial, o su firma no es válida.")
        }
        Ok(ApprovalOutcome::UnknownDocument) => {
            responses::bad_request("La aprobación no corresponde a un e-CF emitido.")
        }
        Ok(ApprovalOutcome::Contradiction) => responses::bad_request("El e-CF ya tiene otra respuesta comercial."),
        Err(error) => responses::internal_error(&error),
    })
}

/// Returns the file of a request with a valid token.
async fn authorized_file(
    inbox: &EcfInbox,
    request: &HttpRequest,
    door: &RecipientEndpoint,
    payload: Payload,
) -> Result<Vec<u8>, HttpResponse> {
    if !bearer(request).is_some_and(|it| is_token_valid(inbox.counter(), door, &it)) {
        inbox.callers.note(request.head());
        return Err(responses::unauthorized());
    }
    upload::read_file(request, payload, upload::MAX_DOCUMENT).await.map_err(responses::bad_request)
}

fn bearer(request: &HttpRequest) -> Option<Vec<u8>> {
    let text = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && token.len() <= 1024).then(|| URL_SAFE_NO_PAD.decode(token).ok())?
}
