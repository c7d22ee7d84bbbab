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
fn an_empty_unknown_or_repeated_pattern_is_refused_at_its_index() {
    assert_eq!(parse(&[]), Err(0));
    assert_eq!(parse(&["payment.succeeded", "nope"]), Err(1));
    assert_eq!(parse(&["payment.*", "payment.*"]), Err(1));
    assert_eq!(parse(&[".*"]), Err(0));
    assert_eq!(parse(&["pay*"]), Err(0));
    assert_eq!(parse(&vec!["*"; 101]), Err(0));
}

#[test]
fn a_kind_is_covered_by_three_patterns_and_no_other() {
    let families = EventKind::ALL.iter().filter_map(|it| it.as_str().split_once('.')).map(|it| format!("{}.*", it.0));
    let mut patterns: Vec<String> = families.chain(EventKind::ALL.iter().map(ToString::to_string)).collect();
    patterns.push("*".to_owned());
    patterns.sort_unstable();
    patterns.dedup();
    for kind in EventKind::ALL {
        let mut covering: Vec<String> =
            patterns.iter().filter(|it| parse(&[it.as_str()]).unwrap().includes(kind)).cloned().collect();
        let mut expected = EventSelection::patterns_of(kind).to_vec();
        covering.sort_unstable();
        expected.sort_unstable();
        assert_eq!(covering, expected, "{kind}");
    }
}
