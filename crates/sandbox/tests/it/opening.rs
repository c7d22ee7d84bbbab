use domain::payment::DeclineCode;
use ports::{CallOutcome, CardProvider, LookUp, NotSubmitted};
use sandbox::{Fault, Target};

use crate::till::{Till, is_approved, opening};

#[test]
fn only_a_sale_with_a_wish_is_opened_here() {
    let till = Till::new();

    for reference in ["sandbox:declined:do_not_honor", "sandbox:verifying:nothing", "sandbox:"] {
        assert!(till.acquirer.needs_opening(&opening(1, reference)), "{reference}");
    }
    for reference in ["table-7", "Sandbox:declined:do_not_honor", " sandbox:"] {
        assert!(!till.acquirer.needs_opening(&opening(1, reference)), "{reference}");
    }
}

#[tokio::test]
async fn every_decline_can_be_wished_for() {
    for &code in DeclineCode::ALL {
        let till = Till::new();

        let answer = till.open(1, &format!("sandbox:declined:{}", code.as_str())).await;

        assert_eq!(answer.outcome, CallOutcome::Declined(code));
        assert_eq!(till.look_up(1).await, LookUp::Declined(code));
    }
}

#[tokio::test]
async fn a_doubt_can_be_wished_for_with_its_truth() {
    let till = Till::new();

    for (n, truth) in [(1, "approved"), (2, "declined"), (3, "nothing")] {
        let answer = till.open(n, &format!("sandbox:verifying:{truth}")).await;
        assert_eq!((answer.outcome, answer.reference), (CallOutcome::Ambiguous, None), "{truth}");
    }

    assert!(is_approved(&till.look_up(1).await));
    assert_eq!(till.look_up(2).await, LookUp::Declined(DeclineCode::GenericDecline));
    assert_eq!(till.look_up(3).await, LookUp::NotFound);
    let listed = till.acquirer.transactions();
    assert!(listed.iter().all(|it| (it.amount_minor_units, it.itbis_minor_units) == (118_00, 18_00)), "{listed:?}");
}

#[tokio::test]
async fn any_other_wish_opens_the_payment() {
    for reference in ["sandbox:", "sandbox:declined:too_poor", "sandbox:declined", "sandbox:verifying:maybe"] {
        let till = Till::new();

        let answer = till.open(1, reference).await;

        assert_eq!(answer.outcome, CallOutcome::Opened, "{reference}");
        assert_eq!(till.look_up(1).await, LookUp::NotFound, "{reference}");
        assert_eq!(till.statuses(), ["opened"], "{reference}");
    }
}

#[tokio::test]
async fn faults_happen_to_openings_too() {
    let till = Till::new();
    till.faults.inject(Target::Acquirer, Fault::BeforeRequest, 1).unwrap();
    till.faults.inject(Target::Acquirer, Fault::AfterCommit, 1).unwrap();

    let unavailable = till.open(1, "sandbox:").await;
    let lost = till.open(2, "sandbox:declined:card_expired").await;

    assert_eq!(unavailable.outcome, CallOutcome::NotSubmitted(NotSubmitted::Unavailable));
    assert_eq!(lost.outcome, CallOutcome::Ambiguous);
    assert_eq!(till.look_up(2).await, LookUp::Declined(DeclineCode::CardExpired));
}
