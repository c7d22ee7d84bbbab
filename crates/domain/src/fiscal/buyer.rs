//! Buyers, and their entries in the taxpayer directory.

use super::{DocumentKind, ProblemCode, TaxId};
use crate::{
    Unprocessable,
    text::{BoundedText, Email},
};

/// The buyer of a document. Requests name the tax id alone; the directory adds the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Buyer {
    pub tax_id: TaxId,
    /// The registered name; `None` until the directory has responded.
    pub legal_name: Option<String>,
    pub address: Option<BoundedText<1, 100>>,
    pub contact_name: Option<BoundedText<1, 80>>,
    pub email: Option<Email>,
}

impl Buyer {
    /// Returns a buyer with a taxpayer number only.
    pub const fn new(tax_id: TaxId) -> Self {
        Self { tax_id, legal_name: None, address: None, contact_name: None, email: None }
    }
}

/// The merchant's statement that a government document is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernmentEligibility {
    /// The order or contract with the government.
    pub authority_reference: BoundedText<1, 128>,
}

impl GovernmentEligibility {
    /// Whether a document of `kind` may, or must, have this statement.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::FiscalGovernmentEligibilityRequired`] or
    /// [`Unprocessable::FiscalGovernmentEligibilityNotAllowed`].
    pub const fn check(kind: DocumentKind, given: Option<&Self>) -> Result<(), Unprocessable> {
        match (kind, given) {
            (DocumentKind::Government, None) => Err(Unprocessable::FiscalGovernmentEligibilityRequired),
            (DocumentKind::Consumer | DocumentKind::FiscalCredit | DocumentKind::CreditNote, Some(_)) => {
                Err(Unprocessable::FiscalGovernmentEligibilityNotAllowed)
            }
            _ => Ok(()),
        }
    }
}

/// Entry of the directory of taxpayers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taxpayer {
    /// The number.
    pub tax_id: TaxId,
    /// The registered name.
    pub legal_name: String,
    /// Whether the taxpayer is in good standing.
    pub is_active: bool,
    /// Whether the number is of a public body. The directory only shows this by the number.
    pub is_government: bool,
}

impl Taxpayer {
    /// Returns a taxpayer by DGII's register. Only `ACTIVO` is in good standing. The register does not mark public
    /// bodies: their numbers begin with 4, as do those of associations, so that the buyer's own declaration counts
    /// too.
    pub fn registered(tax_id: TaxId, legal_name: String, status: &str) -> Self {
        let is_government = tax_id.as_str().len() == 9 && tax_id.as_str().starts_with('4');
        Self { tax_id, legal_name, is_active: status == "ACTIVO", is_government }
    }

    /// Why no document of `kind` can be made out to this taxpayer, if none can.
    pub const fn problem_with(&self, kind: DocumentKind) -> Option<ProblemCode> {
        if !self.is_active {
            Some(ProblemCode::BuyerTaxIdInactive)
        } else if matches!(kind, DocumentKind::Government) && !self.is_government {
            Some(ProblemCode::BuyerNotEligibleForKind)
        } else {
            None
        }
    }
}
