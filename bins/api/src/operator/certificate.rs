use std::{fs, path::Path};

use app::{Ports, Tenant, operator::import_certificate};
use domain::{CertificateId, fiscal::CertificateFacts};
use ports::Clock;
use serde_json::json;
use xml_signer::{certificate_names, read_pkcs12};
use zeroize::Zeroizing;

use super::{listed, ports, print, tenant};
use crate::{
    clock::SystemClock,
    config::{CertificateCommand, CertificateFile, ListOptions},
    failure::{Context, Done, Failure},
    stores::Stores,
};

pub(crate) async fn run(command: CertificateCommand) -> Done {
    let (options, file) = match command {
        CertificateCommand::Import { tenant, file } => (tenant, file),
        CertificateCommand::List(options) => return list(&options).await,
    };
    let password = password(&file)?;
    let pkcs12 = read(&file.file)?;
    let id = import(&ports(&options.operator).await?, &tenant(&options), &pkcs12, &password).await?;
    print(&json!({ "certificateId": id.as_str() }))
}

/// The newest is the one that documents are signed with; those before it are of no use but to know them.
async fn list(options: &ListOptions) -> Done {
    let stores = Stores::postgres(&options.database.url()?).await?;
    let now = SystemClock.now();
    for tenant in listed(&stores, options).await? {
        let all = stores.registry.certificates(&tenant).await.or_fail("the certificates cannot be read")?;
        for (index, it) in all.iter().enumerate() {
            let names = certificate_names(&it.certificate);
            print(&json!({
                "mode": tenant.mode.as_str(),
                "certificateId": it.id.as_str(),
                "serial": names.as_ref().map(|it| it.serial.as_str()),
                "subject": it.facts.subject,
                "issuer": names.as_ref().map(|it| it.issuer.as_str()),
                "from": it.facts.not_before.to_rfc3339(),
                "until": it.facts.not_after.to_rfc3339(),
                "importedAt": it.imported_at.to_rfc3339(),
                "isInForce": index == 0 && it.facts.is_valid(now),
            }))?;
        }
    }
    Ok(())
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
