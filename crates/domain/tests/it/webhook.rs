use cobro_domain::{EventKind, webhook::EventSelection};

fn parse(patterns: &[&str]) -> Result<EventSelection, usize> {
    let patterns: Vec<String> = patterns.iter().map(|&it| it.to_owned()).collect();
    EventSelection::parse(&patterns)
}

#[test]
fn a_selection_is_of_kinds_families_or_everything() {
    let selected = |patterns: &[&str], kind| parse(patterns).unwrap().includes(kind);

    assert!(selected(&["payment.succeeded"], EventKind::PaymentSucceeded));
    assert!(!selected(&["payment.succeeded"], EventKind::PaymentDeclined));
    assert!(selected(&["payment.*"], EventKind::PaymentDeclined));
    assert!(!selected(&["payment.*"], EventKind::PaymentSplitCreated), "another family of a longer name");
    assert!(selected(&["*"], EventKind::FiscalDocumentIssued));
}

#[test]
fn what_selects_nothing_or_twice_is_refused_at_its_place() {
    assert_eq!(parse(&[]), Err(0));
    assert_eq!(parse(&["payment.succeeded", "nope"]), Err(1));
    assert_eq!(parse(&["payment.*", "payment.*"]), Err(1));
    assert_eq!(parse(&[".*"]), Err(0));
    assert_eq!(parse(&["pay*"]), Err(0));
    assert_eq!(parse(&vec!["*"; 101]), Err(0));
}
