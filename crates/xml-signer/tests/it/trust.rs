//! Trust in certificates that `openssl` creates.

use std::{fs, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use tempfile::TempDir;
use x509_parser::parse_x509_certificate;
use xml_signer::TrustStore;

use crate::support::openssl;

/// Creates an authority `name` for two days, and a certificate for Ana for three: PEM of the authority, DER of Ana's.
fn authority(folder: &Path, name: &str, is_authority: bool) -> (Vec<u8>, Vec<u8>) {
    let may = if is_authority { "CA:TRUE" } else { "CA:FALSE" };
    let begin = "req -x509 -newkey rsa:2048 -nodes -days 2 -sha256";
    openssl(
        folder,
        "",
        &format!("{begin} -subj /CN=AC -addext basicConstraints=critical,{may} -keyout {name}.key -out {name}.pem"),
    );
    openssl(
        folder,
        "",
        &format!("req -new -newkey rsa:2048 -nodes -subj /CN=ANA -keyout {name}-ana.key -out {name}-ana.csr"),
    );
    openssl(
        folder,
        "",
        &format!(
            "x509 -req -sha384 -in {name}-ana.csr -CA {name}.pem -CAkey {name}.key -set_serial 7 -days 3 -out {name}-ana.pem"
        ),
    );
    let read = |file: String| fs::read(folder.join(file)).unwrap();
    let pem = String::from_utf8(read(format!("{name}-ana.pem"))).unwrap();
    let body: String = pem.lines().filter(|it| !it.starts_with("-----")).collect();
    (read(format!("{name}.pem")), STANDARD.decode(body).unwrap())
}

/// So many hours after a certificate began.
fn hour(certificate: &[u8], hours: i64) -> DateTime<Utc> {
    let (_, certificate) = parse_x509_certificate(certificate).unwrap();
    let began = DateTime::from_timestamp(certificate.validity().not_before.timestamp(), 0).unwrap();
    began + TimeDelta::hours(hours)
}

#[test]
fn an_authority_is_checked_by_key_and_not_by_name() {
    let folder = TempDir::new().unwrap();
    let (one, anas) = authority(folder.path(), "one", true);
    let (other, _) = authority(folder.path(), "other", true);
    let trusting = |pem: &[u8]| TrustStore::read(pem).unwrap();

    assert!(trusting(&one).vouch_for(&anas, hour(&anas, 1)));
    assert!(!trusting(&other).vouch_for(&anas, hour(&anas, 1)), "its name is the same, its key is not");
    assert!(trusting(&[other, one].concat()).vouch_for(&anas, hour(&anas, 1)), "one of several is enough");
    assert!(!trusting(&fs::read(folder.path().join("other-ana.pem")).unwrap()).vouch_for(&anas, hour(&anas, 1)));
    assert!(
        trusting(&fs::read(folder.path().join("one-ana.pem")).unwrap()).vouch_for(&anas, hour(&anas, 1)),
        "it is trusted itself"
    );
}

/// The certificates' validity at the time of the signature counts.
#[test]
fn an_expired_certificate_is_not_trusted() {
    let folder = TempDir::new().unwrap();
    let (one, anas) = authority(folder.path(), "one", true);
    let (by_authority, by_itself) = (
        TrustStore::read(&one).unwrap(),
        TrustStore::read(&fs::read(folder.path().join("one-ana.pem")).unwrap()).unwrap(),
    );

    let vouched = [-1, 0, 47, 49, 71, 73].map(|hours| {
        let at = hour(&anas, hours);
        (by_authority.vouch_for(&anas, at), by_itself.vouch_for(&anas, at))
    });

    let both = (true, true);
    let neither = (false, false);
    assert_eq!(vouched, [neither, both, both, (false, true), (false, true), neither]);
}

#[test]
fn a_certificate_that_may_not_issue_is_no_authority() {
    let folder = TempDir::new().unwrap();
    let (nobody, anas) = authority(folder.path(), "nobody", false);

    assert!(!TrustStore::read(&nobody).unwrap().vouch_for(&anas, hour(&anas, 1)));
    assert!(!TrustStore::read(&nobody).unwrap().vouch_for(b"no certificate", hour(&anas, 1)));
}

#[test]
fn a_file_without_certificates_is_not_trusted() {
    let nonsense = ["", "nonsense", "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n"];

    for text in nonsense {
        assert!(TrustStore::read(text.as_bytes()).is_err(), "{text}");
    }
}
