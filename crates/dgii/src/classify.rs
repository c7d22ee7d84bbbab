//! What every answer and every silence means.

use domain::fiscal::{Acceptance, FiscalNumber, Observation, ProblemCode, TaxId, Verdict};

use crate::{
    answer::{Answer, Body},
    codes,
};

/// What was seen of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// No connection was made: nothing can have arrived.
    NotConnected,
    /// It broke off, or there was no answer in time.
    Broken,
    /// There was an answer.
    Answered {
        /// Its status.
        status: u16,
        /// What it said.
        body: Body,
    },
}

/// Which document an answer has to be about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    pub(crate) issuer: &'a TaxId,
    pub(crate) number: &'a FiscalNumber,
}

/// What DGII says of a document in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    NotFound,
    Accepted,
    Rejected,
    InProcess,
    AcceptedWithRemarks,
}

/// DGII's own number and word for each. Source: DGII, *Descripción técnica*, "Consulta resultado".
const STATES: [(&str, &str, State); 5] = [
    ("0", "no encontrado", State::NotFound),
    ("1", "aceptado", State::Accepted),
    ("2", "rechazado", State::Rejected),
    ("3", "en proceso", State::InProcess),
    ("4", "aceptado condicional", State::AcceptedWithRemarks),
];

/// What was made of a document or a summary that was sent.
pub(crate) fn submitted(seen: &Wire, about: About<'_>) -> Verdict {
    let (status, body) = match seen {
        Wire::NotConnected => return Verdict::Unavailable,
        Wire::Broken => return Verdict::Unknown,
        Wire::Answered { status, body } => (*status, body),
    };
    match (status, body) {
        (200..=299 | 400 | 422, Body::Said(answer)) => taken(answer, about).unwrap_or(Verdict::Unknown),
        // Whoever is between us and DGII turned it away.
        (403, Body::Page) => Verdict::Unavailable,
        (401 | 403, _) => Verdict::Blocked(ProblemCode::IssuerNotAuthorized),
        // There is no such service, or there are too many of us: nobody has looked at it.
        (404 | 405 | 429, _) => Verdict::Unavailable,
        _ => Verdict::Unknown,
    }
}

fn taken(answer: &Answer, about: About<'_>) -> Option<Verdict> {
    if let Some(state) = state(answer) {
        return (is_about(answer, about) && state != State::NotFound).then(|| verdict(state, answer, None));
    }
    if let Some(track_id) = answer.text(&["trackId"]) {
        return Some(Verdict::InProcess { track_id: Some(track_id) });
    }
    refused(answer)
}

/// A refusal without a state: the request itself was no good. What it says must be known, since
/// "try again later" is spelled in the same way.
fn refused(answer: &Answer) -> Option<Verdict> {
    let messages = answer.messages();
    if codes::says_used(&messages) {
        return Some(Verdict::Duplicate);
    }
    let code = codes::problem(&messages);
    let is_number_spent = answer.truth(&["secuenciaUtilizada"]).unwrap_or(true);
    let is_understood = code != ProblemCode::UnclassifiedRejection;
    is_understood.then_some(Verdict::Rejected { code, is_number_spent, authority_messages: messages })
}

/// Whether a rejection does not say if the number is spent, and has a reason that spends none.
pub(crate) fn leaves_its_number_open(seen: &Wire, code: ProblemCode) -> bool {
    let Wire::Answered { body: Body::Said(answer), .. } = seen else { return false };
    !code.spends_number() && state(answer).is_none() && answer.truth(&["secuenciaUtilizada"]).is_none()
}

/// What is known of the document that was asked about; `None` if that is not clear.
pub(crate) fn looked_up(seen: &Wire, about: About<'_>, track_id: Option<&str>) -> Option<Verdict> {
    let Wire::Answered { status: 200..=299 | 400 | 404, body: Body::Said(answer) } = seen else { return None };
    let state = state(answer)?;
    (state == State::NotFound || is_about(answer, about)).then(|| verdict(state, answer, track_id))
}

/// Whether a whole answer says that there is nothing to list.
pub(crate) fn says_nothing_is_there(answer: &Answer) -> bool {
    let says_so = |it: &Observation| it.message.to_lowercase().contains("encontr");
    state(answer) == Some(State::NotFound) || (!answer.is_list() && answer.messages().iter().any(says_so))
}

/// Whether the document with that code is the one that DGII accepted under its number; `None` if that is not clear.
pub(crate) fn is_ours(seen: &Wire, about: About<'_>, security_code: &str) -> Option<bool> {
    let Wire::Answered { status: 200..=299 | 400 | 404, body: Body::Said(answer) } = seen else { return None };
    let told = answer.text(&["codigoSeguridad"]);
    match state(answer)? {
        State::NotFound => Some(false),
        State::Accepted | State::AcceptedWithRemarks if is_about(answer, about) => {
            Some(told.is_none_or(|it| it == security_code))
        }
        _ => None,
    }
}

fn verdict(state: State, answer: &Answer, track_id: Option<&str>) -> Verdict {
    let messages = answer.messages();
    match state {
        State::NotFound => Verdict::NotFound,
        State::Accepted => Verdict::Accepted(Acceptance::Accepted),
        State::AcceptedWithRemarks => Verdict::Accepted(Acceptance::WithObservations(messages)),
        State::InProcess => {
            let told = answer.text(&["trackId"]);
            Verdict::InProcess { track_id: told.or_else(|| track_id.map(str::to_owned)) }
        }
        State::Rejected if codes::says_used(&messages) => Verdict::Duplicate,
        State::Rejected => {
            let is_number_spent = answer.truth(&["secuenciaUtilizada"]).unwrap_or(true);
            Verdict::Rejected { code: codes::problem(&messages), is_number_spent, authority_messages: messages }
        }
    }
}

/// The state that is told by number, by word, or by both; `None` if they contradict each other.
fn state(answer: &Answer) -> Option<State> {
    let code = answer.text(&["codigo"]).map(|it| match it.trim_start_matches('0') {
        "" => "0".to_owned(),
        plain => plain.to_owned(),
    });
    let word = answer.text(&["estado"]).map(|it| it.to_lowercase());
    let by_code = code.and_then(|it| STATES.iter().find(|(code, ..)| *code == it));
    let by_word = word.and_then(|it| STATES.iter().find(|(_, word, _)| *word == it));
    match (by_code, by_word) {
        (Some(one), Some(other)) => (one == other).then_some(one.2),
        (one, other) => one.or(other).map(|it| it.2),
    }
}

/// Whether an answer names no other document.
fn is_about(answer: &Answer, about: About<'_>) -> bool {
    let is_number = |it: String| it.eq_ignore_ascii_case(about.number.as_str());
    let is_issuer = |it: String| it == about.issuer.as_str();
    answer.text(&["encf", "ncfElectronico"]).is_none_or(is_number)
        && answer.text(&["rnc", "rncEmisor", "rncEmiso"]).is_none_or(is_issuer)
}

#[cfg(test)]
mod tests;
