use std::{fs::File, io::Read, path::Path};

use ports::Clock;
use sandbox::{Examination, ExamineError, Schemas, examine};
use serde_json::{Value, json};
use xml_signer::{TrustStore, XmlSigner};

use super::print;
use crate::{
    clock::SystemClock,
    config::EcfCommand,
    failure::{Context, Done, Failure},
};

/// One byte more than the maximum length of a document.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Verifies a signed document of any issuer, without network and without storing anything.
pub(crate) async fn run(command: EcfCommand) -> Done {
    let EcfCommand::Verify { file, schemas, trust } = command;
    let document = read(&file)?;
    let schemas = schemas.as_deref().map_or(Ok(Schemas::Own), Schemas::at).or_fail("the schemas cannot be used")?;
    let trusted = trust.as_deref().map(trusted).transpose()?;

    let examined = examine(&document, &XmlSigner::new(), &schemas, SystemClock.now()).await;
    let is_trusted =
        |it: &Examination| trusted.as_ref().map(|all| all.vouch_for(&it.signatory.certificate, it.signed_at));
    let result = examined.and_then(|it| match is_trusted(&it) {
        Some(false) => {
            Err("No trusted CA issued the certificate, or the certificate was not valid at the signing time."
                .to_owned()
                .into())
        }
        is_trusted => Ok(of_examination(&it, is_trusted)),
    });
    match result {
        Ok(shown) => print(&shown),
        Err(ExamineError::Schemas(unusable)) => Err(unusable).or_fail("the schemas cannot be used"),
        Err(ExamineError::Invalid(problem)) => {
            print(&json!({ "valid": false, "problem": problem }))?;
            Err(Failure::new(format!("{} is not valid. {problem}", file.display())))
        }
    }
}

fn of_examination(examined: &Examination, is_trusted: Option<bool>) -> Value {
    let remarks: Vec<_> = examined.remarks.iter().map(|it| json!({ "code": it.code, "message": it.message })).collect();
    json!({
        "valid": true,
        "ecfType": examined.ecf_type,
        "eNcf": examined.number,
        "issuer": examined.issuer,
        "total": examined.total,
        "securityCode": examined.security_code,
        "signedBy": examined.signatory.subject,
        "certificateNotAfter": examined.signatory.not_after.to_rfc3339(),
        // None without trusted CA certificates.
        "certificateTrusted": is_trusted,
        "remarks": remarks,
        "unchecked": examined.unchecked,
    })
}

fn trusted(path: &Path) -> Done<TrustStore> {
    TrustStore::read(&read(path)?).or_fail(format!("{} cannot be trusted", path.display()))
}

/// Reads the whole file, up to one byte too many.
fn read(path: &Path) -> Done<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes));
    read.or_fail(format!("{} cannot be read", path.display()))?;
    Ok(bytes)
}
