//! A payment that several payers share, and each share.

use domain::{
    PaymentId,
    split::{Organizer, PartStatus, Split, SplitStatus},
};
use serde_json::{Value, json};

use super::{
    super::schema::{
        Field, choice, count, id, instant, integer, list, nullable, only, open, optional, reference, required, saying,
        with,
    },
    Named,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("MerchantSplit", merchant_split()),
        ("SplitPart", saying(open(of_a_part()), "One share of the bill.")),
        ("PaymentSplit", payment_split()),
        ("PaymentPart", payment_part()),
    ]
}

fn merchant_split() -> Value {
    saying(open(of_a_split()), "How far a bill has come that several payers share.")
}

fn of_a_split() -> Vec<Field> {
    let (least, most) = (Split::PART_COUNTS.start(), Split::PART_COUNTS.end());
    let parts = with(list(reference("SplitPart")), [("minItems", json!(least)), ("maxItems", json!(most))]);
    let some = || with(count(), [("maximum", json!(most))]);
    vec![
        required("status", choice(SplitStatus::ALL.iter().map(|it| it.as_str()))),
        required("captured", saying(reference("Money"), "Settled money.")),
        required("authorized", saying(reference("Money"), "Reserved money.")),
        required("remainingToAuthorize", saying(reference("Money"), "What no card has reserved yet.")),
        required("remainingToCapture", saying(reference("Money"), "What is not settled yet.")),
        required("capturedCount", some()),
        required("authorizedCount", some()),
        required("partCount", with(some(), [("minimum", json!(least))])),
        required("parts", parts),
    ]
}

fn of_a_part() -> Vec<Field> {
    vec![
        required("ordinal", ordinal()),
        required("amount", reference("Money")),
        required("allocatedItbis", saying(reference("Money"), "The tax in it.")),
        required("status", choice(PartStatus::ALL.iter().map(|it| it.as_str()))),
        required("paymentMethodSummary", nullable(reference("PaymentMethodSummary"))),
    ]
}

/// The place of a part in its split.
pub(in crate::openapi) fn ordinal() -> Value {
    integer(1..=i64::try_from(*Split::PART_COUNTS.end()).unwrap_or(i64::MAX))
}

fn payment_split() -> Value {
    let renewals = with(count(), [("maximum", json!(Split::MAX_RENEWALS))]);
    let own = [
        required("object", only("payment_split")),
        required("paymentId", id(PaymentId::PREFIX)),
        required("expiresAt", saying(instant(), "When its window closes.")),
        required("renewalCount", renewals),
        required(
            "organizer",
            saying(choice(Organizer::ALL.iter().map(|it| it.as_str())), "Who made it, and so commands it."),
        ),
    ];
    saying(open(own.into_iter().chain(of_a_split())), "The split of a payment, as a resource of its own.")
}

fn payment_part() -> Value {
    let valid = "Until when the issuer keeps the funds reserved; null unless they are.";
    let action = "There while the issuer of the share's card wants to see the cardholder.";
    let own = [
        required("object", only("payment_part")),
        required("paymentId", id(PaymentId::PREFIX)),
        required("decline", saying(nullable(reference("Decline")), "Not null exactly while status is declined.")),
        required("attemptCount", saying(count(), "How many cards were submitted.")),
        required("authorizationValidUntil", saying(nullable(instant()), valid)),
        optional("nextAction", saying(reference("NextAction"), action)),
    ];
    saying(open(own.into_iter().chain(of_a_part())), "One share of a bill, as a resource of its own.")
}
