use sandbox::{Fault, FaultError, Faults, ParsedFault, Target};

#[test]
fn a_fault_happens_as_often_as_requested() {
    let faults = Faults::default();
    faults.inject(Target::Directory, Fault::Drop, 2).unwrap();

    let taken: Vec<Option<Fault>> = (0..3).map(|_| faults.take(Target::Directory)).collect();

    assert_eq!(taken, [Some(Fault::Drop), Some(Fault::Drop), None]);
}

#[test]
fn faults_wait_in_line_for_their_own_target() {
    let faults = Faults::default();
    faults.inject(Target::Acquirer, Fault::Status, 1).unwrap();
    faults.inject(Target::Authority, Fault::Delay, 1).unwrap();
    faults.inject(Target::Acquirer, Fault::Drop, 1).unwrap();

    assert_eq!(faults.take(Target::Authority), Some(Fault::Delay));
    assert_eq!(faults.take(Target::Acquirer), Some(Fault::Status));
    assert_eq!(faults.take(Target::Acquirer), Some(Fault::Drop));
    assert_eq!(faults.take(Target::Artifacts), None);
}

#[test]
fn only_so_many_faults_wait() {
    let faults = Faults::default();

    assert_eq!(faults.inject(Target::Directory, Fault::Drop, 0), Err(FaultError::Count));
    assert_eq!(faults.inject(Target::Directory, Fault::Drop, Faults::MAX_COUNT + 1), Err(FaultError::Count));
    for _ in 0..Faults::MAX_WAITING {
        faults.inject(Target::Directory, Fault::Drop, Faults::MAX_COUNT).unwrap();
    }
    assert_eq!(faults.inject(Target::Directory, Fault::Drop, 1), Err(FaultError::TooMany));
}

#[test]
fn every_fault_can_be_spelled() {
    for target in Target::ALL {
        for fault in Fault::ALL {
            let parsed = ParsedFault::parse(target.as_str(), fault.as_str(), Some(7));

            assert_eq!(parsed, Ok(ParsedFault { target, fault, count: 7 }));
        }
    }
}

#[test]
fn a_fault_happens_once_by_default() {
    assert_eq!(ParsedFault::parse("directory", "drop", None).unwrap().count, 1);
}

#[test]
fn an_invalid_fault_is_refused_by_field() {
    assert_eq!(ParsedFault::parse("bank", "drop", None), Err(FaultError::Target));
    assert_eq!(ParsedFault::parse("directory", "Drop", None), Err(FaultError::Fault));
    assert_eq!(ParsedFault::parse("directory", "drop", Some(0)), Err(FaultError::Count));
    assert_eq!(ParsedFault::parse("directory", "drop", Some(u64::MAX)), Err(FaultError::Count));
}
