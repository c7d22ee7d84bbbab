//! Certificates without a certification authority.

use std::{error::Error, fs};

use chrono::TimeDelta;
use tempfile::TempDir;
use xml_signer::{read_pkcs12, self_signed_certificate};

use crate::support::{ANA, openssl, year};

#[test]
fn other_programs_open_the_file_too() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("file.p12"), &ANA.file.pkcs12).unwrap();

    openssl(folder.path(), &ANA.file.password, "pkcs12 -in file.p12 -passin env:PASSWORD -nodes -out all.pem");
    openssl(folder.path(), "", "x509 -in all.pem -noout -checkend 0");
    openssl(folder.path(), "", "rsa -in all.pem -noout -check");
}

#[test]
fn the_dates_are_kept_to_the_second() {
    let (from, until) = (year(2026) + TimeDelta::seconds(3_723), year(2062) + TimeDelta::seconds(86_399));
    let file = self_signed_certificate("ANA", "IDCDO-00113918205", from, until).unwrap();

    let opened = read_pkcs12(&file.pkcs12, &file.password).unwrap().remove(0);

    assert_eq!((opened.not_before, opened.not_after), (from, until));
}

#[test]
fn every_certificate_has_a_key_and_a_password_of_its_own() {
    let make = || self_signed_certificate("ANA", "IDCDO-00113918205", year(2020), year(2049)).unwrap();
    let (one, other) = (make(), make());

    let keys = [&one, &other].map(|it| read_pkcs12(&it.pkcs12, &it.password).unwrap().remove(0).identity.private_key);
    assert_ne!(keys[0], keys[1]);
    assert_ne!(one.password, other.password);
    assert_eq!(one.password.len(), 24);
}

#[test]
fn an_invalid_name_or_date_is_refused() {
    for (serial_number, from, until) in [
        ("IDCDO-ñ", year(2020), year(2049)),
        ("IDCDO-00113918205", year(2049), year(2020)),
        ("IDCDO-00113918205", year(2020), year(2020)),
        ("IDCDO-00113918205", year(1900), year(2049)),
        ("IDCDO-00113918205", year(2020), year(12_000)),
    ] {
        let error = self_signed_certificate("ANA", serial_number, from, until).err().expect("a refusal");
        assert!(error.source().is_some());
    }
}
