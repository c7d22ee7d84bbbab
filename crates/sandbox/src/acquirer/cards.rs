//! Magic cards: the number selects the outcome of a charge.
//!
//! A magic number is a prefix (one for each of two brands), three digits of the scenario, `000`, two of the issuer's
//! code, and the check digit.

use domain::{Currency, Money, payment::DeclineCode};

use super::{
    iso,
    scenario::{
        ResponseMode::{self, Late, Lost, NotProcessed, Refused, Truthful},
        Scenario, ThreeDsStep,
        TransactionOutcome::{self, Approved, Declined, NoEffect},
    },
};

const PREFIXES: [&str; 2] = ["4222220", "5222220"];

/// The scenario in which only the issuer's code matters.
const PLAIN: &str = "000";

/// The issuer reserves funds and declines their capture.
pub(crate) const CAPTURE_DECLINED: &str = "capture_declined";
/// The first void fails with an error and has no effect.
pub(crate) const VOID_FAILS_ONCE: &str = "void_fails_once";
/// The issuer reserves funds for one day only.
pub(crate) const DIES_EARLY: &str = "hold_dies_early";

/// Scenario, issuer's code, name, outcome, and response.
const SCENARIOS: &[(&str, &str, &str, TransactionOutcome, ResponseMode)] = &[
    ("001", "99", "wrong_security_code", Declined(DeclineCode::IncorrectSecurityCode), Truthful),
    ("002", "99", "not_authenticated", Declined(DeclineCode::AuthenticationFailed), Truthful),
    ("003", "99", "not_processed", NoEffect, NotProcessed),
    ("004", "00", "timed_out_approved", Approved, Lost),
    ("004", "99", "timed_out_nothing", NoEffect, Lost),
    ("005", "00", "no_answer_approved", Approved, Lost),
    ("005", "51", "no_answer_declined", Declined(DeclineCode::InsufficientFunds), Lost),
    ("005", "99", "no_answer_nothing", NoEffect, Lost),
    ("006", "00", "reset_after_approval", Approved, Lost),
    ("007", "00", "server_error_approved", Approved, Lost),
    ("007", "99", "server_error_nothing", NoEffect, Lost),
    ("008", "00", "no_answer_approved_late", Approved, Late),
    ("009", "00", "processing_error_approved", Approved, Lost),
    ("010", "00", "truncated_answer_approved", Approved, Lost),
    // These scenarios concern holds; a sale is charged at once.
    ("011", "51", CAPTURE_DECLINED, Approved, Truthful),
    ("012", "00", VOID_FAILS_ONCE, Approved, Truthful),
    ("013", "00", DIES_EARLY, Approved, Truthful),
    ("014", "99", "request_refused", NoEffect, Refused),
    // These scenarios concern voids and refunds: see `RefundScenario`.
    ("030", "00", "void_refused", Approved, Truthful),
    ("031", "05", "refund_declined", Approved, Truthful),
    ("032", "00", "no_answer_refund_done", Approved, Truthful),
    ("032", "99", "no_answer_refund_nothing", Approved, Truthful),
    ("033", "00", "reset_after_refund", Approved, Truthful),
    ("034", "00", "no_answer_refund_late", Approved, Truthful),
    ("035", "00", "no_answer_refund_very_late", Approved, Truthful),
    ("036", "99", "refund_request_refused", Approved, Truthful),
    ("037", "99", "refund_not_processed", Approved, Truthful),
    ("038", "00", "void_no_answer_done", Approved, Truthful),
    ("038", "99", "void_no_answer_nothing", Approved, Truthful),
    ("039", "00", "one_refund", Approved, Truthful),
    // These scenarios use 3-D Secure; without 3-D Secure they are charged at once, or never.
    ("020", "00", "frictionless", Approved, Truthful),
    ("021", "00", "challenge", Approved, Truthful),
    ("022", "00", "method_then_challenge", Approved, Truthful),
    ("023", "99", "authentication_fails", Declined(DeclineCode::AuthenticationFailed), Truthful),
    ("024", "08", "authentication_unavailable", Declined(DeclineCode::AuthenticationFailed), Truthful),
];

/// Returns the issuer's 3-D Secure steps, in order.
pub(crate) fn steps(scenario: &str) -> &'static [ThreeDsStep] {
    match scenario {
        "frictionless" | "authentication_fails" | "authentication_unavailable" => &[ThreeDsStep::Method],
        "challenge" => &[ThreeDsStep::Challenge],
        "method_then_challenge" => &[ThreeDsStep::Method, ThreeDsStep::Challenge],
        _ => &[],
    }
}

/// The public test cards of AZUL.
const PUBLIC: &[&str] = &[
    "4260550061845872",
    "5424180279791732",
    "6011000990099818",
    "4012000033330026",
    "5413330089600119",
    "4035874000424977",
    "5426064000424979",
    "4265880000000007",
    "4761120010000492",
    "4147463011110117",
    "4147463011110059",
];

/// The public test card with a limit of 75 pesos.
const LIMITED: &str = "4005520000000129";
const LIMIT: Money = Money::new(75_00, Currency::Dop);

/// Returns the scenario of a charge of `amount` to the card.
pub(crate) fn scenario(number: &str, amount: Money) -> Scenario {
    magic(number).or_else(|| public(number, amount)).unwrap_or_else(unknown)
}

/// Returns the scenario of a charge to a stored card, by the scenario of its first charge. Without a cardholder there
/// is no 3-D Secure.
pub(crate) fn stored_card_scenario(scenario: &str) -> Scenario {
    let is_about_holds = [CAPTURE_DECLINED, VOID_FAILS_ONCE, DIES_EARLY].contains(&scenario);
    Scenario::truthful(if is_about_holds { scenario } else { "stored_card" }, Approved)
}

fn magic(number: &str) -> Option<Scenario> {
    let rest = PREFIXES.iter().find_map(|prefix| number.strip_prefix(prefix)).filter(|it| it.len() == 9)?;
    let (scenario, code) = (rest.get(..3)?, rest.get(6..8)?);
    if rest.get(3..6) != Some("000") {
        return None;
    }
    if scenario == PLAIN {
        let decline = || iso::decline(code).map(|it| Scenario::truthful(format!("declined_{code}"), Declined(it)));
        return if code == "00" { Some(Scenario::truthful("approved", Approved)) } else { decline() };
    }
    let &(_, _, name, outcome, response) = SCENARIOS.iter().find(|it| (it.0, it.1) == (scenario, code))?;
    Some(Scenario { name: name.to_owned(), outcome, response })
}

fn public(number: &str, amount: Money) -> Option<Scenario> {
    if number == LIMITED {
        let is_within = amount.currency() == LIMIT.currency() && amount.minor_units() <= LIMIT.minor_units();
        let outcome = if is_within { Approved } else { Declined(DeclineCode::InsufficientFunds) };
        return Some(Scenario::truthful("limited_test_card", outcome));
    }
    PUBLIC.contains(&number).then(|| Scenario::truthful("test_card", Approved))
}

/// The card is unknown to every issuer.
fn unknown() -> Scenario {
    Scenario::truthful("unknown_card", Declined(DeclineCode::GenericDecline))
}
