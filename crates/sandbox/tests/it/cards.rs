use domain::{
    Card,
    Currency::Usd,
    Money,
    payment::DeclineCode::{self, *},
};
use ports::{CallOutcome, CardProvider, Instrument, LookUp, NotSubmitted, Wallet};
use zeroize::Zeroizing;

use crate::till::{Till, assert_declined, charge, is_approved};

/// Result of a look-up after the lag.
#[derive(Clone, Copy)]
enum Truth {
    Approved,
    Declined(DeclineCode),
    Nothing,
}

async fn check_response(number: &str, truth: Truth) {
    let till = Till::new();

    let answer = till.charge(1, number).await;

    match truth {
        Truth::Approved => assert_eq!(answer.outcome, CallOutcome::Approved, "{number}"),
        Truth::Declined(code) => assert_declined(&answer, code),
        Truth::Nothing => panic!("a response shows no missing transaction"),
    }
    check_look_up(&till, number, truth).await;
}

async fn unanswered(number: &str, truth: Truth) {
    let till = Till::new();

    let answer = till.charge(1, number).await;

    assert_eq!((answer.outcome, answer.reference), (CallOutcome::Ambiguous, None), "{number}");
    check_look_up(&till, number, truth).await;
}

async fn check_look_up(till: &Till, number: &str, truth: Truth) {
    let found = till.look_up(1).await;
    match truth {
        Truth::Approved => assert!(is_approved(&found), "{number}: {found:?}"),
        Truth::Declined(code) => assert_eq!(found, LookUp::Declined(code), "{number}"),
        Truth::Nothing => assert_eq!(found, LookUp::NotFound, "{number}"),
    }
}

#[tokio::test]
async fn a_good_card_is_charged() {
    check_response("4222220000000008", Truth::Approved).await;
}

#[tokio::test]
async fn issuers_refuse_in_public_words() {
    let declines = [
        ("4222220000000057", DoNotHonor),
        ("4222220000000511", InsufficientFunds),
        ("4222220000000545", CardExpired),
        ("4222220000000149", InvalidCardNumber),
        ("4222220000000412", CardReportedLostOrStolen),
        ("4222220000000438", CardReportedLostOrStolen),
        ("4222220000000610", ExceedsLimit),
        ("4222220000000628", CardRestricted),
        ("4222220000000594", SuspectedFraud),
        ("4222220000000552", IncorrectPin),
        ("4222220000000917", IssuerUnavailable),
        ("4222220000000040", CardRestricted),
        ("4222220000000123", TransactionNotPermitted),
        ("4222220000000578", TransactionNotPermitted),
        ("4222220000000081", AuthenticationFailed),
        ("4222220000000636", CardRestricted),
        ("4222220001000999", IncorrectSecurityCode),
        ("4222220002000998", AuthenticationFailed),
        ("4222220023000993", AuthenticationFailed),
        ("4222220024000083", AuthenticationFailed),
    ];
    for (number, code) in declines {
        check_response(number, Truth::Declined(code)).await;
    }
}

#[tokio::test]
async fn any_code_of_an_issuer_makes_a_card() {
    let codes = [
        (DoNotHonor, &["01", "02", "05"][..]),
        (CardRestricted, &["04", "46", "62", "63", "78", "82"]),
        (SuspectedFraud, &["07", "59", "83"]),
        (AuthenticationFailed, &["08"]),
        (TransactionNotPermitted, &["12", "57", "58", "93"]),
        (ExceedsLimit, &["13", "61", "65"]),
        (InvalidCardNumber, &["14", "15"]),
        (IssuerUnavailable, &["28", "91", "92", "96"]),
        (CardReportedLostOrStolen, &["41", "43"]),
        (InsufficientFunds, &["51"]),
        (CardExpired, &["54"]),
        (IncorrectPin, &["55", "70", "75"]),
        (GenericDecline, &["03", "06", "19", "30", "99"]),
        // Codes without a decision.
        (GenericDecline, &["68", "94"]),
    ];
    for (decline, codes) in codes {
        for code in codes {
            let number = (0..10).map(|check| format!("4222220000000{code}{check}"));
            let number = number.into_iter().find(|it| Card::is_number(it)).unwrap();
            check_response(&number, Truth::Declined(decline)).await;
        }
    }
}

#[tokio::test]
async fn cards_about_holds_and_authentication_are_charged_at_once() {
    let numbers = [
        "4222220011000518",
        "4222220012000004",
        "4222220013000003",
        "4222220020000004",
        "4222220021000003",
        "4222220022000002",
    ];
    for number in numbers {
        check_response(number, Truth::Approved).await;
    }
}

#[tokio::test]
async fn unclear_answers_have_a_truth() {
    unanswered("4222220004000004", Truth::Approved).await;
    unanswered("4222220004000996", Truth::Nothing).await;
    unanswered("4222220005000003", Truth::Approved).await;
    unanswered("4222220005000516", Truth::Declined(InsufficientFunds)).await;
    unanswered("4222220005000995", Truth::Nothing).await;
    unanswered("4222220006000002", Truth::Approved).await;
    unanswered("4222220007000001", Truth::Approved).await;
    unanswered("4222220007000993", Truth::Nothing).await;
    unanswered("4222220009000009", Truth::Approved).await;
    unanswered("4222220010000006", Truth::Approved).await;
}

#[tokio::test]
async fn a_not_processed_charge_is_not_submitted() {
    let till = Till::new();

    let answer = till.charge(1, "4222220003000997").await;

    assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Busy));
    assert_eq!(till.look_up(1).await, LookUp::NotFound);
}

#[tokio::test]
async fn a_request_that_is_refused_leaves_no_transaction() {
    let till = Till::new();

    let answer = till.charge(1, "4222220014000994").await;

    assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert!(till.statuses().is_empty());
}

#[tokio::test]
async fn both_brands_have_the_same_scenarios() {
    check_response("5222220000000005", Truth::Approved).await;
    check_response("5222220000000518", Truth::Declined(InsufficientFunds)).await;
    unanswered("5222220005000000", Truth::Approved).await;
}

#[tokio::test]
async fn public_test_cards_are_good() {
    let numbers = [
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
    for number in numbers {
        check_response(number, Truth::Approved).await;
    }
}

#[tokio::test]
async fn one_public_test_card_is_good_for_75_pesos() {
    let till = Till::new();
    let number = "4005520000000129";

    let enough = till.acquirer.charge(charge(1, number, 75_00)).await;
    let too_much = till.acquirer.charge(charge(2, number, 75_01)).await;

    assert_eq!(enough.outcome, CallOutcome::Approved);
    assert_declined(&too_much, InsufficientFunds);
}

#[tokio::test]
async fn no_issuer_knows_any_other_card() {
    // The last four are almost magic: unknown code, unknown scenario, missing zeros, a digit less.
    let numbers = [
        "4242424242424242",
        "4000000000000002",
        "4222220000000776",
        "4222220099000000",
        "4222220000001006",
        "422222000000000",
    ];
    for number in numbers {
        check_response(number, Truth::Declined(GenericDecline)).await;
    }
}

/// The simulated wallet payload is an extension: no wallet protocol is known.
#[tokio::test]
async fn a_wallet_names_the_card_that_it_stands_for() {
    let till = Till::new();
    let with = |n, payload: &str| {
        let payload = Zeroizing::new(payload.to_owned());
        let wallet = Wallet { kind: "wallet_a_pay".to_owned(), payload };
        ports::Charge { instrument: Instrument::Wallet(wallet), ..charge(n, "4222220000000008", 118_00) }
    };

    let approved = till.acquirer.charge(with(1, "simulated:4222220000000008")).await;
    let declined = till.acquirer.charge(with(2, "simulated:4222220000000511")).await;
    let nonsense = till.acquirer.charge(with(3, "4222220000000008")).await;

    assert_eq!(approved.outcome, CallOutcome::Approved);
    assert_eq!(declined.outcome, CallOutcome::Declined(InsufficientFunds));
    assert_eq!(nonsense.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    assert_eq!(till.statuses(), ["declined", "approved"]);
}

#[tokio::test]
async fn a_charge_that_makes_no_sense_is_rejected() {
    let till = Till::new();
    let good = "4222220000000008";

    let nothing = till.acquirer.charge(charge(1, good, 0)).await;
    let mixed = charge(2, good, 118_00);
    let mixed = till.acquirer.charge(ports::Charge { itbis: Money::new(18_00, Usd), ..mixed }).await;
    till.clock.advance(chrono::TimeDelta::days(365 * 10));
    let expired = till.charge(3, good).await;

    for answer in [nothing, mixed, expired] {
        assert_eq!(answer.outcome, CallOutcome::NotSubmitted(NotSubmitted::Rejected));
    }
    assert!(till.statuses().is_empty());
}
