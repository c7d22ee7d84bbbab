//! Merchants and their profiles.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    MerchantId,
    fiscal::{DocumentKind, TaxId},
    refusal::{Refusal, Unprocessable},
    text::{BoundedText, Email},
};

spelled! {
    /// Whether real money and the real authority are meant.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Mode {
        /// Rehearsal: no real money, the authority's test environment.
        Test = "test",
        /// Real sales.
        Live = "live",
    }
}

impl Mode {
    /// Whether real money is meant.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Live)
    }
}

spelled! {
    /// How much of a sale the checkout shows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum CheckoutMode {
        /// Every line.
        Itemized = "itemized",
        /// A subtotal per group.
        Grouped = "grouped",
        /// The amount and a description.
        AmountOnly = "amount_only",
    }
}

/// A postal address.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Address {
    pub line1: BoundedText<1, 160>,
    pub line2: Option<BoundedText<1, 160>>,
    pub city: BoundedText<1, 80>,
    pub province: Option<BoundedText<1, 80>>,
    pub postal_code: Option<BoundedText<1, 20>>,
    /// ISO 3166-1 alpha-2.
    pub country_code: BoundedText<2, 2>,
}

/// Profile of a merchant in one mode. May be incomplete until a sale needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The merchant.
    pub merchant: MerchantId,
    /// For which mode.
    pub mode: Mode,
    /// The registered name.
    pub legal_name: Option<BoundedText<1, 256>>,
    /// The taxpayer number under which documents are issued.
    pub rnc: Option<TaxId>,
    /// The name that customers know.
    pub display_name: Option<BoundedText<1, 128>>,
    /// Where customers call.
    pub support_phone: Option<BoundedText<1, 32>>,
    /// Where customers write.
    pub support_email: Option<Email>,
    /// Address of the merchant; printed on fiscal documents.
    pub permanent_address: Option<Address>,
    /// Text on the card statement.
    pub statement_descriptor: Option<BoundedText<1, 22>>,
    /// The language of the checkout, as in `es-DO`.
    pub locale: BoundedText<2, 16>,
    /// Whether the legal service charge of 10 % applies here.
    pub is_propina_applicable: bool,
    /// Default display of the checkout.
    pub default_checkout_mode: CheckoutMode,
    /// How long a payment stays open.
    pub payment_window: TimeDelta,
    /// Whether bills may be split.
    pub is_split_enabled: bool,
    /// Number of writes.
    pub version: u32,
    /// Time of the last write.
    pub updated_at: DateTime<Utc>,
}

impl Profile {
    /// The window of a payment unless the merchant sets another.
    pub const DEFAULT_WINDOW: TimeDelta = TimeDelta::hours(24);

    /// Returns an empty profile.
    pub fn blank(merchant: &MerchantId, mode: Mode, now: DateTime<Utc>) -> Self {
        Self {
            merchant: merchant.clone(),
            mode,
            legal_name: None,
            rnc: None,
            display_name: None,
            support_phone: None,
            support_email: None,
            permanent_address: None,
            statement_descriptor: None,
            locale: BoundedText::of("es-DO"),
            is_propina_applicable: false,
            default_checkout_mode: CheckoutMode::Itemized,
            payment_window: Self::DEFAULT_WINDOW,
            is_split_enabled: false,
            version: 0,
            updated_at: now,
        }
    }

    /// Returns the missing fields that a sale requires, in published order: those of the checkout, and the address on
    /// documents.
    pub fn missing_fields(&self) -> Vec<&'static str> {
        [
            ("legalName", self.legal_name.is_none()),
            ("rnc", self.rnc.is_none()),
            ("displayName", self.display_name.is_none()),
            ("supportPhone", self.support_phone.is_none()),
            ("permanentAddress", self.permanent_address.is_none()),
            ("statementDescriptor", self.statement_descriptor.is_none()),
        ]
        .into_iter()
        .filter_map(|(field, is_missing)| is_missing.then_some(field))
        .collect()
    }

    /// Returns the merchant's data for a checkout.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::MerchantProfileIncomplete`], with the missing fields.
    pub fn display(&self) -> Result<MerchantDisplay, Refusal> {
        let incomplete = || {
            let missing = self.missing_fields().join(", ");
            Refusal::of(Unprocessable::MerchantProfileIncomplete)
                .with_message(format!("The merchant profile lacks: {missing}."))
        };
        Ok(MerchantDisplay {
            legal_name: self.legal_name.clone().ok_or_else(incomplete)?,
            rnc: self.rnc.clone().ok_or_else(incomplete)?,
            display_name: self.display_name.clone().ok_or_else(incomplete)?,
            support_phone: self.support_phone.clone().ok_or_else(incomplete)?,
            support_email: self.support_email.clone(),
            permanent_address: self.permanent_address.clone().ok_or_else(incomplete)?,
            statement_descriptor: self.statement_descriptor.clone().ok_or_else(incomplete)?,
        })
    }
}

/// Data of the merchant in a checkout; frozen with the sale.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct MerchantDisplay {
    pub legal_name: BoundedText<1, 256>,
    pub rnc: TaxId,
    pub display_name: BoundedText<1, 128>,
    pub support_phone: BoundedText<1, 32>,
    pub support_email: Option<Email>,
    pub permanent_address: Address,
    pub statement_descriptor: BoundedText<1, 22>,
}

/// Presentation of a sale in the checkout; frozen when the sale is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckoutDisplay {
    /// Level of detail.
    pub mode: CheckoutMode,
    /// In which language.
    pub locale: BoundedText<2, 16>,
    /// The merchant.
    pub merchant: MerchantDisplay,
    /// The kinds of document that can be chosen.
    pub available_kinds: Vec<DocumentKind>,
    /// Whether the legal service charge applies at this merchant.
    pub is_propina_applicable: bool,
    /// Published names of the wallets.
    pub wallets: Vec<String>,
    /// Published names of the card brands.
    pub card_brands: Vec<String>,
    /// Published names of the 3-D Secure programs.
    pub three_ds_programs: Vec<String>,
}
