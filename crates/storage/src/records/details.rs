use domain::{
    fiscal::Breakdown,
    payment::PaymentFacts,
    sale::CheckoutDisplay,
    text::{BoundedText, Prose, WebUrl},
};
use serde::{Deserialize, Serialize};

use super::{breakdown::BreakdownRecord, display::DisplayRecord, optional};

/// What is settled with a payment and never asked for by itself.
#[derive(Serialize, Deserialize)]
pub(crate) struct DetailsRecord {
    return_url: Option<String>,
    service_label: Option<String>,
    description: Option<String>,
    /// Pairs, because the order in which they were sent counts.
    metadata: Option<Vec<(String, String)>>,
    display: DisplayRecord,
    breakdown: BreakdownRecord,
}

/// The parts of a [`DetailsRecord`].
pub(crate) struct DetailsParts {
    pub(crate) return_url: Option<WebUrl>,
    pub(crate) service_label: Option<BoundedText<0, 24>>,
    pub(crate) description: Option<BoundedText<1, 80>>,
    pub(crate) metadata: Option<Vec<(String, Prose)>>,
    pub(crate) display: CheckoutDisplay,
    pub(crate) breakdown: Breakdown,
}

impl From<&PaymentFacts> for DetailsRecord {
    fn from(facts: &PaymentFacts) -> Self {
        let pair = |(name, value): &(String, Prose)| (name.clone(), value.as_str().to_owned());
        Self {
            return_url: facts.return_url.as_ref().map(|it| it.as_str().to_owned()),
            service_label: facts.service_label.as_ref().map(|it| it.as_str().to_owned()),
            description: facts.description.as_ref().map(|it| it.as_str().to_owned()),
            metadata: facts.metadata.as_ref().map(|pairs| pairs.iter().map(pair).collect()),
            display: (&facts.display).into(),
            breakdown: (&facts.breakdown).into(),
        }
    }
}

impl DetailsRecord {
    pub(crate) fn restore(self) -> Option<DetailsParts> {
        let pair = |(name, value): (String, String)| Some((name, Prose::parse(&value)?));
        let pairs = |metadata: Vec<_>| metadata.into_iter().map(pair).collect();
        Some(DetailsParts {
            return_url: optional(self.return_url.as_deref(), WebUrl::parse)?,
            service_label: optional(self.service_label.as_deref(), BoundedText::parse)?,
            description: optional(self.description.as_deref(), BoundedText::parse)?,
            metadata: optional(self.metadata, pairs)?,
            display: self.display.restore()?,
            breakdown: self.breakdown.restore()?,
        })
    }
}
