//! The files that certification authorities hand out.

use std::fs;

use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
use tempfile::TempDir;
use xml_signer::{Pkcs12Invalid, read_pkcs12};

use crate::support::{ANA, LUIS, Person, openssl, pem, year};

const PASSWORD: &str = "Clave-Ñ1";

/// Ana's key and certificate, put into a file by `openssl` with these options.
fn made_by_openssl(password: &str, options: &str) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let identity = &ANA.opened.identity;
    fs::write(folder.path().join("key.pem"), pem("PRIVATE KEY", &identity.private_key)).unwrap();
    fs::write(folder.path().join("certificate.pem"), pem("CERTIFICATE", &identity.certificate)).unwrap();

    let export = "pkcs12 -export -in certificate.pem -out file.p12 -passout env:PASSWORD";
    openssl(folder.path(), password, &format!("{export} {options}"));
    fs::read(folder.path().join("file.p12")).unwrap()
}

/// A file in which the certificates come in this order, the first one marked as the key's.
fn with_chains(chains: &[(&Person, &[&Person])]) -> Vec<u8> {
    let mut store = KeyStore::new();
    for (at, (owner, certificates)) in chains.iter().enumerate() {
        let key = PrivateKey::from_der(&owner.opened.identity.private_key).unwrap();
        let certificates =
            certificates.iter().map(|it| Certificate::from_der(&it.opened.identity.certificate).unwrap());
        let chain = PrivateKeyChain::new("marked", key, certificates);
        store.add_entry(&format!("entry {at}"), KeyStoreEntry::PrivateKeyChain(chain));
    }
    store.writer(PASSWORD).write().unwrap()
}

#[track_caller]
fn is_anas(file: &[u8], password: &str) {
    let opened = read_pkcs12(file, password).unwrap_or_else(|error| panic!("{error}: {error:?}"));
    assert_eq!(opened.identity.certificate, ANA.opened.identity.certificate);
    assert_eq!(opened.identity.private_key, ANA.opened.identity.private_key);
}

fn refusal(file: &[u8], password: &str) -> Pkcs12Invalid {
    read_pkcs12(file, password).err().expect("the file is refused")
}

#[test]
fn old_and_new_files_are_opened() {
    for options in [
        "-inkey key.pem",
        "-inkey key.pem -macalg sha512 -keypbe AES-128-CBC -certpbe AES-128-CBC",
        "-inkey key.pem -legacy",
        "-inkey key.pem -legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-RC2-40",
        "-inkey key.pem -legacy -certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES",
        "-inkey key.pem -nomac",
    ] {
        is_anas(&made_by_openssl(PASSWORD, options), PASSWORD);
    }
}

#[test]
fn an_empty_password_is_a_password() {
    for options in ["-inkey key.pem", "-inkey key.pem -legacy"] {
        is_anas(&made_by_openssl("", options), "");
    }
}

#[test]
fn a_wrong_password_is_told() {
    for options in ["-inkey key.pem", "-inkey key.pem -legacy"] {
        let file = made_by_openssl(PASSWORD, options);

        for wrong in ["", "clave-Ñ1", "Clave-N1"] {
            assert!(matches!(refusal(&file, wrong), Pkcs12Invalid::WrongPassword));
        }
    }
}

#[test]
fn the_subject_and_its_dates_are_read() {
    let opened = &ANA.opened;

    assert_eq!(opened.subject, "C=DO, serialNumber=IDCDO-00113918205, CN=ANA NÚÑEZ");
    assert_eq!(opened.serial_number.as_deref(), Some("IDCDO-00113918205"));
    assert_eq!((opened.not_before, opened.not_after), (year(2020), year(2049)));
}

#[test]
fn the_certificate_is_the_one_that_owns_the_key_and_not_the_first() {
    is_anas(&with_chains(&[(&ANA, &[&LUIS, &ANA])]), PASSWORD);
}

#[test]
fn a_key_without_its_certificate_is_refused() {
    let (others, none) = (with_chains(&[(&ANA, &[&LUIS])]), made_by_openssl(PASSWORD, "-inkey key.pem -nocerts"));

    assert!(matches!(refusal(&others, PASSWORD), Pkcs12Invalid::NoCertificate));
    assert!(matches!(refusal(&none, PASSWORD), Pkcs12Invalid::NoCertificate));
}

#[test]
fn no_key_or_two_keys_are_refused() {
    let (none, two) = (made_by_openssl(PASSWORD, "-nokeys"), with_chains(&[(&ANA, &[&ANA]), (&LUIS, &[&LUIS])]));

    assert!(matches!(refusal(&none, PASSWORD), Pkcs12Invalid::NoKey));
    assert!(matches!(refusal(&two, PASSWORD), Pkcs12Invalid::SeveralKeys));
}

#[test]
fn a_key_that_the_authority_would_not_take_is_refused() {
    for kind in ["rsa:1024", "ec -pkeyopt ec_paramgen_curve:P-256"] {
        let folder = TempDir::new().unwrap();
        let make = "req -x509 -nodes -subj /CN=Ana -keyout key.pem -out certificate.pem -newkey";
        openssl(folder.path(), PASSWORD, &format!("{make} {kind}"));
        let export = "pkcs12 -export -inkey key.pem -in certificate.pem -out file.p12 -passout env:PASSWORD";
        openssl(folder.path(), PASSWORD, export);

        let file = fs::read(folder.path().join("file.p12")).unwrap();
        assert!(matches!(refusal(&file, PASSWORD), Pkcs12Invalid::UnsuitableKey), "{kind}");
    }
}

#[test]
fn what_is_not_a_pkcs12_file_is_refused() {
    let file = made_by_openssl(PASSWORD, "-inkey key.pem");

    for bytes in [b"".as_slice(), b"-----BEGIN CERTIFICATE-----", &[0xff; 64]] {
        assert!(matches!(refusal(bytes, PASSWORD), Pkcs12Invalid::OtherFile));
    }
    assert!(matches!(refusal(&[0x30; 4096], PASSWORD), Pkcs12Invalid::Unreadable(_)));
    for len in (1..file.len()).step_by(97) {
        assert!(matches!(refusal(&file[..len], PASSWORD), Pkcs12Invalid::Unreadable(_)), "{len} bytes");
    }
}

#[test]
fn a_refusal_tells_no_secret() {
    let file = made_by_openssl(PASSWORD, "-inkey key.pem");
    let error = refusal(&file, "hunter2");

    assert!(!format!("{error} {error:?}").contains("hunter2"));
}
