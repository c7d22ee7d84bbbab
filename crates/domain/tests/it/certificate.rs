//! Choice of the certificates of a file that are stored, and of the one that signs.

use chrono::{DateTime, TimeDelta, Utc};
use cobro_domain::fiscal::{CertificateChoiceError, CertificateFacts, IssuerState, OfferedCertificate};

use crate::support::noon;

fn day(days: i64) -> DateTime<Utc> {
    noon() + TimeDelta::days(days)
}

fn facts(from: i64, until: i64) -> CertificateFacts {
    CertificateFacts { subject: "CN=Ana".to_owned(), not_before: day(from), not_after: day(until) }
}

fn offered(from: i64, until: i64) -> OfferedCertificate {
    OfferedCertificate { facts: facts(from, until), serial_number: Some("IDCDO-00113918205".to_owned()) }
}

#[track_caller]
fn check(offered: &[OfferedCertificate], expected: &[usize]) {
    assert_eq!(OfferedCertificate::choose(offered, noon()).as_deref(), Ok(expected));
}

#[test]
fn the_certificate_in_force_that_ends_last_is_chosen_and_those_that_begin_later_follow() {
    check(&[offered(-1, 300)], &[0]);
    check(&[offered(300, 700), offered(-1, 365)], &[1, 0]);
    check(&[offered(-9, 10), offered(-1, 365), offered(-700, -300)], &[1]);
    check(&[offered(40, 900), offered(-1, 365), offered(20, 500)], &[1, 2, 0]);
    // A certificate that begins later and ends sooner is not stored.
    check(&[offered(-1, 365), offered(20, 200)], &[0]);
    check(&[offered(20, 200)], &[0]);
}

#[test]
fn certificates_that_are_over_are_not_chosen() {
    assert_eq!(OfferedCertificate::choose(&[offered(-9, -1)], noon()), Err(CertificateChoiceError::Expired));
    assert_eq!(OfferedCertificate::choose(&[], noon()), Err(CertificateChoiceError::Expired));
}

#[test]
fn a_file_of_several_holders_is_refused() {
    let luis = OfferedCertificate { serial_number: Some("IDCDO-00100000009".to_owned()), ..offered(-1, 300) };
    let past = OfferedCertificate { serial_number: Some("IDCDO-00100000009".to_owned()), ..offered(-300, -1) };

    let several = OfferedCertificate::choose(&[offered(-1, 300), luis], noon());
    assert!(matches!(several, Err(CertificateChoiceError::SeveralHolders(_))), "{several:?}");
    check(&[past, offered(-1, 300)], &[1]);
}

#[test]
fn the_authority_knows_a_holder_by_rnc_cedula_or_passport() {
    let names = |serial_number: &str| {
        OfferedCertificate { serial_number: Some(serial_number.to_owned()), ..offered(0, 1) }.names_taxpayer()
    };
    for known in [
        "IDCDO-00113918205",
        "00113918205",
        "001-1391820-5",
        "101850043",
        "1-01-85004-3",
        "VATDO-101850043",
        "TINDO-101850043",
        "PASDO-SC1234567",
        "SC1234567",
    ] {
        assert!(names(known), "{known}");
    }
    for unknown in ["", "IDCDO-", "IDCDO-123", "PASDO-", "12345", "A/2026", "Ana", "IDCDO-0011391820A"] {
        assert!(!names(unknown), "{unknown}");
    }
    assert!(!OfferedCertificate { serial_number: None, ..offered(0, 1) }.names_taxpayer());
}

#[test]
fn a_certificate_signs_until_the_next_begins() {
    let issuer = IssuerState { ranges: Vec::new(), certificates: vec![facts(20, 400), facts(-9, 30)] };

    assert_eq!(issuer.certificate(noon()), Some(&facts(-9, 30)));
    assert_eq!(issuer.certificate(day(20)), Some(&facts(20, 400)));
    assert_eq!(issuer.certificate(day(500)), Some(&facts(20, 400)));
    assert_eq!(issuer.certificate(day(-10)), Some(&facts(-9, 30)), "the first to begin");
    assert_eq!(IssuerState::default().certificate(noon()), None);
}

#[test]
fn a_certificate_that_is_followed_does_not_run_out() {
    let lasting = |certificates| IssuerState { ranges: Vec::new(), certificates }.signs_beyond_notice(noon());

    assert!(lasting(vec![facts(-9, 31)]));
    assert!(!lasting(vec![facts(-9, 29)]));
    assert!(lasting(vec![facts(20, 400), facts(-9, 29)]));
    assert!(!lasting(vec![facts(40, 400), facts(-9, 29)]), "there is a gap between them");
    assert!(!lasting(Vec::new()));
}
