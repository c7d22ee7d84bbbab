//! Two signers, and external verifiers.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    sync::LazyLock,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, TimeZone, Utc};
use ports::{DocumentSigner, Signatory, SignatureInvalid, SignedXml};
use tempfile::TempDir;
use xml_signer::{Pkcs12, SelfSigned, XmlSigner, read_pkcs12, self_signed_certificate};

/// A signer: file, password, and opened file.
pub(crate) struct Person {
    pub(crate) file: SelfSigned,
    pub(crate) opened: Pkcs12,
}

pub(crate) static ANA: LazyLock<Person> = LazyLock::new(|| person("ANA NÚÑEZ", "IDCDO-00113918205"));
pub(crate) static LUIS: LazyLock<Person> = LazyLock::new(|| person("LUIS PEÑA", "IDCDO-00100000009"));

fn person(name: &str, serial_number: &str) -> Person {
    let file = self_signed_certificate(name, serial_number, year(2020), year(2049)).unwrap();
    let opened = read_pkcs12(&file.pkcs12, &file.password).unwrap().remove(0);
    Person { file, opened }
}

pub(crate) fn year(year: i32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(year, 1, 1, 0, 0, 0).unwrap()
}

pub(crate) async fn sign(person: &Person, document: &str) -> SignedXml {
    XmlSigner::new().sign(&person.opened.identity, document.to_owned()).await.unwrap()
}

pub(crate) async fn verify(document: &str) -> Result<Signatory, SignatureInvalid> {
    XmlSigner::new().verify(document.as_bytes()).await
}

/// Whether `xmlsec1`, which shares no line with us, finds the signature good.
pub(crate) fn xmlsec1_accepts(person: &Person, document: impl AsRef<[u8]>) -> bool {
    let folder = TempDir::new().unwrap();
    let (file, certificate) = (folder.path().join("document.xml"), folder.path().join("certificate.der"));
    fs::write(&file, document).unwrap();
    fs::write(&certificate, &person.opened.identity.certificate).unwrap();

    let output = run(Command::new("xmlsec1").arg("--verify").arg("--trusted-der").arg(certificate).arg(file));
    output.status.success()
}

/// A template filled in by `xmlsec1`.
pub(crate) fn signed_by_xmlsec1(person: &Person, template: &str) -> String {
    String::from_utf8(bytes_signed_by_xmlsec1(person, template.as_bytes())).unwrap()
}

/// Signs a template in any encoding, which `xmlsec1` keeps.
pub(crate) fn bytes_signed_by_xmlsec1(person: &Person, template: &[u8]) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let (file, key) = (folder.path().join("template.xml"), folder.path().join("key.p12"));
    fs::write(&file, template).unwrap();
    fs::write(&key, &person.file.pkcs12).unwrap();

    let mut command = Command::new("xmlsec1");
    command.args(["--sign", "--pwd", &person.file.password, "--pkcs12"]).arg(key).arg(file);
    let output = run(&mut command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Runs `openssl` in `folder`; the password is `$PASSWORD`.
pub(crate) fn openssl(folder: &Path, password: &str, arguments: &str) {
    let mut command = Command::new("openssl");
    command.current_dir(folder).env("PASSWORD", password).args(arguments.split_whitespace());
    let output = run(&mut command);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn run(command: &mut Command) -> Output {
    let program = command.get_program().to_owned();
    command.output().unwrap_or_else(|error| panic!("these tests need {program:?} installed: {error}"))
}

pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let base64 = STANDARD.encode(der);
    let lines: Vec<&str> = (0..base64.len()).step_by(64).map(|at| &base64[at..base64.len().min(at + 64)]).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}
