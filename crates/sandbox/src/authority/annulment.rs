//! Numbers that an issuer gives back: read, judged, and taken.

use std::{ops::RangeInclusive, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::fiscal::{AnnulmentVerdict, Environment, FiscalNumber, Observation, TaxId};
use ports::{RangeAuthority, SignedAnnulment};

use super::{
    Authority,
    element::{self, Element, Malformed},
    record::Entry,
    values,
};
use crate::{Fault, Target, undisturbed::undisturbed};

/// The schema's name for how many ranges there are.
const SCHEMA: &str = "ANECF v.1.0.xsd";

/// Numbers that somebody gives back.
pub(crate) struct Given {
    pub(crate) environment: Environment,
    pub(crate) issuer: TaxId,
    pub(crate) ranges: Vec<RangeInclusive<FiscalNumber>>,
}

/// Why numbers are not taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untakeable {
    /// One of the numbers is spent.
    Used,
    /// They were given back before.
    Annulled,
    /// They are not the issuer's.
    NotGranted,
    /// What came does not hold.
    Wrong(&'static str),
}

#[async_trait]
impl RangeAuthority for Authority {
    async fn annul(&self, sent: SignedAnnulment) -> AnnulmentVerdict {
        let fault = self.faults.take(Target::Authority);
        if fault == Some(Fault::BeforeRequest) {
            return AnnulmentVerdict::Unavailable;
        }
        let verdict = match self.take_back(sent).await {
            Ok(()) => AnnulmentVerdict::Annulled(words("1", "Secuencias anuladas.")),
            Err(why) => AnnulmentVerdict::Refused(words("2", why.sentence())),
        };
        if fault.is_some() { AnnulmentVerdict::Unknown(Vec::new()) } else { verdict }
    }
}

impl Authority {
    async fn take_back(&self, sent: SignedAnnulment) -> Result<(), Untakeable> {
        let now = self.clock.now();
        let signatory = self.signer.verify(&sent.xml).await;
        let signatory = signatory.map_err(|_| Untakeable::Wrong("La firma no es válida."))?;
        if !(signatory.not_before <= now && now <= signatory.not_after) {
            return Err(Untakeable::Wrong("El certificado no es válido."));
        }
        let given = Given::of(&sent).map_err(|Malformed(why)| Untakeable::Wrong(why))?;
        if let Some(schemas) = &self.schemas
            && !schemas.follows(SCHEMA, sent.xml).await
        {
            return Err(Untakeable::Wrong("Estructura XML inválida."));
        }
        let registry = Arc::clone(&self.registry);
        let taken = undisturbed(registry.is_on_disk(), move || registry.annul(&given, now)).await;
        taken.and_then(Result::ok).unwrap_or(Err(Untakeable::Wrong("Registro inválido.")))
    }
}

impl Given {
    /// What is given back, if it says of itself what it is.
    fn of(sent: &SignedAnnulment) -> Result<Self, Malformed> {
        let root = element::read(&sent.xml)?;
        let header =
            root.child("Encabezado").filter(|_| root.name == "ANECF").ok_or(Malformed("Estructura inválida."))?;
        if header.text_of("RncEmisor") != Some(sent.issuer.as_str()) {
            return Err(Malformed("El RncEmisor es inválido."));
        }
        values::instant(header.text_of("FechaHoraAnulacioneNCF").unwrap_or_default())?;
        let details = root.child("DetalleAnulacion").ok_or(Malformed("Estructura inválida."))?;
        let (mut ranges, mut all) = (Vec::new(), 0_u64);
        for line in details.children_named("Anulacion") {
            let (of_line, count) = line_of(line)?;
            all = all.saturating_add(count);
            ranges.extend(of_line);
        }
        if ranges.is_empty() || header.text_of("CantidadeNCFAnulados") != Some(all.to_string().as_str()) {
            return Err(Malformed("La cantidad de e-NCF anulados es inválida."));
        }
        Ok(Self { environment: sent.environment, issuer: sent.issuer.clone(), ranges })
    }

    /// What a journal has of it.
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

/// The ranges of one type, and how many numbers they hold.
fn line_of(line: &Element) -> Result<(Vec<RangeInclusive<FiscalNumber>>, u64), Malformed> {
    let wrong = Malformed("El rango es inválido.");
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
        false => Err(Malformed("La cantidad de e-NCF anulados es inválida.")),
    }
}

impl Untakeable {
    const fn sentence(self) -> &'static str {
        match self {
            Self::Used => "La secuencia fue utilizada.",
            Self::Annulled => "La secuencia ya fue anulada.",
            Self::NotGranted => "La secuencia no es válida para el emisor: no autorizada.",
            Self::Wrong(why) => why,
        }
    }
}

fn words(code: &str, message: &str) -> Vec<Observation> {
    vec![Observation { code: code.to_owned(), message: message.to_owned() }]
}
