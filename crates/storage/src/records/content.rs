use domain::{
    fiscal::{Breakdown, Buyer, Content, FiscalLine, GovernmentEligibility, TaxId},
    text::{Email, BoundedText},
};
use serde::{Deserialize, Serialize};

use super::{breakdown::BreakdownRecord, lines::LineRecord, optional};

/// What a document says, beside the kind and the numbers that are columns of their own.
#[derive(Serialize, Deserialize)]
pub(crate) struct ContentRecord {
    buyer: Option<BuyerRecord>,
    government: Option<String>,
    lines: Vec<LineRecord>,
    breakdown: BreakdownRecord,
}

/// The parts of a [`ContentRecord`].
pub(crate) struct ContentParts {
    pub(crate) buyer: Option<Buyer>,
    pub(crate) government: Option<GovernmentEligibility>,
    pub(crate) lines: Vec<FiscalLine>,
    pub(crate) breakdown: Breakdown,
}

#[derive(Serialize, Deserialize)]
struct BuyerRecord {
    tax_id: String,
    legal_name: Option<String>,
    address: Option<String>,
    contact_name: Option<String>,
    email: Option<String>,
}

impl From<&Content> for ContentRecord {
    fn from(content: &Content) -> Self {
        Self {
            buyer: content.buyer.as_ref().map(BuyerRecord::from),
            government: content.government.as_ref().map(|it| it.authority_reference.as_str().to_owned()),
            lines: content.lines.iter().map(LineRecord::from).collect(),
            breakdown: (&content.breakdown).into(),
        }
    }
}

impl ContentRecord {
    pub(crate) fn restore(self) -> Option<ContentParts> {
        let eligibility = |text: &str| Some(GovernmentEligibility { authority_reference: BoundedText::parse(text)? });
        Some(ContentParts {
            buyer: optional(self.buyer, BuyerRecord::restore)?,
            government: optional(self.government.as_deref(), eligibility)?,
            lines: self.lines.into_iter().map(LineRecord::restore).collect::<Option<_>>()?,
            breakdown: self.breakdown.restore()?,
        })
    }
}

impl From<&Buyer> for BuyerRecord {
    fn from(buyer: &Buyer) -> Self {
        Self {
            tax_id: buyer.tax_id.as_str().to_owned(),
            legal_name: buyer.legal_name.clone(),
            address: buyer.address.as_ref().map(|it| it.as_str().to_owned()),
            contact_name: buyer.contact_name.as_ref().map(|it| it.as_str().to_owned()),
            email: buyer.email.as_ref().map(|it| it.as_str().to_owned()),
        }
    }
}

impl BuyerRecord {
    fn restore(self) -> Option<Buyer> {
        Some(Buyer {
            tax_id: TaxId::well_formed(&self.tax_id).ok()?,
            legal_name: self.legal_name,
            address: optional(self.address.as_deref(), BoundedText::parse)?,
            contact_name: optional(self.contact_name.as_deref(), BoundedText::parse)?,
            email: optional(self.email.as_deref(), Email::parse)?,
        })
    }
}
