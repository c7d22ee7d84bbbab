use cobro_domain::{
    fiscal::{self, DocumentStatus, DocumentTrigger},
    payment::{PaymentStatus, Trigger, next},
};

#[test]
fn every_status_of_one_payer_is_reached_or_initial() {
    for status in PaymentStatus::ALL.into_iter().filter(|it| !it.is_of_split()) {
        let reached = PaymentStatus::ALL
            .iter()
            .any(|&from| Trigger::ALL.iter().any(|&on| from != status && next(from, on) == Ok(status)));
        assert!(reached || status == PaymentStatus::RequiresCustomerAction, "{status:?} is unreachable");
    }
}

#[test]
fn no_trigger_leads_into_a_status_of_a_split() {
    for from in PaymentStatus::ALL {
        for on in Trigger::ALL {
            assert!(!next(from, on).is_ok_and(PaymentStatus::is_of_split), "{from:?} on {on:?}");
        }
    }
}

#[test]
fn verifying_is_never_the_end() {
    assert!(
        Trigger::ALL
            .iter()
            .any(|&on| next(PaymentStatus::Verifying, on).is_ok_and(|to| to != PaymentStatus::Verifying))
    );
}

#[test]
fn succeeded_is_always_the_end() {
    assert!(Trigger::ALL.iter().all(|&on| next(PaymentStatus::Succeeded, on).is_err()));
}

#[test]
fn canceled_and_expired_are_never_left() {
    for end in [PaymentStatus::Canceled, PaymentStatus::Expired] {
        assert!(Trigger::ALL.iter().all(|&on| next(end, on).is_ok_and(|to| to == end) || next(end, on).is_err()));
    }
}

#[test]
fn every_trigger_has_an_effect() {
    for on in Trigger::ALL {
        assert!(PaymentStatus::ALL.iter().any(|&from| next(from, on).is_ok()), "{on:?} does nothing");
    }
    for on in DocumentTrigger::ALL {
        assert!(DocumentStatus::ALL.iter().any(|&from| fiscal::next(from, on).is_ok()), "{on:?} does nothing");
    }
}

#[test]
fn a_document_that_is_issued_is_never_touched_again() {
    assert!(DocumentTrigger::ALL.iter().all(|&on| fiscal::next(DocumentStatus::Issued, on).is_err()));
}

#[test]
fn every_document_status_is_reached() {
    let reached: Vec<DocumentStatus> = DocumentStatus::ALL
        .iter()
        .flat_map(|&from| DocumentTrigger::ALL.iter().filter_map(move |&on| fiscal::next(from, on).ok()))
        .collect();
    assert!(DocumentStatus::ALL.iter().all(|status| reached.contains(status)));
}

#[test]
fn published_spellings_are_read_back() {
    for status in PaymentStatus::ALL {
        assert_eq!(PaymentStatus::from_code(status.as_str()), Some(status));
    }
    for status in DocumentStatus::ALL {
        assert_eq!(DocumentStatus::from_code(status.as_str()), Some(status));
    }
}
