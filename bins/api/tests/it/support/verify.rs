use std::{fs, process::Command};

use tempfile::TempDir;

/// Whether the signature holds, with the certificate that the document carries.
pub(crate) fn is_verified_by_xmlsec1(xml: &[u8]) -> bool {
    let text = std::str::from_utf8(xml).unwrap();
    let (_, rest) = text.split_once("<X509Certificate>").unwrap();
    let (certificate, _) = rest.split_once("</X509Certificate>").unwrap();
    let lines: Vec<&str> = certificate.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let pem = format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", lines.join("\n"));

    let folder = TempDir::new().unwrap();
    let (document, trusted) = (folder.path().join("document.xml"), folder.path().join("certificate.pem"));
    fs::write(&document, xml).unwrap();
    fs::write(&trusted, pem).unwrap();
    let verified = Command::new("xmlsec1").arg("--verify").arg("--trusted-pem").arg(trusted).arg(document).output();
    verified.expect("xmlsec1 is installed").status.success()
}
