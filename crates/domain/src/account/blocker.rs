use crate::fiscal::DocumentKind;

/// Failed check that blocks sales, or will soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocker {
    /// The published code.
    pub code: &'static str,
    /// Party that can clear the blocker: `merchant`, `provider`, `service` or `tax_authority`.
    pub owner: &'static str,
    /// Whether sales are stopped already.
    pub is_blocking: bool,
    /// The kind of document that is blocked; `None` if all sales are.
    pub detail: Option<DocumentKind>,
}

/// Checks of each kind of document for which the issuer has ranges.
pub const OF_EACH_KIND: [&str; 2] = [SEQUENCE_AVAILABLE, SEQUENCE_SUFFICIENT];
pub(super) const SEQUENCE_AVAILABLE: &str = "sequence_available";
/// Check of the numbers for credit notes, which never block sales.
pub(super) const CREDIT_NOTE_NUMBERS: &str = "credit_note_numbers";
pub(super) const SEQUENCE_SUFFICIENT: &str = "sequence_sufficient";

/// Every check in published order, with its blocker.
pub const READINESS_CHECKS: [(&str, Blocker); 17] = [
    ("account_active", blocking("merchant_account_disabled", "merchant")),
    ("live_mode_enabled", blocking("live_mode_not_enabled", "service")),
    ("credentials_present", blocking("credentials_missing", "merchant")),
    ("currency_enabled", blocking("currency_not_enabled", "provider")),
    ("provider_reachable", warning("provider_outage", "provider")),
    ("credentials_accepted", blocking("credentials_rejected", "merchant")),
    ("provider_certified", blocking("provider_certification_pending", "provider")),
    ("client_certificate_lasting", warning("credentials_expiring", "merchant")),
    ("clock_in_step", warning("clock_skew", "service")),
    ("three_ds_certified", warning("three_ds_not_certified", "provider")),
    ("profile_complete", blocking("merchant_profile_incomplete", "merchant")),
    ("issuer_authorized", blocking("fiscal_issuer_not_authorized", "tax_authority")),
    ("certificate_valid", blocking("fiscal_certificate_expired", "merchant")),
    ("certificate_lasting", warning("fiscal_certificate_expiring", "merchant")),
    (SEQUENCE_AVAILABLE, blocking("fiscal_sequence_exhausted", "merchant")),
    (SEQUENCE_SUFFICIENT, warning("fiscal_sequence_low", "merchant")),
    (CREDIT_NOTE_NUMBERS, warning("fiscal_sequence_low", "merchant")),
];

impl Blocker {
    /// Returns the blocker of a failed check.
    pub fn of_check(name: &str) -> Option<Self> {
        READINESS_CHECKS.iter().find(|(check, _)| *check == name).map(|(_, blocker)| *blocker)
    }

    /// Whether only the fiscal set-up causes the block.
    pub(super) fn is_of_documents(&self) -> bool {
        ["fiscal_issuer_not_authorized", "fiscal_certificate_expired", "fiscal_sequence_exhausted"].contains(&self.code)
    }
}

const fn blocking(code: &'static str, owner: &'static str) -> Blocker {
    Blocker { code, owner, is_blocking: true, detail: None }
}

const fn warning(code: &'static str, owner: &'static str) -> Blocker {
    Blocker { code, owner, is_blocking: false, detail: None }
}
