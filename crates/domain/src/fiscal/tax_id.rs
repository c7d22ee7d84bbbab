//! Taxpayer numbers: RNC and cédula.

use std::fmt;

use crate::refusal::InvalidRequest;

/// A Dominican tax id: the nine digits of an RNC or the eleven of a cédula.
///
/// Text, because leading zeros count. The check digit does not prove whether a taxpayer exists: only
/// the taxpayer register does. A cédula is personal data, so
/// [`Debug`](fmt::Debug) shows the last three digits alone.
///
/// ```
/// use cobro_domain::{InvalidRequest, fiscal::TaxId};
///
/// let company = TaxId::parse("1-01-85004-3").unwrap();
///
/// assert_eq!(company.as_str(), "101850043");
/// assert!(company.is_rnc());
/// assert_eq!(TaxId::parse("1-01-85004-4"), Err(InvalidRequest::FiscalBuyerTaxIdInvalid));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TaxId(String);

impl TaxId {
    /// Parses a taxpayer number without its spaces and hyphens.
    ///
    /// # Errors
    ///
    /// `fiscal_buyer_tax_id_invalid` unless nine or eleven digits with a correct check digit are left.
    pub fn parse(text: &str) -> Result<Self, InvalidRequest> {
        Self::of_buyer(text, None)
    }

    /// Parses the number of a buyer. A wrong check digit is accepted for `listed`, the number that the register lists.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn of_buyer(text: &str, listed: Option<&Self>) -> Result<Self, InvalidRequest> {
        let tax_id = Self::well_formed(text)?;
        let is_accepted = tax_id.is_checked() || listed == Some(&tax_id);
        if is_accepted { Ok(tax_id) } else { Err(InvalidRequest::FiscalBuyerTaxIdInvalid) }
    }

    /// Returns the nine or eleven digits in `text` without a check of the last: some registered numbers break its
    /// rule.
    ///
    /// # Errors
    ///
    /// `fiscal_buyer_tax_id_invalid` unless nine or eleven digits are left without the separators.
    pub fn well_formed(text: &str) -> Result<Self, InvalidRequest> {
        let digits: String = text.chars().filter(|it| !matches!(it, ' ' | '-')).collect();
        let is_number = digits.bytes().all(|it| it.is_ascii_digit());
        match digits.len() {
            RNC_LENGTH | CEDULA_LENGTH if is_number => Ok(Self(digits)),
            _ => Err(InvalidRequest::FiscalBuyerTaxIdInvalid),
        }
    }

    /// Whether the last digit checks the others, or the number is known to break that rule.
    pub fn is_checked(&self) -> bool {
        if self.is_rnc() {
            checks_as_rnc(&self.0) || REGISTERED_DESPITE_CHECK.contains(&self.as_str())
        } else {
            checks_as_cedula(&self.0)
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the number is an RNC; otherwise it is the cédula of a person.
    pub fn is_rnc(&self) -> bool {
        self.0.len() == RNC_LENGTH
    }
}

impl fmt::Debug for TaxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.len().saturating_sub(3);
        write!(f, "TaxId(…{})", self.0.get(shown..).unwrap_or_default())
    }
}

const RNC_LENGTH: usize = 9;
const CEDULA_LENGTH: usize = 11;

/// RNCs in the taxpayers' register that break the rule of the check digit.
///
/// The rule and the list are common knowledge among implementers rather than published by DGII; this
/// is the list of python-stdnum (`stdnum/do/rnc.py`) but for one number of eight digits, which no
/// field can hold. Several hundred registered cédulas break their rule as well: the register lists them.
const REGISTERED_DESPITE_CHECK: &[&str] = &[
    "101581601",
    "101582245",
    "101595422",
    "101595785",
    "131188691",
    "401007374",
    "501341601",
    "501378067",
    "501620371",
    "501651319",
    "501651823",
    "501651845",
    "501651926",
    "501656006",
    "501658167",
    "501670785",
    "501676936",
    "501680158",
    "504654542",
    "504680029",
    "504681442",
    "505038691",
];

/// Weighted sum of the first eight digits, modulo 11: a remainder of 0 checks as 2, of 1 as 1, any
/// other as 11 less the remainder.
fn checks_as_rnc(digits: &str) -> bool {
    const WEIGHTS: [u32; 8] = [7, 9, 8, 6, 5, 4, 3, 2];
    const CHECK_BY_REMAINDER: &str = "21987654321";

    let sum: u32 = values(digits).zip(WEIGHTS).map(|(digit, weight)| digit.saturating_mul(weight)).sum();
    let expected = usize::try_from(sum % 11).ok().and_then(|it| CHECK_BY_REMAINDER.chars().nth(it));
    digits.chars().next_back() == expected
}

/// Luhn's formula: every second digit from the right counts double, as the sum of its digits, and the total is a
/// multiple of ten.
fn checks_as_cedula(digits: &str) -> bool {
    const COUNTS: [[u32; 10]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]];

    let counted = values(digits).rev().zip(COUNTS.iter().cycle());
    let sum: u32 = counted.filter_map(|(digit, counts)| counts.get(usize::try_from(digit).ok()?)).sum();
    sum.is_multiple_of(10)
}

fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    digits.chars().filter_map(|it| it.to_digit(10))
}
