use domain::{
    Currency,
    fiscal::{DocumentFacts, DocumentKind, ExchangeRate, IssuanceMode, Issuer, TaxId},
    text::BoundedText,
};
use serde::{Deserialize, Serialize};

use super::{all, optional};
use crate::time;

/// What is settled when a document is requested, and never asked for by itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct TermsRecord {
    legal_name: String,
    trade_name: String,
    address: String,
    issuance_mode: String,
    allowed_kinds: Option<Vec<String>>,
    pub(crate) is_kind_locked: bool,
    pub(crate) is_buyer_locked: bool,
    /// Of what is charged in another currency than pesos.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<RateRecord>,
}

/// A rate as a document froze it.
#[derive(Serialize, Deserialize)]
struct RateRecord {
    ratio: u32,
    day: String,
    last_day: String,
    source: String,
}

impl From<&DocumentFacts> for TermsRecord {
    fn from(facts: &DocumentFacts) -> Self {
        let codes = |kinds: &Vec<DocumentKind>| kinds.iter().map(|it| it.as_str().to_owned()).collect();
        Self {
            legal_name: facts.issuer.legal_name.as_str().to_owned(),
            trade_name: facts.issuer.trade_name.as_str().to_owned(),
            address: facts.issuer.address.clone(),
            issuance_mode: facts.issuance_mode.as_str().to_owned(),
            allowed_kinds: facts.allowed_kinds.as_ref().map(codes),
            is_kind_locked: facts.is_kind_locked,
            is_buyer_locked: facts.is_buyer_locked,
            rate: facts.rate.as_ref().map(RateRecord::from),
        }
    }
}

impl TermsRecord {
    pub(crate) fn issuer(&self, rnc: &str) -> Option<Issuer> {
        Some(Issuer {
            rnc: TaxId::parse(rnc).ok()?,
            legal_name: BoundedText::parse(&self.legal_name)?,
            trade_name: BoundedText::parse(&self.trade_name)?,
            address: self.address.clone(),
        })
    }

    /// `None` if a rate cannot be read, or is one of nothing that is charged.
    pub(crate) fn rate(&self, currency: Currency) -> Option<Option<ExchangeRate>> {
        optional(self.rate.as_ref(), |it| it.restore(currency))
    }

    pub(crate) fn issuance_mode(&self) -> Option<IssuanceMode> {
        IssuanceMode::from_code(&self.issuance_mode)
    }

    /// `None` if a kind cannot be read.
    pub(crate) fn allowed_kinds(&self) -> Option<Option<Vec<DocumentKind>>> {
        optional(self.allowed_kinds.as_ref(), |kinds| all(kinds, DocumentKind::from_code))
    }
}

impl From<&ExchangeRate> for RateRecord {
    fn from(rate: &ExchangeRate) -> Self {
        Self {
            ratio: rate.ratio(),
            day: time::day(rate.day()),
            last_day: time::day(rate.last_day()),
            source: rate.source().as_str().to_owned(),
        }
    }
}

impl RateRecord {
    fn restore(&self, currency: Currency) -> Option<ExchangeRate> {
        let (day, last_day) = (time::date(&self.day)?, time::date(&self.last_day)?);
        ExchangeRate::new(currency, self.ratio, day, BoundedText::parse(&self.source)?, last_day)
    }
}
