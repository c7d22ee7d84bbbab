use domain::{
    fiscal::{DocumentKind, TaxId},
    merchant::{CheckoutMode, MerchantDisplay},
    sale::CheckoutDisplay,
    text::{Email, BoundedText},
};
use serde::{Deserialize, Serialize};

use super::{AddressRecord, all, optional};

/// How the checkout presents a sale.
#[derive(Serialize, Deserialize)]
pub(super) struct DisplayRecord {
    mode: String,
    locale: String,
    merchant: MerchantRecord,
    available_kinds: Vec<String>,
    is_propina_applicable: bool,
    wallets: Vec<String>,
    card_brands: Vec<String>,
    three_ds_programs: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct MerchantRecord {
    legal_name: String,
    rnc: String,
    display_name: String,
    support_phone: String,
    support_email: Option<String>,
    permanent_address: AddressRecord,
    statement_descriptor: String,
}

impl From<&CheckoutDisplay> for DisplayRecord {
    fn from(display: &CheckoutDisplay) -> Self {
        Self {
            mode: display.mode.as_str().to_owned(),
            locale: display.locale.as_str().to_owned(),
            merchant: (&display.merchant).into(),
            available_kinds: display.available_kinds.iter().map(|it| it.as_str().to_owned()).collect(),
            is_propina_applicable: display.is_propina_applicable,
            wallets: display.wallets.clone(),
            card_brands: display.card_brands.clone(),
            three_ds_programs: display.three_ds_programs.clone(),
        }
    }
}

impl DisplayRecord {
    pub(super) fn restore(self) -> Option<CheckoutDisplay> {
        Some(CheckoutDisplay {
            mode: CheckoutMode::from_code(&self.mode)?,
            locale: BoundedText::parse(&self.locale)?,
            merchant: self.merchant.restore()?,
            available_kinds: all(&self.available_kinds, DocumentKind::from_code)?,
            is_propina_applicable: self.is_propina_applicable,
            wallets: self.wallets,
            card_brands: self.card_brands,
            three_ds_programs: self.three_ds_programs,
        })
    }
}

impl From<&MerchantDisplay> for MerchantRecord {
    fn from(merchant: &MerchantDisplay) -> Self {
        Self {
            legal_name: merchant.legal_name.as_str().to_owned(),
            rnc: merchant.rnc.as_str().to_owned(),
            display_name: merchant.display_name.as_str().to_owned(),
            support_phone: merchant.support_phone.as_str().to_owned(),
            support_email: merchant.support_email.as_ref().map(|it| it.as_str().to_owned()),
            permanent_address: (&merchant.permanent_address).into(),
            statement_descriptor: merchant.statement_descriptor.as_str().to_owned(),
        }
    }
}

impl MerchantRecord {
    fn restore(self) -> Option<MerchantDisplay> {
        Some(MerchantDisplay {
            legal_name: BoundedText::parse(&self.legal_name)?,
            rnc: TaxId::parse(&self.rnc).ok()?,
            display_name: BoundedText::parse(&self.display_name)?,
            support_phone: BoundedText::parse(&self.support_phone)?,
            support_email: optional(self.support_email.as_deref(), Email::parse)?,
            permanent_address: self.permanent_address.restore()?,
            statement_descriptor: BoundedText::parse(&self.statement_descriptor)?,
        })
    }
}
