//! Choice of the certificate that a taxpayer signs with.

use std::cmp::Reverse;

use chrono::{DateTime, TimeDelta, Utc};

use super::TaxId;

/// Public data of a certificate, which needs no key to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Subject, as text.
    pub subject: String,
    /// Start of validity.
    pub not_before: DateTime<Utc>,
    /// End of validity.
    pub not_after: DateTime<Utc>,
}

impl CertificateFacts {
    /// Whether the certificate is in force at `now`.
    pub fn is_valid(&self, now: DateTime<Utc>) -> bool {
        self.not_before <= now && now <= self.not_after
    }

    /// Whether the certificate ends within 30 days.
    pub fn is_expiring(&self, now: DateTime<Utc>) -> bool {
        self.not_after.signed_duration_since(now) < TimeDelta::days(30)
    }
}

/// A certificate in an imported file, which may sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedCertificate {
    /// Public data of the certificate.
    pub facts: CertificateFacts,
    /// `serialNumber` of the subject.
    pub serial_number: Option<String>,
}

/// Why no certificate of a file is imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateChoiceError {
    /// All certificates have expired.
    #[error("the certificate has expired")]
    Expired,
    /// The file contains certificates of several holders, and only one can be the signer.
    #[error("the file has certificates of several holders: export one of {0}")]
    SeveralHolders(String),
}

impl OfferedCertificate {
    /// Returns the certificates to store, by index in `offered`: the valid one that ends last, then those that begin
    /// later and end after it, in order of their start. Each takes over on its first day.
    ///
    /// # Errors
    ///
    /// If no certificate is valid now or later, or they belong to several holders.
    pub fn choose(offered: &[Self], now: DateTime<Utc>) -> Result<Vec<usize>, CertificateChoiceError> {
        let live = || offered.iter().enumerate().filter(|(_, it)| now <= it.facts.not_after);
        let mut holders: Vec<&str> = live().map(|(_, it)| it.holder()).collect();
        holders.sort_unstable();
        holders.dedup();
        match holders.as_slice() {
            [] => return Err(CertificateChoiceError::Expired),
            [_] => {}
            several => return Err(CertificateChoiceError::SeveralHolders(several.join("; "))),
        }
        let current = live().filter(|(_, it)| it.facts.is_valid(now)).max_by_key(|(_, it)| it.facts.not_after);
        let lasts = |it: &Self| current.is_none_or(|(_, current)| current.facts.not_after < it.facts.not_after);
        let mut later: Vec<(usize, &Self)> = live().filter(|(_, it)| now < it.facts.not_before && lasts(it)).collect();
        later.sort_by_key(|(_, it)| (it.facts.not_before, Reverse(it.facts.not_after)));
        Ok(current.into_iter().chain(later).map(|(index, _)| index).collect())
    }

    /// Whether the authority can identify the holder by the subject's `serialNumber`: an RNC, a cédula or a passport,
    /// as in `IDCDO-00113918205` (ETSI EN 319 412-1) or plain.
    pub fn names_taxpayer(&self) -> bool {
        let Some(text) = self.serial_number.as_deref() else { return false };
        let (kind, number) =
            text.split_once('-').map_or(("", text), |(kind, number)| (kind.get(..3).unwrap_or(kind), number));
        let is_passport = |it: &str| {
            let has_digits = it.bytes().any(|it| it.is_ascii_digit());
            (5..=20).contains(&it.len()) && has_digits && it.bytes().all(|it| it.is_ascii_alphanumeric())
        };
        match kind {
            "PAS" => is_passport(number),
            "IDC" | "PNO" | "TIN" | "VAT" | "NTR" => TaxId::well_formed(number).is_ok(),
            // A number that is written in groups contains hyphens, too.
            _ => {
                TaxId::well_formed(text).is_ok()
                    || (is_passport(text) && text.starts_with(|it: char| it.is_ascii_alphabetic()))
            }
        }
    }

    fn holder(&self) -> &str {
        self.serial_number.as_deref().unwrap_or(&self.facts.subject)
    }
}
