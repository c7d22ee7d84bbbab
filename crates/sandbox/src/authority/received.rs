//! A document as it states itself, read by the authority's own eyes.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{NaiveDate, NaiveDateTime};
use domain::fiscal::{DocumentKind, FiscalNumber, Route};
use rust_decimal::Decimal;

use super::{
    element::{self, Element, Malformed},
    foreign::{self, StatedForeign},
    stated::{StatedLine, StatedTotals},
    structure,
    values::{self, IN_FULL, IN_SUMMARY},
};

/// A document or a summary that follows its format.
#[derive(Debug)]
pub(crate) struct Received {
    /// Which of the two it is.
    pub(crate) route: Route,
    pub(crate) kind: DocumentKind,
    pub(crate) number: FiscalNumber,
    pub(crate) issuer: String,
    pub(crate) issue_date: NaiveDate,
    /// The last day of the number's range.
    pub(crate) valid_until: Option<NaiveDate>,
    /// A summary states none.
    pub(crate) signed_at: Option<NaiveDateTime>,
    pub(crate) buyer: StatedBuyer,
    /// Whether line amounts hold their ITBIS; a summary does not say.
    pub(crate) is_tax_included: Option<bool>,
    pub(crate) totals: StatedTotals,
    /// A summary has none.
    pub(crate) lines: Vec<StatedLine>,
    /// What it states in another currency, too.
    pub(crate) foreign: Option<StatedForeign>,
    /// Whether discounts or surcharges stand outside the lines.
    pub(crate) has_adjustments: bool,
    /// Of the full document, also in its summary.
    pub(crate) security_code: String,
    /// The certificate in the signature, DER.
    pub(crate) certificate: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct StatedBuyer {
    pub(crate) tax_id: Option<String>,
    pub(crate) foreign_id: Option<String>,
    pub(crate) name: Option<String>,
}

/// The document in `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Result<Received, Malformed> {
    let root = element::read(bytes)?;
    structure::check(&root)?;
    let route = if root.name == "RFCE" { Route::Summary } else { Route::Full };
    let decimals = if route == Route::Summary { IN_SUMMARY } else { IN_FULL };

    let header = child(&root, "Encabezado")?;
    let (identity, issuer) = (child(header, "IdDoc")?, child(header, "Emisor")?);
    if text(header, "Version")? != "1.0" || header.child("Comprador").is_none() {
        return Err(Malformed("the header lacks its version or its buyer"));
    }
    for name in ["TipoIngresos", "TipoPago"] {
        text(identity, name)?;
    }
    let kind = kind(text(identity, "TipoeCF")?)?;
    let valid_until = identity.text_of("FechaVencimientoSecuencia").map(values::day).transpose()?;
    if valid_until.is_some() != kind.has_sequence_expiry() {
        return Err(Malformed("the range's last day is stated by documents of type 31 and 45, and by no other"));
    }
    text(issuer, "RazonSocialEmisor")?;
    let signature = child(&root, "Signature")?;
    Ok(Received {
        route,
        kind,
        number: FiscalNumber::parse(text(identity, "eNCF")?).ok_or(Malformed("the number is not an e-NCF"))?,
        issuer: text(issuer, "RNCEmisor")?.to_owned(),
        issue_date: values::day(text(issuer, "FechaEmision")?)?,
        valid_until,
        signed_at: signed_at(&root, route)?,
        buyer: buyer(header, kind)?,
        is_tax_included: is_tax_included(identity)?,
        totals: StatedTotals::read(child(header, "Totales")?, &decimals)?,
        lines: lines(&root, route)?,
        foreign: foreign::read(header, &items(&root))?,
        has_adjustments: root.child("DescuentosORecargos").is_some(),
        security_code: security_code(header, signature, route)?,
        certificate: certificate(signature)?,
    })
}

impl Received {
    /// The total in centavos.
    pub(crate) fn total_minor_units(&self) -> Option<i64> {
        self.totals.total.checked_mul(Decimal::ONE_HUNDRED)?.trunc().try_into().ok()
    }
}

fn kind(code: &str) -> Result<DocumentKind, Malformed> {
    let kind = DocumentKind::ALL.iter().copied().find(|it| it.ecf_type().to_string() == code);
    kind.ok_or(Malformed("the type is none of 31, 32 and 45"))
}

fn signed_at(root: &Element, route: Route) -> Result<Option<NaiveDateTime>, Malformed> {
    match route {
        Route::Full => values::instant(text(root, "FechaHoraFirma")?).map(Some),
        Route::Summary => Ok(None),
    }
}

fn is_tax_included(identity: &Element) -> Result<Option<bool>, Malformed> {
    match identity.text_of("IndicadorMontoGravado") {
        None => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(_) => Err(Malformed("whether prices hold their ITBIS is 0 or 1")),
    }
}

fn buyer(header: &Element, kind: DocumentKind) -> Result<StatedBuyer, Malformed> {
    let Some(buyer) = header.child("Comprador") else { return Ok(StatedBuyer::default()) };
    let stated = |name| buyer.text_of(name).map(str::to_owned);
    let buyer = StatedBuyer {
        tax_id: stated("RNCComprador"),
        foreign_id: stated("IdentificadorExtranjero"),
        name: stated("RazonSocialComprador"),
    };
    let is_named = buyer.tax_id.is_some() && buyer.name.is_some() && buyer.foreign_id.is_none();
    match kind {
        DocumentKind::Consumer if buyer.tax_id.is_some() && buyer.foreign_id.is_some() => {
            Err(Malformed("the buyer is here and abroad"))
        }
        DocumentKind::FiscalCredit | DocumentKind::Government if !is_named => {
            Err(Malformed("the buyer's number or name is missing"))
        }
        _ => Ok(buyer),
    }
}

fn items(root: &Element) -> Vec<&Element> {
    root.child("DetallesItems").into_iter().flat_map(|it| it.children_named("Item")).collect()
}

fn lines(root: &Element, route: Route) -> Result<Vec<StatedLine>, Malformed> {
    if route == Route::Summary {
        return Ok(Vec::new());
    }
    let lines = child(root, "DetallesItems")?.children_named("Item").zip(1_usize..);
    lines.map(|(line, number)| StatedLine::read(line, number)).collect()
}

/// The first six characters of the signature of the full document.
pub(crate) fn security_code(header: &Element, signature: &Element, route: Route) -> Result<String, Malformed> {
    let code = match route {
        Route::Full => text(signature, "SignatureValue")?.trim().get(..6),
        Route::Summary => header.text_of("CodigoSeguridadeCF").filter(|it| it.len() == 6),
    };
    let is_base64 = |it: &&str| it.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
    code.filter(is_base64).map(str::to_owned).ok_or(Malformed("the security code is missing"))
}

pub(crate) fn certificate(signature: &Element) -> Result<Vec<u8>, Malformed> {
    let embedded = signature.at(&["KeyInfo", "X509Data", "X509Certificate"]);
    let base64: String = embedded.map(|it| it.text.split_whitespace().collect()).unwrap_or_default();
    let certificate = STANDARD.decode(base64).ok().filter(|it| !it.is_empty());
    certificate.ok_or(Malformed("the signature holds no certificate"))
}

fn child<'a>(of: &'a Element, name: &str) -> Result<&'a Element, Malformed> {
    of.child(name).ok_or(Malformed("an element is missing"))
}

fn text<'a>(of: &'a Element, name: &str) -> Result<&'a str, Malformed> {
    child(of, name).map(|it| it.text.as_str())
}
