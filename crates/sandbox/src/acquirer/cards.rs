//! Magic cards: the number says what becomes of a charge.
//!
//! A number of ours is a prefix (one for each of two brands), three digits of the scenario, `000`,
//! two of the issuer's code, and the check digit.

use domain::{Currency, Money, payment::DeclineCode};

use super::{
    iso,
    script::{
        Script, Step,
        Telling::{self, Late, Lost, NotProcessed, Refused, Told},
        Truth::{self, Approved, Declined, Nothing},
    },
};

const PREFIXES: [&str; 2] = ["4222220", "5222220"];

/// The scenario in which the issuer's code is all that matters.
const PLAIN: &str = "000";

/// The scenario in which the issuer holds funds and then refuses to give them.
pub(crate) const CAPTURE_DECLINED: &str = "capture_declined";
/// The scenario in which the first wish to give funds back is answered with an error, and is not heard.
pub(crate) const VOID_FAILS_ONCE: &str = "void_fails_once";
/// The scenario in which the issuer keeps funds for one day.
pub(crate) const DIES_EARLY: &str = "hold_dies_early";

/// Scenario, issuer's code, name, what it comes to, and what is said.
const SCENARIOS: &[(&str, &str, &str, Truth, Telling)] = &[
    ("001", "99", "wrong_security_code", Declined(DeclineCode::IncorrectSecurityCode), Told),
    ("002", "99", "not_authenticated", Declined(DeclineCode::AuthenticationFailed), Told),
    ("003", "99", "not_processed", Nothing, NotProcessed),
    ("004", "00", "timed_out_approved", Approved, Lost),
    ("004", "99", "timed_out_nothing", Nothing, Lost),
    ("005", "00", "no_answer_approved", Approved, Lost),
    ("005", "51", "no_answer_declined", Declined(DeclineCode::InsufficientFunds), Lost),
    ("005", "99", "no_answer_nothing", Nothing, Lost),
    ("006", "00", "reset_after_approval", Approved, Lost),
    ("007", "00", "server_error_approved", Approved, Lost),
    ("007", "99", "server_error_nothing", Nothing, Lost),
    ("008", "00", "no_answer_approved_late", Approved, Late),
    ("009", "00", "processing_error_approved", Approved, Lost),
    ("010", "00", "truncated_answer_approved", Approved, Lost),
    // What these hold back concerns holds; a sale is charged at once.
    ("011", "51", CAPTURE_DECLINED, Approved, Told),
    ("012", "00", VOID_FAILS_ONCE, Approved, Told),
    ("013", "00", DIES_EARLY, Approved, Told),
    ("014", "99", "request_refused", Nothing, Refused),
    // What these ask for is 3-D Secure; where it is not spoken they are charged at once, or never.
    ("020", "00", "frictionless", Approved, Told),
    ("021", "00", "challenge", Approved, Told),
    ("022", "00", "method_then_challenge", Approved, Told),
    ("023", "99", "authentication_fails", Declined(DeclineCode::AuthenticationFailed), Told),
    ("024", "08", "authentication_unavailable", Declined(DeclineCode::AuthenticationFailed), Told),
];

/// What the issuer of a scenario's card asks for before it says what it thinks, in order.
pub(crate) fn steps(scenario: &str) -> &'static [Step] {
    match scenario {
        "frictionless" | "authentication_fails" | "authentication_unavailable" => &[Step::Method],
        "challenge" => &[Step::Challenge],
        "method_then_challenge" => &[Step::Method, Step::Challenge],
        _ => &[],
    }
}

/// The public test cards of AZUL; they move no money anywhere.
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

/// The public test card that is good for 75 pesos and no more.
const LIMITED: &str = "4005520000000129";
const LIMIT: Money = Money::new(75_00, Currency::Dop);

/// What becomes of a charge of `amount` to the card of that number.
pub(crate) fn script(number: &str, amount: Money) -> Script {
    magic(number).or_else(|| public(number, amount)).unwrap_or_else(unknown)
}

/// What becomes of a charge to a card that is kept, and behaved so when it was charged first. Nobody is there to be asked,
/// so that no issuer asks.
pub(crate) fn kept(scenario: &str) -> Script {
    let is_about_holds = [CAPTURE_DECLINED, VOID_FAILS_ONCE, DIES_EARLY].contains(&scenario);
    Script::told(if is_about_holds { scenario } else { "stored_card" }, Approved)
}

fn magic(number: &str) -> Option<Script> {
    let rest = PREFIXES.iter().find_map(|prefix| number.strip_prefix(prefix)).filter(|it| it.len() == 9)?;
    let (scenario, code) = (rest.get(..3)?, rest.get(6..8)?);
    if rest.get(3..6) != Some("000") {
        return None;
    }
    if scenario == PLAIN {
        let decline = || iso::decline(code).map(|it| Script::told(format!("declined_{code}"), Declined(it)));
        return if code == "00" { Some(Script::told("approved", Approved)) } else { decline() };
    }
    let &(_, _, name, truth, telling) = SCENARIOS.iter().find(|it| (it.0, it.1) == (scenario, code))?;
    Some(Script { name: name.to_owned(), truth, telling })
}

fn public(number: &str, amount: Money) -> Option<Script> {
    if number == LIMITED {
        let is_within = amount.currency() == LIMIT.currency() && amount.minor_units() <= LIMIT.minor_units();
        let truth = if is_within { Approved } else { Declined(DeclineCode::InsufficientFunds) };
        return Some(Script::told("limited_test_card", truth));
    }
    PUBLIC.contains(&number).then(|| Script::told("test_card", Approved))
}

/// No issuer knows the card.
fn unknown() -> Script {
    Script::told("unknown_card", Declined(DeclineCode::GenericDecline))
}
