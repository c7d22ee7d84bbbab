//! A parsed document.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{NaiveDate, NaiveDateTime};
use domain::fiscal::{DocumentKind, FiscalNumber, Route};
use rust_decimal::Decimal;

use super::{
    amounts::{ParsedLine, ParsedTotals},
    element::{self, MalformedXml, XmlElement},
    foreign::{self, ForeignAmounts},
    parsed_note::ParsedNote,
    structure,
    values::{self, IN_FULL, IN_SUMMARY},
};

/// A well-formed document or summary.
#[derive(Debug)]
pub(crate) struct ParsedDocument {
    /// Full or summary.
    pub(crate) route: Route,
    pub(crate) kind: DocumentKind,
    pub(crate) number: FiscalNumber,
    pub(crate) issuer: String,
    pub(crate) issue_date: NaiveDate,
    /// Last day of the number's range.
    pub(crate) valid_until: Option<NaiveDate>,
    /// Absent in a summary.
    pub(crate) signed_at: Option<NaiveDateTime>,
    pub(crate) buyer: ParsedBuyer,
    /// Whether line amounts include ITBIS; absent in a summary.
    pub(crate) is_tax_included: Option<bool>,
    pub(crate) totals: ParsedTotals,
    /// Empty in a summary.
    pub(crate) lines: Vec<ParsedLine>,
    /// Amounts in another currency.
    pub(crate) foreign: Option<ForeignAmounts>,
    /// Whether there are discounts or surcharges outside the lines.
    pub(crate) has_adjustments: bool,
    /// Reference of a credit note.
    pub(crate) note: Option<ParsedNote>,
    /// Code of the full document, also in a summary.
    pub(crate) security_code: String,
    /// Certificate of the signature, DER.
    pub(crate) certificate: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct ParsedBuyer {
    pub(crate) tax_id: Option<String>,
    pub(crate) foreign_id: Option<String>,
    pub(crate) name: Option<String>,
}

/// Parses a document.
pub(crate) fn read(bytes: &[u8]) -> Result<ParsedDocument, MalformedXml> {
    let root = element::read(bytes)?;
    structure::check(&root)?;
    let route = if root.name == "RFCE" { Route::Summary } else { Route::Full };
    let decimals = if route == Route::Summary { IN_SUMMARY } else { IN_FULL };

    let header = root.required("Encabezado")?;
    let (identity, issuer) = (header.required("IdDoc")?, header.required("Emisor")?);
    let kind = kind(identity.required_text("TipoeCF")?)?;
    // The schema of credit notes leaves out the buyer and the kind of income.
    let is_note = kind == DocumentKind::CreditNote;
    if header.required_text("Version")? != "1.0" || (header.child("Comprador").is_none() && !is_note) {
        return Err(MalformedXml("the header lacks its version or its buyer"));
    }
    identity.required_text("TipoPago")?;
    if !is_note {
        identity.required_text("TipoIngresos")?;
    }
    let valid_until = identity.text_of("FechaVencimientoSecuencia").map(values::day).transpose()?;
    if valid_until.is_some() != kind.has_sequence_expiry() {
        return Err(MalformedXml("the range's last day is stated by documents of type 31 and 45, and by no other"));
    }
    issuer.required_text("RazonSocialEmisor")?;
    let signature = root.required("Signature")?;
    Ok(ParsedDocument {
        route,
        kind,
        number: FiscalNumber::parse(identity.required_text("eNCF")?)
            .ok_or(MalformedXml("the number is not an e-NCF"))?,
        issuer: issuer.required_text("RNCEmisor")?.to_owned(),
        issue_date: values::day(issuer.required_text("FechaEmision")?)?,
        valid_until,
        signed_at: signed_at(&root, route)?,
        buyer: buyer(header, kind)?,
        is_tax_included: is_tax_included(identity)?,
        totals: ParsedTotals::read(header.required("Totales")?, &decimals)?,
        lines: lines(&root, route)?,
        foreign: foreign::read(header, &items(&root))?,
        note: is_note.then(|| ParsedNote::read(&root, identity)).transpose()?,
        has_adjustments: root.child("DescuentosORecargos").is_some(),
        security_code: security_code(header, signature, route)?,
        certificate: certificate(signature)?,
    })
}

impl ParsedDocument {
    /// The total in centavos.
    pub(crate) fn total_minor_units(&self) -> Option<i64> {
        self.totals.total.checked_mul(Decimal::ONE_HUNDRED)?.trunc().try_into().ok()
    }
}

fn kind(code: &str) -> Result<DocumentKind, MalformedXml> {
    let kind = DocumentKind::ALL.iter().copied().find(|it| it.ecf_type().to_string() == code);
    kind.ok_or(MalformedXml("the type is none of 31, 32, 34 and 45"))
}

fn signed_at(root: &XmlElement, route: Route) -> Result<Option<NaiveDateTime>, MalformedXml> {
    match route {
        Route::Full => values::instant(root.required_text("FechaHoraFirma")?).map(Some),
        Route::Summary => Ok(None),
    }
}

fn is_tax_included(identity: &XmlElement) -> Result<Option<bool>, MalformedXml> {
    match identity.text_of("IndicadorMontoGravado") {
        None => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(_) => Err(MalformedXml("whether prices hold their ITBIS is 0 or 1")),
    }
}

fn buyer(header: &XmlElement, kind: DocumentKind) -> Result<ParsedBuyer, MalformedXml> {
    let Some(buyer) = header.child("Comprador") else { return Ok(ParsedBuyer::default()) };
    let stated = |name| buyer.text_of(name).map(str::to_owned);
    let buyer = ParsedBuyer {
        tax_id: stated("RNCComprador"),
        foreign_id: stated("IdentificadorExtranjero"),
        name: stated("RazonSocialComprador"),
    };
    let is_named = buyer.tax_id.is_some() && buyer.name.is_some() && buyer.foreign_id.is_none();
    match kind {
        DocumentKind::Consumer | DocumentKind::CreditNote if buyer.tax_id.is_some() && buyer.foreign_id.is_some() => {
            Err(MalformedXml("the buyer is here and abroad"))
        }
        DocumentKind::FiscalCredit | DocumentKind::Government if !is_named => {
            Err(MalformedXml("the buyer's number or name is missing"))
        }
        _ => Ok(buyer),
    }
}

fn items(root: &XmlElement) -> Vec<&XmlElement> {
    root.child("DetallesItems").into_iter().flat_map(|it| it.children_named("Item")).collect()
}

fn lines(root: &XmlElement, route: Route) -> Result<Vec<ParsedLine>, MalformedXml> {
    if route == Route::Summary {
        return Ok(Vec::new());
    }
    let lines = root.required("DetallesItems")?.children_named("Item").zip(1_usize..);
    lines.map(|(line, number)| ParsedLine::read(line, number)).collect()
}

/// The first six characters of the signature of the full document.
pub(crate) fn security_code(header: &XmlElement, signature: &XmlElement, route: Route) -> Result<String, MalformedXml> {
    let code = match route {
        Route::Full => signature.required_text("SignatureValue")?.trim().get(..6),
        Route::Summary => header.text_of("CodigoSeguridadeCF").filter(|it| it.len() == 6),
    };
    let is_base64 = |it: &&str| it.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    code.filter(is_base64).map(str::to_owned).ok_or(MalformedXml("the security code is missing"))
}

pub(crate) fn certificate(signature: &XmlElement) -> Result<Vec<u8>, MalformedXml> {
    let embedded = signature.at(&["KeyInfo", "X509Data", "X509Certificate"]);
    let base64: String = embedded.map(|it| it.text.split_whitespace().collect()).unwrap_or_default();
    let certificate = STANDARD.decode(base64).ok().filter(|it| !it.is_empty());
    certificate.ok_or(MalformedXml("the signature holds no certificate"))
}
