//! Classifies the result of a request.

use domain::payment::DeclineCode;

use crate::{
    codes,
    response::{AzulResponse, Body},
    verdict::{Class, OperatorAlert, Verdict},
};

/// Result of a request on the HTTP level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HttpResult {
    /// No connection was made, so AZUL received no byte.
    NotConnected,
    /// The request was sent, at least in part, and the response is missing or incomplete.
    Interrupted,
    /// A complete response.
    Response { status: u16, body: Body },
}

impl HttpResult {
    /// Returns the fields of a complete, readable response.
    pub(crate) const fn response(&self) -> Option<&AzulResponse> {
        match self {
            Self::Response { body: Body::Fields(response), .. } => Some(response),
            _ => None,
        }
    }
}

/// Classifies a result. Only proof counts as "not processed", and only a response that is understood as approved or
/// declined; everything else is ambiguous.
pub(crate) fn classify(result: &HttpResult) -> Verdict {
    let (status, body) = match result {
        HttpResult::NotConnected => return plain(Class::Unavailable),
        HttpResult::Interrupted => return plain(Class::Ambiguous),
        HttpResult::Response { status, body } => (*status, body),
    };
    match body {
        Body::Fields(response) => classify_fields(status, response),
        // AZUL's firewall rejects unknown addresses, and lets no request through.
        Body::Page if status == 403 => Verdict { class: Class::Unavailable, alert: OperatorAlert::CheckSetup },
        Body::Page | Body::Unreadable => plain(Class::Ambiguous),
    }
}

fn classify_fields(status: u16, response: &AzulResponse) -> Verdict {
    if response.is_error() {
        return classify_error(&response.text("ErrorDescription"));
    }
    // An approval with a server error is not trusted.
    if !response.text("ResponseCode").eq_ignore_ascii_case("ISO8583") || status >= 500 {
        return plain(Class::Ambiguous);
    }
    classify_processed(response)
}

/// Classifies an error: AZUL did not process the request.
fn classify_error(description: &str) -> Verdict {
    let begins = |prefix: &str| description.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix));
    let row = codes::TEXTS.iter().find(|(text, ..)| begins(text));
    row.map_or(UNKNOWN_TEXT, |&(_, class, alert)| Verdict { class, alert })
}

const UNKNOWN_TEXT: Verdict = Verdict { class: Class::Ambiguous, alert: OperatorAlert::UnknownCode };

/// Classifies a response or record of the processor.
pub(crate) fn classify_processed(response: &AzulResponse) -> Verdict {
    let code = response.text("IsoCode").to_ascii_uppercase();
    let row = codes::ISO.iter().find(|(iso, ..)| *iso == code);
    let by_code = row.map(|&(_, class, alert)| Verdict { class, alert });
    match by_code.map(|it| it.class) {
        Some(Class::Approved | Class::MethodRequired | Class::ChallengeRequired) => {}
        _ => {
            let described = by_number(response).or_else(|| (code == "99").then(|| by_words(response)).flatten());
            if let Some(verdict) = described {
                return verdict;
            }
        }
    }
    let unknown = Verdict { class: Class::Declined(DeclineCode::GenericDecline), alert: OperatorAlert::UnknownCode };
    by_code.unwrap_or(unknown)
}

fn by_number(response: &AzulResponse) -> Option<Verdict> {
    let number = gateway_number(response)?;
    let &(class, alert, _) = codes::GATEWAY.iter().find(|(.., numbers)| numbers.contains(&number))?;
    Some(Verdict { class, alert })
}

/// Returns the number in `SGS-002303: Invalid credit card number`.
pub(crate) fn gateway_number(response: &AzulResponse) -> Option<u32> {
    let description = response.text("ErrorDescription");
    let (_, rest) = description.split_once("SGS-")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn by_words(response: &AzulResponse) -> Option<Verdict> {
    let texts = ["ErrorDescription", "ResponseMessage"].map(|it| response.text(it).to_uppercase());
    let row = codes::WORDS.iter().find(|(words, ..)| texts.iter().any(|it| it.contains(words)));
    row.map(|&(_, class, alert)| Verdict { class, alert })
}

const fn plain(class: Class) -> Verdict {
    Verdict { class, alert: OperatorAlert::NoAlert }
}

#[cfg(test)]
mod tests;
