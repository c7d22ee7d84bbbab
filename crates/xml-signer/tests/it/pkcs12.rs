//! Files as certification authorities issue them.

use std::{error::Error, fs};

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
    let [opened] = opened.as_slice() else { panic!("{} certificates", opened.len()) };
    assert_eq!(opened.identity.certificate, ANA.opened.identity.certificate);
    assert_eq!(opened.identity.private_key, ANA.opened.identity.private_key);
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../../fixtures/p12/{name}.p12", env!("CARGO_MANIFEST_DIR"))).unwrap()
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
        "-inkey key.pem -legacy -certpbe PBE-SHA1-RC2-128 -keypbe PBE-SHA1-2DES",
        "-inkey key.pem -legacy -certpbe PBE-SHA1-RC4-128 -keypbe PBE-SHA1-RC4-40",
        "-inkey key.pem -keypbe DES-EDE3-CBC -certpbe AES-192-CBC -macalg sha384",
        "-inkey key.pem -keypbe NONE -certpbe NONE -macalg sha224",
        "-inkey key.pem -iter 1 -nomaciter",
        "-inkey key.pem -legacy -nomac",
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
fn a_wrong_password_is_reported() {
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

/// Files of other tools, with their passwords.
#[test]
fn the_files_of_every_tool_are_opened() {
    for (name, password) in [
        ("good", "trial"),
        ("nss_default", "trial"),
        ("ber_indef", "trial"),
        ("legacy_rc4", "trial"),
        ("bouncycastle_segments", "trial123"),
        ("pbmac1", "trial123"),
        ("keytool_legacy", "trial123"),
        ("keytool_nomac", "trial123"),
        ("keytool_sha1aes", "trial123"),
        ("keytool_sha512", "trial123"),
    ] {
        let opened = read_pkcs12(&fixture(name), password).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let serial_numbers: Vec<_> = opened.iter().map(|it| it.serial_number.as_deref()).collect();
        assert_eq!(serial_numbers, [Some("IDCDO-00113918205")], "{name}");
        assert!(matches!(refusal(&fixture(name), "trial1234"), Pkcs12Invalid::WrongPassword), "{name}");
    }
}

#[test]
fn a_file_without_a_key_is_refused() {
    assert!(matches!(refusal(&made_by_openssl(PASSWORD, "-nokeys"), PASSWORD), Pkcs12Invalid::NoKey));
}

/// The day decides which of the certificates is used; this test does not.
#[test]
fn every_certificate_that_may_sign_is_returned_the_last_to_end_first() {
    let both = read_pkcs12(&with_chains(&[(&ANA, &[&ANA]), (&LUIS, &[&LUIS])]), PASSWORD).unwrap();
    assert_eq!(both.len(), 2);

    for (name, password) in [("renew_future_beside", "trial"), ("same2", "trial123")] {
        let opened = read_pkcs12(&fixture(name), password).unwrap();
        assert_eq!(opened.len(), 2, "{name}");
        assert!(opened[0].not_after > opened[1].not_after, "{name}");
        assert_eq!(opened[0].identity.private_key, opened[1].identity.private_key, "{name}");
    }
}

#[test]
fn only_the_signing_key_is_used() {
    let opened = read_pkcs12(&fixture("signing_and_encryption"), "trial123").unwrap();

    let alone = read_pkcs12(&fixture("keytool_sha512"), "trial123").unwrap();
    assert_eq!(opened.len(), 1);
    assert_eq!(opened[0].identity.certificate, alone[0].identity.certificate);
}

/// Ana's name, and extensions in the syntax of `openssl`.
fn made_with_extensions(subject: &str, extensions: &[&str]) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let config = format!("[req]\ndistinguished_name=name\n[name]\n[own]\n{}\n", extensions.join("\n"));
    fs::write(folder.path().join("own.cnf"), config).unwrap();
    let make = "req -x509 -config own.cnf -extensions own -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem";
    openssl(folder.path(), PASSWORD, &format!("{make} -days 30 -subj {subject}"));
    let export = "pkcs12 -export -inkey key.pem -in certificate.pem -out file.p12 -passout env:PASSWORD";
    openssl(folder.path(), PASSWORD, export);
    fs::read(folder.path().join("file.p12")).unwrap()
}

/// RFC 5280, 4.2.1.3, 4.2.1.9 and 4.2.1.12.
#[test]
fn a_certificate_for_another_purpose_is_refused() {
    const PERSON: &str = "/CN=Ana/serialNumber=IDCDO-00113918205";
    let check = |subject: &str, extensions: &[&str], expected: Option<&str>| {
        let refused = read_pkcs12(&made_with_extensions(subject, extensions), PASSWORD).err();
        let reason = refused.map(|it| it.source().map(ToString::to_string).unwrap_or_default());
        match (expected, &reason) {
            (None, None) => {}
            (Some(word), Some(reason)) if reason.contains(word) => {}
            _ => panic!("{subject} {extensions:?}: {reason:?}"),
        }
    };
    check(PERSON, &[], None);
    check(PERSON, &["keyUsage=digitalSignature"], None);
    check(PERSON, &["keyUsage=nonRepudiation,keyEncipherment", "extendedKeyUsage=clientAuth,emailProtection"], None);
    check(PERSON, &["extendedKeyUsage=serverAuth,1.3.6.1.5.5.7.3.36"], None);
    check(PERSON, &["extendedKeyUsage=anyExtendedKeyUsage"], None);
    check(
        PERSON,
        &["keyUsage=keyEncipherment,dataEncipherment"],
        Some("digitalSignature or nonRepudiation is missing"),
    );
    check(PERSON, &["keyUsage=keyAgreement"], Some("digitalSignature or nonRepudiation is missing"));
    check(PERSON, &["keyUsage=digitalSignature", "extendedKeyUsage=serverAuth"], Some("is serverAuth alone"));
    check(PERSON, &["extendedKeyUsage=serverAuth,clientAuth"], Some("is serverAuth, clientAuth alone"));
    check(PERSON, &["extendedKeyUsage=timeStamping"], Some("is timeStamping alone"));
    check(
        PERSON,
        &["basicConstraints=CA:TRUE", "keyUsage=digitalSignature,keyCertSign"],
        Some("certification authority"),
    );
    check("/CN=Root", &["basicConstraints=CA:TRUE"], Some("certification authority"));
    // A trial certificate as `openssl req -x509` creates it.
    check(PERSON, &["basicConstraints=CA:TRUE"], None);
    check(PERSON, &["basicConstraints=CA:TRUE", "keyUsage=digitalSignature"], None);
    for name in ["enc", "tls"] {
        assert!(matches!(refusal(&fixture(name), "trial"), Pkcs12Invalid::NotForSigning(_)), "{name}");
    }
}

#[test]
fn an_encryption_that_is_unknown_is_named() {
    let file = made_by_openssl(PASSWORD, "-inkey key.pem -keypbe CAMELLIA-256-CBC -certpbe CAMELLIA-256-CBC");

    assert!(
        matches!(refusal(&file, PASSWORD), Pkcs12Invalid::UnknownEncryption(name) if name == "1.2.840.113549.1.5.13")
    );
}

/// Every byte is changed, and every length is cut: no input causes a panic.
#[test]
fn a_damaged_file_is_refused_or_read() {
    let file = fixture("bouncycastle_segments");
    for at in 0..120 {
        let mut damaged = file.clone();
        damaged[at] ^= 0x80;
        let _ = read_pkcs12(&damaged, "trial123");
        let _ = read_pkcs12(&file[..at * 20], "trial123");
    }
    let endless = [0x30, 0x80].repeat(400_000);
    assert!(matches!(refusal(&endless, "trial123"), Pkcs12Invalid::Unreadable(_)));
}

#[test]
fn a_key_that_is_not_rsa_is_refused() {
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
fn another_kind_of_file_is_refused() {
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
fn an_error_contains_no_secret() {
    let file = made_by_openssl(PASSWORD, "-inkey key.pem");
    let error = refusal(&file, "hunter2");

    assert!(!format!("{error} {error:?}").contains("hunter2"));
}
