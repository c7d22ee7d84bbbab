//! Annulments: parsing and decision.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use domain::fiscal::{Environment, FiscalNumber, TaxId};
use ports::SignedAnnulment;

use super::{
    element::{self, MalformedXml, XmlElement},
    record::Entry,
    values,
};

/// Numbers to annul.
pub(crate) struct AnnulmentRequest {
    pub(crate) environment: Environment,
    pub(crate) issuer: TaxId,
    pub(crate) ranges: Vec<RangeInclusive<FiscalNumber>>,
}

/// Refusal of an annulment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnnulmentRefusal {
    /// A number is used.
    Used,
    /// A number is already annulled.
    Annulled,
    /// A number is not granted to the issuer.
    NotGranted,
    /// The request is invalid.
    Wrong(&'static str),
}

impl AnnulmentRequest {
    /// Parses the signed annulment.
    pub(super) fn of(sent: &SignedAnnulment) -> Result<Self, MalformedXml> {
        let root = element::read(&sent.xml)?;
        let header =
            root.child("Encabezado").filter(|_| root.name == "ANECF").ok_or(MalformedXml("Estructura inválida."))?;
        if header.text_of("RncEmisor") != Some(sent.issuer.as_str()) {
            return Err(MalformedXml("El RncEmisor es inválido."));
        }
        values::instant(header.text_of("FechaHoraAnulacioneNCF").unwrap_or_default())?;
        let details = root.child("DetalleAnulacion").ok_or(MalformedXml("Estructura inválida."))?;
        let (mut ranges, mut all) = (Vec::new(), 0_u64);
        for line in details.children_named("Anulacion") {
            let (of_line, count) = line_of(line)?;
            all = all.saturating_add(count);
            ranges.extend(of_line);
        }
        if ranges.is_empty() || header.text_of("CantidadeNCFAnulados") != Some(all.to_string().as_str()) {
            return Err(MalformedXml("La cantidad de e-NCF anulados es inválida."));
        }
        Ok(Self { environment: sent.environment, issuer: sent.issuer.clone(), ranges })
    }

    /// Parses an annulment of the journal.
    pub(crate) fn read(environment: &str, issuer: &str, ranges: &[(String, String)]) -> Option<Self> {
        let range = |(first, last): &(String, String)| Some(FiscalNumber::parse(first)?..=FiscalNumber::parse(last)?);
        Some(Self {
            environment: Environment::from_code(environment)?,
            issuer: TaxId::parse(issuer).ok()?,
            ranges: ranges.iter().map(range).collect::<Option<_>>()?,
        })
    }

    pub(crate) fn entry(&self, at: DateTime<Utc>) -> Entry {
        let range = |it: &RangeInclusive<FiscalNumber>| (it.start().to_string(), it.end().to_string());
        Entry::Annulled {
            environment: self.environment.as_str().to_owned(),
            issuer: self.issuer.as_str().to_owned(),
            ranges: self.ranges.iter().map(range).collect(),
            at,
        }
    }
}

/// Parses the ranges of one type, and their count.
fn line_of(line: &XmlElement) -> Result<(Vec<RangeInclusive<FiscalNumber>>, u64), MalformedXml> {
    let wrong = MalformedXml("El rango es inválido.");
    let ecf_type = line.text_of("TipoeCF").ok_or(wrong)?;
    let table = line.child("TablaRangoSecuenciasAnuladaseNCF").ok_or(wrong)?;
    let (mut ranges, mut count) = (Vec::new(), 0_u64);
    for range in table.children_named("Secuencias") {
        let bound = |name| range.text_of(name).and_then(FiscalNumber::parse).ok_or(wrong);
        let (first, last) = (bound("SecuenciaeNCFDesde")?, bound("SecuenciaeNCFHasta")?);
        let are_of_type = [&first, &last].iter().all(|it| it.as_str().get(1..3) == Some(ecf_type));
        if !are_of_type || first > last {
            return Err(wrong);
        }
        count = count.saturating_add(last.sequence().saturating_sub(first.sequence()).saturating_add(1));
        ranges.push(first..=last);
    }
    match line.text_of("CantidadeNCFAnulados") == Some(count.to_string().as_str()) {
        true => Ok((ranges, count)),
        false => Err(MalformedXml("La cantidad de e-NCF anulados es inválida.")),
    }
}

impl AnnulmentRefusal {
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::Used => "La secuencia fue utilizada.",
            Self::Annulled => "La secuencia ya fue anulada.",
            Self::NotGranted => "La secuencia no es válida para el emisor: no autorizada.",
            Self::Wrong(why) => why,
        }
    }
}
