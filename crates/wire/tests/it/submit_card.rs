use domain::Card;
use wire::{
    submit_card,
    submit_card::{CardSubmission, SubmittedMethod},
};

use crate::support::{assert_accepted, assert_refused, tree, with, without};

const SUBMISSION: &str = r#"{"card":{"number":"4111111111111111","expirationMonth":12,"expirationYear":2030,
    "securityCode":"123","holderName":"Ana Pérez"}}"#;

fn card(submission: CardSubmission) -> Card {
    match submission.method {
        SubmittedMethod::Card(card) => card,
        SubmittedMethod::Wallet(_) => panic!("a card was sent"),
    }
}

#[test]
fn a_card_is_parsed() {
    let submission = assert_accepted(SUBMISSION, submit_card::parse);

    assert_eq!(submission.part_ordinal, None);
    let card = card(submission);
    assert_eq!(card.expose_number(), "4111111111111111");
    assert_eq!(card.expose_security_code(), "123");
    assert_eq!(card.expiration(), (12, 2030));
    assert_eq!(card.holder_name(), Some("Ana Pérez"));
}

#[test]
fn holder_name_and_part_are_optional() {
    let body = with(&without(SUBMISSION, "card.holderName"), "partOrdinal", "2");

    let submission = assert_accepted(&body, submit_card::parse);

    assert_eq!(submission.part_ordinal, Some(2));
    assert_eq!(card(submission).holder_name(), None);
}

#[test]
fn each_field_of_a_card_has_its_own_rule() {
    let long = format!("\"{}\"", "1".repeat(25));
    let name = format!("\"{}\"", "a".repeat(129));
    let rows: [(&str, &[&str]); 6] = [
        (
            "card.number",
            &[
                r#""4111 1111 1111 1111""#,
                r#""4111-1111-1111-1111""#,
                r#""411111111111111a""#,
                r#""4111111111111112""#,
                r#""41111111111""#,
                r#""٤١١١١١١١١١١١١١١١""#,
                r#""""#,
                "4111111111111111",
                &long,
            ],
        ),
        ("card.securityCode", &[r#""12""#, r#""12345""#, r#""12a""#, "123", r#""""#]),
        ("card.expirationMonth", &["13", "0", "-1", r#""12""#, "1.0", "268"]),
        ("card.expirationYear", &["30", "999", "10000", r#""2030""#, "65536"]),
        ("card.holderName", &[r#""""#, r#""a\nb""#, "null", "7", &name]),
        ("partOrdinal", &["0", "-1", "256", r#""1""#, "null"]),
    ];
    for (path, values) in rows {
        for value in values {
            assert_refused(&with(SUBMISSION, path, value), submit_card::parse, ("parameter_invalid", path));
        }
    }
    for path in ["card.number", "card.expirationMonth", "card.expirationYear", "card.securityCode"] {
        assert_refused(&without(SUBMISSION, path), submit_card::parse, ("parameter_missing", path));
    }
}

#[test]
fn a_submission_cannot_set_the_amount() {
    for path in ["amount", "currency", "totalAmount", "paymentId", "card.brand"] {
        assert_refused(&with(SUBMISSION, path, "1"), submit_card::parse, ("parameter_invalid", path));
    }
}

#[test]
fn a_submission_has_a_card_or_a_wallet() {
    let wallet = r#"{"wallet":{"kind":"wallet_a_pay","payload":"opaque"}}"#;

    let submission = assert_accepted(wallet, submit_card::parse);

    let SubmittedMethod::Wallet(read) = submission.method else { panic!("a wallet was sent") };
    assert_eq!((read.kind.as_str(), read.payload.as_str()), ("wallet_a_pay", "opaque"));
    assert_refused("{}", submit_card::parse, ("parameter_missing", "card"));
    assert_refused(r#"{"partOrdinal":1}"#, submit_card::parse, ("parameter_missing", "card"));
    assert_refused(&without(wallet, "wallet.payload"), submit_card::parse, ("parameter_missing", "wallet.payload"));
    let both = with(SUBMISSION, "wallet", r#"{"kind":"wallet_a_pay","payload":"opaque"}"#);
    assert_refused(&both, submit_card::parse, ("parameter_invalid", "wallet"));
    assert_refused(&with(SUBMISSION, "wallet", "null"), submit_card::parse, ("parameter_invalid", "wallet"));
    assert_refused(r#"{"card":[]}"#, submit_card::parse, ("parameter_invalid", "card"));
}

#[test]
fn no_refusal_repeats_a_card() {
    let number = "4111111111111112";
    let bodies = [
        with(SUBMISSION, "card.number", &format!("\"{number}\"")),
        with(SUBMISSION, "card", number),
        SUBMISSION.replace("holderName", number),
        SUBMISSION.replace("\"card\"", &format!("\"{number}\"")),
    ];
    for body in bodies {
        let refusal = submit_card::parse(&tree(&body)).err().unwrap();

        assert!(!format!("{refusal} {refusal:?}").contains("4111"), "{refusal:?}");
    }
}
