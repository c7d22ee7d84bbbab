use domain::attempt::CardSummary;
use serde::{Deserialize, Serialize};

/// What may be kept of a card.
#[derive(Serialize, Deserialize)]
pub(crate) struct CardRecord {
    brand: Option<String>,
    last4: Option<String>,
}

impl From<&CardSummary> for CardRecord {
    fn from(card: &CardSummary) -> Self {
        Self { brand: card.brand.clone(), last4: card.last4.clone() }
    }
}

impl CardRecord {
    pub(crate) fn restore(self) -> CardSummary {
        CardSummary { brand: self.brand, last4: self.last4 }
    }
}
