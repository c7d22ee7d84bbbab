//! What an exchange with AZUL came to, by all that was seen of it.

use domain::payment::DeclineCode;

use crate::{
    answer::{Answer, Body},
    codes,
};

/// What was seen of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// There was no connection, so no byte of the request has left.
    NotConnected,
    /// The request has left, or may have, and no whole answer came back.
    Broken,
    /// A whole answer came back.
    Answered {
        /// The HTTP status, which says little.
        status: u16,
        /// What came with it.
        body: Body,
    },
}

/// What an exchange came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// It was done.
    Approved,
    /// The issuer refused.
    Declined(DeclineCode),
    /// The issuer wants to see the browser.
    MethodAsked,
    /// The issuer wants to see the cardholder.
    ChallengeAsked,
    /// It may have been done.
    Ambiguous,
    /// It was provably not done, since AZUL was not reached, and may be later.
    Unavailable,
    /// It was not done, as AZUL itself says, and may be later.
    Busy,
    /// It was provably not done, and will not be as it stands.
    Rejected,
}

/// A class, and what an operator should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) class: Class,
    pub(crate) notice: Notice,
}

/// What an operator should know of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// Nothing.
    Nothing,
    /// The account's set-up, or our request, is at fault.
    SeeToIt,
    /// The code is in no table.
    UnknownCode,
}

/// What an exchange came to: only what is provably undone may be called so, and only an answer that
/// was understood is an approval or a refusal.
pub(crate) fn classify(wire: &Wire) -> Verdict {
    let (status, body) = match wire {
        Wire::NotConnected => return plain(Class::Unavailable),
        Wire::Broken => return plain(Class::Ambiguous),
        Wire::Answered { status, body } => (*status, body),
    };
    match body {
        Body::Said(answer) => said(status, answer),
        // The firewall in front of AZUL turns strangers away, and lets nothing through then.
        Body::Page if status == 403 => Verdict { class: Class::Unavailable, notice: Notice::SeeToIt },
        Body::Page | Body::Unreadable => plain(Class::Ambiguous),
    }
}

fn said(status: u16, answer: &Answer) -> Verdict {
    let response_code = answer.text("ResponseCode");
    if response_code.eq_ignore_ascii_case("Error") {
        return refused(&answer.text("ErrorDescription"));
    }
    // An approval in the name of a broken server is not believed.
    if !response_code.eq_ignore_ascii_case("ISO8583") || status >= 500 {
        return plain(Class::Ambiguous);
    }
    processed(answer)
}

/// What AZUL did not process.
fn refused(description: &str) -> Verdict {
    let begins = |prefix: &str| description.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix));
    let row = codes::TEXTS.iter().find(|(text, ..)| begins(text));
    row.map_or(UNKNOWN_TEXT, |&(_, class, notice)| Verdict { class, notice })
}

const UNKNOWN_TEXT: Verdict = Verdict { class: Class::Ambiguous, notice: Notice::UnknownCode };

/// What a record or an answer comes to that has reached the processor.
pub(crate) fn processed(answer: &Answer) -> Verdict {
    let code = answer.text("IsoCode").to_ascii_uppercase();
    let row = codes::ISO.iter().find(|(iso, ..)| *iso == code);
    let by_code = row.map(|&(_, class, notice)| Verdict { class, notice });
    match by_code.map(|it| it.class) {
        Some(Class::Approved | Class::MethodAsked | Class::ChallengeAsked) => {}
        _ => {
            let described = by_number(answer).or_else(|| (code == "99").then(|| by_words(answer)).flatten());
            if let Some(verdict) = described {
                return verdict;
            }
        }
    }
    let unknown = Verdict { class: Class::Declined(DeclineCode::GenericDecline), notice: Notice::UnknownCode };
    by_code.unwrap_or(unknown)
}

fn by_number(answer: &Answer) -> Option<Verdict> {
    let number = gateway_number(answer)?;
    let &(_, class, notice) = codes::GATEWAY.iter().find(|(it, ..)| *it == number)?;
    Some(Verdict { class, notice })
}

/// The number in `SGS-002303: Invalid credit card number`.
pub(crate) fn gateway_number(answer: &Answer) -> Option<u32> {
    let description = answer.text("ErrorDescription");
    let (_, rest) = description.split_once("SGS-")?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn by_words(answer: &Answer) -> Option<Verdict> {
    let texts = ["ErrorDescription", "ResponseMessage"].map(|it| answer.text(it).to_uppercase());
    let row = codes::WORDS.iter().find(|(words, ..)| texts.iter().any(|it| it.contains(words)));
    row.map(|&(_, class, notice)| Verdict { class, notice })
}

const fn plain(class: Class) -> Verdict {
    Verdict { class, notice: Notice::Nothing }
}

#[cfg(test)]
mod tests;
