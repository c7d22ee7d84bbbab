//! Kinds of fiscal documents, and the buyer that each requires.

use crate::money::{Currency, Money};

/// From this total on, in centavos, a consumer document names its buyer and the authority gets the full document: DOP
/// 250,000.00, with the legal tip and without the voluntary tip.
///
/// Source: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, fields 38 and 39 and section on the summary
/// (RFCE); the compared field is `MontoTotal`.
pub const IDENTIFICATION_THRESHOLD: i64 = 250_000_00;

spelled! {
    /// Kind of a fiscal document.
    ///
    /// ```
    /// use cobro_domain::fiscal::{BuyerRequirement, DocumentKind, Route};
    /// use cobro_domain::{Currency::Dop, Money};
    ///
    /// let dinner = Money::new(1_280_00, Dop);
    /// let wedding = Money::new(250_000_00, Dop);
    ///
    /// assert_eq!(DocumentKind::Consumer.buyer_requirement(dinner), BuyerRequirement::Optional);
    /// assert_eq!(DocumentKind::Consumer.buyer_requirement(wedding), BuyerRequirement::Required);
    /// assert_eq!(DocumentKind::Consumer.route(dinner), Route::Summary);
    /// assert_eq!(DocumentKind::FiscalCredit.route(dinner), Route::Full);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum DocumentKind {
        /// For a consumer; gives no tax credit.
        Consumer = "consumer",
        /// For a taxpayer that deducts the ITBIS paid.
        FiscalCredit = "fiscal_credit",
        /// For a public body.
        Government = "government",
        /// Credit note: returns part of another document, or all of it.
        CreditNote = "credit_note",
    }
}

impl DocumentKind {
    /// Kinds of the document of a sale, in published order. Choices of merchants and payers offer these alone; a credit
    /// note follows from a refund.
    pub const SALE: [Self; 3] = [Self::Consumer, Self::FiscalCredit, Self::Government];

    /// Returns the kind of a sale's document that is spelled as `text`.
    pub fn of_sale(text: &str) -> Option<Self> {
        Self::SALE.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The authority's number of the type (`TipoeCF`), which is also the second and third character
    /// of the document's number.
    ///
    /// Source: DGII, *Informe Técnico e-CF v1.0*, 6.1.
    pub const fn ecf_type(self) -> u8 {
        match self {
            Self::Consumer => 32,
            Self::FiscalCredit => 31,
            Self::Government => 45,
            Self::CreditNote => 34,
        }
    }

    /// The official name, as printed in full on paper.
    ///
    /// Source: DGII, *Informe Técnico e-CF v1.0*, 6.1 and 17.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Consumer => "Factura de Consumo Electrónica",
            Self::FiscalCredit => "Factura de Crédito Fiscal Electrónica",
            Self::Government => "Comprobante Electrónico Gubernamental",
            Self::CreditNote => "Nota de Crédito Electrónica",
        }
    }

    /// Whether the document states the expiry of its range (`FechaVencimientoSecuencia`).
    ///
    /// Source: the authority's schemas: required in types 31 and 45, forbidden in types 32 and 34.
    pub const fn has_sequence_expiry(self) -> bool {
        matches!(self, Self::FiscalCredit | Self::Government)
    }

    /// Whether a document of this `total` requires a buyer. A credit note repeats the buyer of its original, so its own
    /// total requires none.
    pub fn buyer_requirement(self, total: Money) -> BuyerRequirement {
        match self {
            Self::CreditNote => BuyerRequirement::Optional,
            Self::Consumer if is_below_threshold(total) => BuyerRequirement::Optional,
            Self::Consumer | Self::FiscalCredit | Self::Government => BuyerRequirement::Required,
        }
    }

    /// How a document of this `total` reaches the authority.
    pub fn route(self, total: Money) -> Route {
        match self {
            Self::Consumer if is_below_threshold(total) => Route::Summary,
            Self::Consumer | Self::FiscalCredit | Self::Government | Self::CreditNote => Route::Full,
        }
    }
}

/// The threshold is in pesos. A total in another currency counts as above the threshold: its value is not known here,
/// and an unnamed buyer is the worse mistake.
fn is_below_threshold(total: Money) -> bool {
    total.currency() == Currency::Dop && total.minor_units() < IDENTIFICATION_THRESHOLD
}

spelled! {
    /// Whether a fiscal document requires a buyer.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum BuyerRequirement {
        /// Not possible.
        None = "none",
        /// Possible.
        Optional = "optional",
        /// Required.
        Required = "required",
    }
}

spelled! {
    /// When the payer's checkout is done.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum IssuanceMode {
        /// Once the document is issued.
        Required = "required",
        /// After the payment; the document may follow later.
        Deferred = "deferred",
    }
}

/// How a signed document reaches the authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The document itself is sent.
    Full,
    /// Only a signed summary (RFCE) is submitted; the issuer stores the document.
    Summary,
}
