use std::{fs, path::Path};

use app::{Ports, Tenant, operator::import_certificate};
use domain::{CertificateId, fiscal::CertificateFacts};
use serde_json::json;
use xml_signer::read_pkcs12;
use zeroize::Zeroizing;

use super::{ports, print, tenant};
use crate::{
    config::{CertificateCommand, CertificateFile},
    failure::{Context, Done, Failure},
};

pub(crate) async fn run(CertificateCommand::Import { tenant: options, file }: CertificateCommand) -> Done {
    let password = password(&file)?;
    let pkcs12 = read(&file.file)?;
    let id = import(&ports(&options.operator).await?, &tenant(&options), &pkcs12, &password).await?;
    print(&json!({ "certificateId": id.as_str() }))
}

/// Keeps the certificate in a PKCS#12 file; from then on the tenant signs with it.
pub(crate) async fn import(ports: &Ports, tenant: &Tenant, pkcs12: &[u8], password: &str) -> Done<CertificateId> {
    let opened = read_pkcs12(pkcs12, password).or_fail("the certificate was not imported")?;
    let facts =
        CertificateFacts { subject: opened.subject, not_before: opened.not_before, not_after: opened.not_after };
    let imported = import_certificate(ports, tenant, &opened.identity, facts).await;
    imported.or_fail("the certificate was not imported")
}

fn password(file: &CertificateFile) -> Done<Zeroizing<String>> {
    if let Some(path) = &file.password_file {
        let text = String::from_utf8(read(path)?.to_vec()).map(Zeroizing::new);
        let text = text.map_err(|_| Failure::new(format!("{} is not text", path.display())))?;
        return Ok(Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()));
    }
    let missing = "the password is missing: give --password-file, or set COBRO_CERTIFICATE_PASSWORD";
    CertificateFile::password_in_environment().ok_or_else(|| Failure::new(missing))
}

fn read(path: &Path) -> Done<Zeroizing<Vec<u8>>> {
    fs::read(path).map(Zeroizing::new).or_fail(format!("{} cannot be read", path.display()))
}
