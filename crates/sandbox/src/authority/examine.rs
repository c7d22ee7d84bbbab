//! Examination of a signed document, without any other data.

use chrono::{DateTime, NaiveDateTime, Utc};
use domain::{
    fiscal::{DocumentKind, Observation, Route, local_time},
    text::{UnsupportedEncoding, decode_xml},
};
use ports::{DocumentSigner, Signatory};

use super::{
    element::{self, MalformedXml, XmlElement},
    judge, parsed, reference_rules,
    refusal::{self, DocumentRefusal},
    schemas::{SchemaFilesError, Schemas},
    totals, values,
};

/// A document without errors.
#[derive(Debug)]
pub struct Examination {
    /// The authority's code of the type, such as `32`.
    pub ecf_type: String,
    /// Number.
    pub number: String,
    /// Tax id of the issuer.
    pub issuer: String,
    /// Stated total.
    pub total: String,
    /// Security code of the authority and of the printed document.
    pub security_code: String,
    /// Signatory.
    pub signatory: Signatory,
    /// Stated time of the signature; if missing, the time of the examination.
    pub signed_at: DateTime<Utc>,
    /// Differences above the authority's tolerance that do not invalidate the document.
    pub remarks: Vec<Observation>,
    /// Parts that cannot be checked.
    pub unchecked: Vec<String>,
}

/// The examination found an error, or failed.
#[derive(Debug, thiserror::Error)]
pub enum ExamineError {
    /// First error of the document, a sentence.
    #[error("{0}")]
    Invalid(String),
    /// The schemas are unusable.
    #[error("the schemas cannot be used: {0}")]
    Schemas(#[from] SchemaFilesError),
}

impl From<String> for ExamineError {
    fn from(fault: String) -> Self {
        Self::Invalid(fault)
    }
}

/// Checks form, signature, certificate and schema, the sums of the types of card sales and their credit notes, and the
/// reference to a modified document as far as the document alone shows.
///
/// # Errors
///
/// [`ExamineError::Invalid`] with the first error, [`ExamineError::Schemas`] if the schema of the document is unusable.
pub async fn examine(
    bytes: &[u8],
    signer: &dyn DocumentSigner,
    schemas: &Schemas,
    now: DateTime<Utc>,
) -> Result<Examination, ExamineError> {
    // Every step examines the same text in any declared encoding.
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| sentence(MalformedXml(reason)))?;
    let bytes = text.as_bytes();
    let root = element::read(bytes).map_err(sentence)?;
    let head = DocumentHead::of(&root).map_err(sentence)?;
    let verified = signer.verify(bytes).await;
    let signatory = verified.map_err(|it| format!("The signature does not hold: {}.", it.reason))?;
    let mut unchecked = Vec::new();
    let signed_at = check_times(&head, &signatory, now, &mut unchecked)?;

    let fault = schemas.fault(head.route, &head.ecf_type, bytes.to_vec()).await?;
    fault.map_or(Ok(()), |it| Err(format!("The document does not follow its schema: {it}.")))?;
    let remarks = match check_sums(bytes, &head)? {
        Sums::Checked(remarks) => remarks,
        Sums::Unchecked(reason) => {
            unchecked.push(format!("the sums: {reason}"));
            Vec::new()
        }
    };
    if reference_rules::check(&root, &head.ecf_type, &head.total)? {
        unchecked.push("the modified document".to_owned());
    }
    let DocumentHead { ecf_type, number, issuer, total, security_code, .. } = head;
    Ok(Examination { ecf_type, number, issuer, total, security_code, signatory, signed_at, remarks, unchecked })
}

/// Result of the check of buyer and sums.
enum Sums {
    /// Buyer and sums are right, apart from these remarks.
    Checked(Vec<Observation>),
    /// The sums of the document are not computed here, for this reason.
    Unchecked(String),
}

/// Refusals for limits of this check: the authority has rules for these parts.
const NOT_COMPUTED: [DocumentRefusal; 4] =
    [refusal::OTHER_TAX, refusal::ADJUSTMENTS, refusal::TAX_INCLUSION_MISSING, refusal::BUYER_UNKNOWN];

/// Checks buyer and sums, for the document types of card sales and of their credit notes.
fn check_sums(bytes: &[u8], head: &DocumentHead) -> Result<Sums, String> {
    if !DocumentKind::ALL.iter().any(|kind| kind.ecf_type().to_string() == head.ecf_type) {
        return Ok(Sums::Unchecked(format!("the document is of type {}", head.ecf_type)));
    }
    let document = match parsed::read(bytes) {
        Ok(document) => document,
        Err(MalformedXml(reason)) => return Ok(Sums::Unchecked(reason.to_owned())),
    };
    match judge::check_buyer(&document).and_then(|()| totals::check(&document)) {
        Ok(remarks) => Ok(Sums::Checked(remarks)),
        Err(refusal) if NOT_COMPUTED.contains(&refusal) => Ok(Sums::Unchecked(refusal.meaning.to_owned())),
        Err(refusal) => Err(refusal.meaning.to_owned()),
    }
}

/// Common head of all types.
struct DocumentHead {
    route: Route,
    ecf_type: String,
    number: String,
    issuer: String,
    total: String,
    security_code: String,
    signed_at: Option<NaiveDateTime>,
}

impl DocumentHead {
    fn of(root: &XmlElement) -> Result<Self, MalformedXml> {
        let route = match root.name.as_str() {
            "ECF" => Route::Full,
            "RFCE" => Route::Summary,
            _ => return Err(MalformedXml("it is neither an e-CF nor a summary of one")),
        };
        let header = root.required("Encabezado")?;
        let identity = header.required("IdDoc")?;
        let signature = root.child("Signature").ok_or(MalformedXml("it is not signed"))?;
        let signed_at = match route {
            Route::Full => Some(values::instant(&root.required("FechaHoraFirma")?.text)?),
            Route::Summary => None,
        };
        let number = identity.required_text("eNCF")?.trim().to_owned();
        let ecf_type = identity.required_text("TipoeCF")?.trim().to_owned();
        if number.get(1..3) != Some(ecf_type.as_str()) {
            return Err(MalformedXml("its number and its type do not match"));
        }
        Ok(Self {
            route,
            ecf_type,
            number,
            issuer: header.required("Emisor")?.required_text("RNCEmisor")?.trim().to_owned(),
            total: header.required("Totales")?.required_text("MontoTotal")?.trim().to_owned(),
            security_code: parsed::security_code(header, signature, route)?,
            signed_at,
        })
    }
}

/// Returns the stated time of the signature: not in the future, and not after the end of the certificate. A certificate
/// that begins later must be valid now, and the stated time is then listed in `unchecked`.
fn check_times(
    head: &DocumentHead,
    signatory: &Signatory,
    now: DateTime<Utc>,
    unchecked: &mut Vec<String>,
) -> Result<DateTime<Utc>, String> {
    let signed_at = head.signed_at.unwrap_or_else(|| local_time(now));
    if signed_at > local_time(judge::latest(now)) {
        return Err("The document was signed in the future.".to_owned());
    }
    let Signatory { not_before, not_after, .. } = signatory;
    let first_day = not_before.date_naive();
    if signed_at > local_time(*not_after) || now < *not_before {
        let last_day = not_after.date_naive();
        return Err(format!(
            "The certificate was not in force when the document was signed: it is from {first_day} to {last_day}."
        ));
    }
    if signed_at < local_time(*not_before) {
        unchecked.push(format!("the time of signing: the certificate begins after it, on {first_day}"));
    }
    let ago = local_time(now).signed_duration_since(signed_at);
    Ok(now.checked_sub_signed(ago).unwrap_or(now))
}

fn sentence(MalformedXml(what): MalformedXml) -> String {
    format!("The document cannot be read: {what}.")
}
