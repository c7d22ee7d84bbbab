use std::path::Path;

use app::{Ports, Tenant, operators::import_certificates};
use chrono::{DateTime, Utc};
use domain::{CertificateId, fiscal::OfferedCertificate};
use ports::Clock;
use serde_json::{Value, json};
use xml_signer::{Pkcs12, Pkcs12Invalid, certificate_names, read_pkcs12};
use zeroize::Zeroizing;

use super::{listed, ports, print, tenant};
use crate::{
    clock::SystemClock,
    config::{CertificateCommand, CertificateFile, ListOptions},
    failure::{Context, Done, Failure},
    text_file,
};

pub(crate) async fn run(command: CertificateCommand) -> Done {
    let (options, file) = match command {
        CertificateCommand::Import { tenant, file } => (tenant, file),
        CertificateCommand::List(options) => return list(&options).await,
    };
    let password = password(&file)?;
    let pkcs12 = text_file::bytes(&file.file)?;
    let opened = read_pkcs12(&pkcs12, &password).map_err(|why| refused(why, &file.file))?;
    let ports = ports(&options.operator).await?;
    let imported = import(&ports, &tenant(&options), opened).await?;
    print(&of_import(&imported, ports.clock.now()))
}

/// Lists the certificates of a tenant. One signs; the others take over on their first day or have expired.
async fn list(options: &ListOptions) -> Done {
    let (stores, tenants) = listed(options).await?;
    let now = SystemClock.now();
    for tenant in tenants {
        let all = stores.database.certificates(&tenant).await.or_fail("the certificates cannot be read")?;
        let present = stores.database.certificate(&tenant, now).await.or_fail("the certificates cannot be read")?;
        let present = present.map(|it| it.id);
        for it in &all {
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
                "isInForce": present.as_ref() == Some(&it.id) && it.facts.is_valid(now),
                "takesOverAt": (it.takes_effect_at() > now).then(|| it.takes_effect_at().to_rfc3339()),
            }))?;
        }
    }
    Ok(())
}

/// Stores the certificates of a PKCS#12 file. The first signs from now on, the others from their first day.
pub(crate) async fn import(
    ports: &Ports,
    tenant: &Tenant,
    opened: Vec<Pkcs12>,
) -> Done<Vec<(CertificateId, OfferedCertificate)>> {
    let offered = opened.into_iter().map(Pkcs12::into_offer).collect();
    import_certificates(ports, tenant, offered).await.or_fail("the certificate was not imported")
}

/// Describes the certificate that signs, with holder and expiry, and the certificates that take over.
fn of_import(imported: &[(CertificateId, OfferedCertificate)], now: DateTime<Utc>) -> Value {
    let mut all = imported.iter().map(of_certificate);
    let mut answer = all.next().unwrap_or_default();
    answer["later"] = all.collect();
    let mut warnings = Vec::new();
    if let Some((_, first)) = imported.first() {
        if !first.facts.is_valid(now) {
            warnings.push(format!("it signs from {} on and not before", first.facts.not_before.to_rfc3339()));
        } else if first.facts.is_expiring(now) && imported.len() == 1 {
            warnings.push(format!("it ends on {}", first.facts.not_after.to_rfc3339()));
        }
        if !first.names_taxpayer() {
            let missing = "its subject has no serialNumber (SN) that is an RNC, a cédula or a passport, as in \
                           IDCDO-00113918205: DGII refuses documents that it signs";
            warnings.push(missing.to_owned());
        }
    }
    answer["warnings"] = warnings.into();
    answer
}

fn of_certificate((id, certificate): &(CertificateId, OfferedCertificate)) -> Value {
    json!({
        "certificateId": id.as_str(),
        "subject": certificate.facts.subject,
        "serialNumber": certificate.serial_number,
        "from": certificate.facts.not_before.to_rfc3339(),
        "until": certificate.facts.not_after.to_rfc3339(),
    })
}

/// OpenSSL supports every encryption in use and can rewrite a file that we cannot decrypt.
fn refused(why: Pkcs12Invalid, path: &Path) -> Failure {
    let Pkcs12Invalid::UnknownEncryption(_) = why else {
        return Failure::because("the certificate was not imported", &why);
    };
    let path = path.display().to_string().replace('\'', r"'\''");
    Failure::because(
        format!(
            "the certificate was not imported. OpenSSL 3 rewrites the file; remove key.pem afterwards:\n\
             openssl pkcs12 -legacy -in '{path}' -nodes -out key.pem\n\
             openssl pkcs12 -export -in key.pem -out certificate.p12\n\
             The reason"
        ),
        &why,
    )
}

fn password(file: &CertificateFile) -> Done<Zeroizing<String>> {
    if let Some(path) = &file.password_file {
        return text_file::read_password(path);
    }
    let missing = "the password is missing: give --password-file, or set COBRO_CERTIFICATE_PASSWORD";
    CertificateFile::password_in_environment().ok_or_else(|| Failure::new(missing))
}
