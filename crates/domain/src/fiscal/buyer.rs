//! Who buys, and what the taxpayer directory says of them.

use super::{DocumentKind, ProblemCode, TaxId};
use crate::{
    Unprocessable,
    text::{Email, Line},
};

/// The buyer of a document. Requests name the tax id alone; the directory adds the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by the interface document")]
pub struct Buyer {
    pub tax_id: TaxId,
    /// The registered name; `None` until the directory has answered.
    pub legal_name: Option<String>,
    pub address: Option<Line<1, 100>>,
    pub contact_name: Option<Line<1, 80>>,
    pub email: Option<Email>,
}

impl Buyer {
    /// A buyer of whom nothing but the number is known.
    pub const fn new(tax_id: TaxId) -> Self {
        Self { tax_id, legal_name: None, address: None, contact_name: None, email: None }
    }
}

/// The merchant's word that a government document is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GovernmentEligibility {
    /// The order or contract that says so.
    pub authority_reference: Line<1, 128>,
}

impl GovernmentEligibility {
    /// Whether a document of `kind` may carry this word, or must.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::FiscalGovernmentEligibilityRequired`] or
    /// [`Unprocessable::FiscalGovernmentEligibilityNotAllowed`].
    pub const fn check(kind: DocumentKind, given: Option<&Self>) -> Result<(), Unprocessable> {
        match (kind, given) {
            (DocumentKind::Government, None) => Err(Unprocessable::FiscalGovernmentEligibilityRequired),
            (DocumentKind::Consumer | DocumentKind::FiscalCredit, Some(_)) => {
                Err(Unprocessable::FiscalGovernmentEligibilityNotAllowed)
            }
            _ => Ok(()),
        }
    }
}

/// What the directory knows of a taxpayer.
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
    /// A taxpayer as DGII's register lists it. In good standing is `ACTIVO` alone. Of public bodies it says nothing but
    /// that their numbers begin with 4, which those of associations do, too: the buyer's own word stands beside it.
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
