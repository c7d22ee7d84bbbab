//! A signed document of anybody, held against everything that can be told from it alone.

use chrono::{DateTime, NaiveDateTime, Utc};
use domain::{
    fiscal::{DocumentKind, Observation, Route, local_time},
    text::{UnsupportedEncoding, decode_xml},
};
use ports::{DocumentSigner, Signatory};

use super::{
    element::{self, Element, Malformed},
    judge, received,
    refusal::{self, Refusal},
    schemas::{SchemaFilesError, Schemas},
    totals, values,
};

/// A document in which no fault was found.
#[derive(Debug)]
pub struct Examination {
    /// The authority's code of its type, as in `32`.
    pub ecf_type: String,
    /// Its number.
    pub number: String,
    /// The taxpayer who issued it.
    pub issuer: String,
    /// Its total, as it states it.
    pub total: String,
    /// What the authority, and the paper, know it by.
    pub security_code: String,
    /// Who signed it.
    pub signatory: Signatory,
    /// When it says that it was signed; where it says nothing, when it was looked at.
    pub signed_at: DateTime<Utc>,
    /// What differs by more than the authority lets pass, and does not void it.
    pub remarks: Vec<Observation>,
    /// What could not be looked at.
    pub unchecked: Vec<String>,
}

/// Why a document is not found to be without a fault.
#[derive(Debug, thiserror::Error)]
pub enum ExamineError {
    /// The document has this fault, a sentence.
    #[error("{0}")]
    Invalid(String),
    /// The document could not be compared with a schema.
    #[error("the schemas cannot be used: {0}")]
    Schemas(#[from] SchemaFilesError),
}

impl From<String> for ExamineError {
    fn from(fault: String) -> Self {
        Self::Invalid(fault)
    }
}

/// Looks for faults: of form, signature, certificate and schema, and in the sums of the types that are sold by card.
///
/// # Errors
///
/// [`ExamineError::Invalid`] with the first fault, [`ExamineError::Schemas`] if the schema of the document is unusable.
pub async fn examine(
    bytes: &[u8],
    signer: &dyn DocumentSigner,
    schemas: &Schemas,
    now: DateTime<Utc>,
) -> Result<Examination, ExamineError> {
    // Every step examines the same text in any declared encoding.
    let text = decode_xml(bytes).map_err(|UnsupportedEncoding(reason)| sentence(Malformed(reason)))?;
    let bytes = text.as_bytes();
    let root = element::read(bytes).map_err(sentence)?;
    let head = Head::of(&root).map_err(sentence)?;
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
    let Head { ecf_type, number, issuer, total, security_code, .. } = head;
    Ok(Examination { ecf_type, number, issuer, total, security_code, signatory, signed_at, remarks, unchecked })
}

/// Result of the check of buyer and sums.
enum Sums {
    /// Buyer and sums are right, apart from these remarks.
    Checked(Vec<Observation>),
    /// The document has parts whose sums are not computed here, for this reason.
    Unchecked(String),
}

/// Refusals for limits of this check: the authority has rules for these parts.
const NOT_COMPUTED: [Refusal; 4] =
    [refusal::OTHER_TAX, refusal::ADJUSTMENTS, refusal::TAX_INCLUSION_MISSING, refusal::BUYER_UNKNOWN];

/// Checks buyer and sums, for the document types of card sales.
fn check_sums(bytes: &[u8], head: &Head) -> Result<Sums, String> {
    if !DocumentKind::ALL.iter().any(|kind| kind.ecf_type().to_string() == head.ecf_type) {
        return Ok(Sums::Unchecked(format!("the document is of type {}", head.ecf_type)));
    }
    let document = match received::read(bytes) {
        Ok(document) => document,
        Err(Malformed(reason)) => return Ok(Sums::Unchecked(reason.to_owned())),
    };
    match judge::check_buyer(&document).and_then(|()| totals::check(&document)) {
        Ok(remarks) => Ok(Sums::Checked(remarks)),
        Err(refusal) if NOT_COMPUTED.contains(&refusal) => Ok(Sums::Unchecked(refusal.meaning.to_owned())),
        Err(refusal) => Err(refusal.meaning.to_owned()),
    }
}

/// What every type states alike.
struct Head {
    route: Route,
    ecf_type: String,
    number: String,
    issuer: String,
    total: String,
    security_code: String,
    signed_at: Option<NaiveDateTime>,
}

impl Head {
    fn of(root: &Element) -> Result<Self, Malformed> {
        let route = match root.name.as_str() {
            "ECF" => Route::Full,
            "RFCE" => Route::Summary,
            _ => return Err(Malformed("it is neither an e-CF nor a summary of one")),
        };
        let header = child(root, "Encabezado")?;
        let identity = child(header, "IdDoc")?;
        let signature = root.child("Signature").ok_or(Malformed("it is not signed"))?;
        let signed_at = match route {
            Route::Full => Some(values::instant(&child(root, "FechaHoraFirma")?.text)?),
            Route::Summary => None,
        };
        let number = text(identity, "eNCF")?;
        let ecf_type = text(identity, "TipoeCF")?;
        if number.get(1..3) != Some(ecf_type.as_str()) {
            return Err(Malformed("its number is of another type than it says"));
        }
        Ok(Self {
            route,
            ecf_type,
            number,
            issuer: text(child(header, "Emisor")?, "RNCEmisor")?,
            total: text(child(header, "Totales")?, "MontoTotal")?,
            security_code: received::security_code(header, signature, route)?,
            signed_at,
        })
    }
}

/// Returns when the document states that it was signed: not in the future, and not after the end of its certificate. A
/// certificate that begins later has to be in force now, and the stated time is then named in `unchecked`.
fn check_times(
    head: &Head,
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

fn child<'a>(of: &'a Element, name: &str) -> Result<&'a Element, Malformed> {
    of.child(name).ok_or(Malformed("an element is missing which every type has"))
}

fn text(of: &Element, name: &str) -> Result<String, Malformed> {
    child(of, name).map(|it| it.text.trim().to_owned())
}

fn sentence(Malformed(what): Malformed) -> String {
    format!("The document cannot be read: {what}.")
}
