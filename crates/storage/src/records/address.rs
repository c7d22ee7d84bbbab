use domain::{merchant::Address, text::BoundedText};
use serde::{Deserialize, Serialize};

use super::optional;

#[derive(Serialize, Deserialize)]
pub(crate) struct AddressRecord {
    line1: String,
    line2: Option<String>,
    city: String,
    province: Option<String>,
    postal_code: Option<String>,
    country_code: String,
}

impl From<&Address> for AddressRecord {
    fn from(address: &Address) -> Self {
        Self {
            line1: address.line1.as_str().to_owned(),
            line2: address.line2.as_ref().map(|it| it.as_str().to_owned()),
            city: address.city.as_str().to_owned(),
            province: address.province.as_ref().map(|it| it.as_str().to_owned()),
            postal_code: address.postal_code.as_ref().map(|it| it.as_str().to_owned()),
            country_code: address.country_code.as_str().to_owned(),
        }
    }
}

impl AddressRecord {
    pub(crate) fn restore(&self) -> Option<Address> {
        Some(Address {
            line1: BoundedText::parse(&self.line1)?,
            line2: optional(self.line2.as_deref(), BoundedText::parse)?,
            city: BoundedText::parse(&self.city)?,
            province: optional(self.province.as_deref(), BoundedText::parse)?,
            postal_code: optional(self.postal_code.as_deref(), BoundedText::parse)?,
            country_code: BoundedText::parse(&self.country_code)?,
        })
    }
}
