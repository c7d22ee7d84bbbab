//! Maps responses of DGII, and missing ones, to verdicts.

use domain::fiscal::{Acceptance, FiscalNumber, Observation, ProblemCode, TaxId, Verdict};

use crate::{
    codes,
    response::{Body, DgiiResponse},
};

/// Result of a request on the HTTP level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HttpResult {
    /// No connection was made, so DGII received no byte.
    NotConnected,
    /// The response is missing or incomplete, or the request timed out.
    Interrupted,
    /// A complete response.
    Response { status: u16, body: Body },
}

/// The document that a response must be about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedDocument<'a> {
    pub(crate) issuer: &'a TaxId,
    pub(crate) number: &'a FiscalNumber,
}

/// DGII's state of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    NotFound,
    Accepted,
    Rejected,
    InProcess,
    AcceptedWithRemarks,
}

/// Code and name of each state. Source: DGII, *Descripción técnica*, "Consulta resultado".
const STATES: [(&str, &str, State); 5] = [
    ("0", "no encontrado", State::NotFound),
    ("1", "aceptado", State::Accepted),
    ("2", "rechazado", State::Rejected),
    ("3", "en proceso", State::InProcess),
    ("4", "aceptado condicional", State::AcceptedWithRemarks),
];

/// Returns the verdict on a document or a summary that was sent.
pub(crate) fn submission_verdict(result: &HttpResult, expected: ExpectedDocument<'_>) -> Verdict {
    let (status, body) = match result {
        HttpResult::NotConnected => return Verdict::Unavailable,
        HttpResult::Interrupted => return Verdict::Unknown,
        HttpResult::Response { status, body } => (*status, body),
    };
    match (status, body) {
        (200..=299 | 400 | 422, Body::Content(response)) => {
            read_submission(response, expected).unwrap_or(Verdict::Unknown)
        }
        // A proxy in front of DGII refused the request.
        (403, Body::Page) => Verdict::Unavailable,
        (401 | 403, _) => Verdict::Blocked(ProblemCode::IssuerNotAuthorized),
        // The service does not exist, or a rate limit applies: the document was not processed.
        (404 | 405 | 429, _) => Verdict::Unavailable,
        _ => Verdict::Unknown,
    }
}

fn read_submission(response: &DgiiResponse, expected: ExpectedDocument<'_>) -> Option<Verdict> {
    if let Some(state) = state(response) {
        return (is_about(response, expected) && state != State::NotFound).then(|| verdict(state, response, None));
    }
    if let Some(track_id) = response.text(&["trackId"]) {
        return Some(Verdict::InProcess { track_id: Some(track_id) });
    }
    read_refusal(response)
}

/// Reads a refusal without a state: the request was invalid. Only a known reason counts, because "try again later" has
/// the same form.
fn read_refusal(response: &DgiiResponse) -> Option<Verdict> {
    let messages = response.messages();
    if codes::is_number_used(&messages) {
        return Some(Verdict::Duplicate);
    }
    let code = codes::problem(&messages);
    let is_number_spent = response.boolean(&["secuenciaUtilizada"]).unwrap_or(true);
    let is_understood = code != ProblemCode::UnclassifiedRejection;
    is_understood.then_some(Verdict::Rejected { code, is_number_spent, authority_messages: messages })
}

/// Whether a rejection leaves open if the number is spent, for a reason that spends no number.
pub(crate) fn leaves_number_open(result: &HttpResult, code: ProblemCode) -> bool {
    let HttpResult::Response { body: Body::Content(response), .. } = result else { return false };
    !code.spends_number() && state(response).is_none() && response.boolean(&["secuenciaUtilizada"]).is_none()
}

/// Returns the state of a document that was looked up; `None` if the response is unclear.
pub(crate) fn look_up_verdict(
    result: &HttpResult,
    expected: ExpectedDocument<'_>,
    track_id: Option<&str>,
) -> Option<Verdict> {
    let HttpResult::Response { status: 200..=299 | 400 | 404, body: Body::Content(response) } = result else {
        return None;
    };
    let state = state(response)?;
    (state == State::NotFound || is_about(response, expected)).then(|| verdict(state, response, track_id))
}

/// Whether a response means that the list is empty.
pub(crate) fn is_not_found(response: &DgiiResponse) -> bool {
    let mentions_not_found = |it: &Observation| it.message.to_lowercase().contains("encontr");
    state(response) == Some(State::NotFound)
        || (!response.is_list() && response.messages().iter().any(mentions_not_found))
}

/// Whether the document with this security code is the one that DGII accepted under its number; `None` if the response
/// is unclear.
pub(crate) fn is_ours(result: &HttpResult, expected: ExpectedDocument<'_>, security_code: &str) -> Option<bool> {
    let HttpResult::Response { status: 200..=299 | 400 | 404, body: Body::Content(response) } = result else {
        return None;
    };
    let code = response.text(&["codigoSeguridad"]);
    match state(response)? {
        State::NotFound => Some(false),
        State::Accepted | State::AcceptedWithRemarks if is_about(response, expected) => {
            Some(code.is_none_or(|it| it == security_code))
        }
        _ => None,
    }
}

fn verdict(state: State, response: &DgiiResponse, track_id: Option<&str>) -> Verdict {
    let messages = response.messages();
    match state {
        State::NotFound => Verdict::NotFound,
        State::Accepted => Verdict::Accepted(Acceptance::Accepted),
        State::AcceptedWithRemarks => Verdict::Accepted(Acceptance::WithObservations(messages)),
        State::InProcess => {
            let stated = response.text(&["trackId"]);
            Verdict::InProcess { track_id: stated.or_else(|| track_id.map(str::to_owned)) }
        }
        State::Rejected if codes::is_number_used(&messages) => Verdict::Duplicate,
        State::Rejected => {
            let is_number_spent = response.boolean(&["secuenciaUtilizada"]).unwrap_or(true);
            Verdict::Rejected { code: codes::problem(&messages), is_number_spent, authority_messages: messages }
        }
    }
}

/// Returns the state by code, by name, or by both; `None` if they contradict each other.
fn state(response: &DgiiResponse) -> Option<State> {
    let code = response.text(&["codigo"]).map(|it| match it.trim_start_matches('0') {
        "" => "0".to_owned(),
        plain => plain.to_owned(),
    });
    let word = response.text(&["estado"]).map(|it| it.to_lowercase());
    let by_code = code.and_then(|it| STATES.iter().find(|(code, ..)| *code == it));
    let by_word = word.and_then(|it| STATES.iter().find(|(_, word, _)| *word == it));
    match (by_code, by_word) {
        (Some(one), Some(other)) => (one == other).then_some(one.2),
        (one, other) => one.or(other).map(|it| it.2),
    }
}

/// Whether a response names no other document.
fn is_about(response: &DgiiResponse, expected: ExpectedDocument<'_>) -> bool {
    let is_number = |it: String| it.eq_ignore_ascii_case(expected.number.as_str());
    let is_issuer = |it: String| it == expected.issuer.as_str();
    response.text(&["encf", "ncfElectronico"]).is_none_or(is_number)
        && response.text(&["rnc", "rncEmisor", "rncEmiso"]).is_none_or(is_issuer)
}

#[cfg(test)]
mod tests;
