use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Account, Blocker, Lifecycle, NotifiedReadiness, Probe, ProbeVerdict, READINESS_CHECKS,
    blocker::{CREDIT_NOTE_NUMBERS, OF_EACH_KIND, SEQUENCE_AVAILABLE, SEQUENCE_SUFFICIENT},
};
use crate::{
    Refusal, Unprocessable,
    fiscal::{DocumentKind, IssuerState, RangeState, local_date},
    merchant::Profile,
};

/// Readiness of an account to sell, with the checks behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// Failed checks that block sales, or will soon.
    pub blockers: Vec<Blocker>,
    /// All checks.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The name.
    pub name: &'static str,
    /// The kind of document that the check is for; `None` for all.
    pub detail: Option<DocumentKind>,
    /// The status.
    pub status: CheckStatus,
    /// Time of the check.
    pub checked_at: DateTime<Utc>,
}

impl Check {
    /// The name of a check that is spelled as `text`.
    pub fn named(text: &str) -> Option<&'static str> {
        READINESS_CHECKS.iter().map(|(name, _)| *name).find(|it| *it == text)
    }
}

spelled! {
    /// Status of a check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CheckStatus {
        Passed = "passed",
        Failed = "failed",
        /// Not known yet.
        Pending = "pending",
        /// Not relevant for this account.
        Skipped = "skipped",
    }
}

impl CheckStatus {
    const fn of(is_passed: bool) -> Self {
        if is_passed { Self::Passed } else { Self::Failed }
    }

    const fn only_if(is_concerned: bool, is_passed: bool) -> Self {
        if is_concerned { Self::of(is_passed) } else { Self::Skipped }
    }
}

impl Readiness {
    /// A certificate with less validity left is a warning.
    pub const CERTIFICATE_NOTICE: TimeDelta = TimeDelta::days(30);
    /// Maximum skew between our clock and the provider's: beyond it, a signature may be dated in the future for the
    /// other.
    pub const SKEW: TimeDelta = TimeDelta::seconds(60);

    /// Looks at everything that a sale will need.
    pub fn assess(account: &Account, profile: Option<&Profile>, issuer: &IssuerState, now: DateTime<Utc>) -> Self {
        Self::of(
            of_account(account, now)
                .into_iter()
                .chain(of_provider(account, now))
                .chain(of_issuer(profile, issuer, now))
                .chain(of_sequences(issuer, now))
                .chain(of_credit_notes(issuer, now))
                .collect(),
        )
    }

    /// Readiness that follows from failed checks. A kind of document without numbers does not block sales of another
    /// kind.
    pub fn of(checks: Vec<Check>) -> Self {
        let is_kind_left = checks.iter().any(|it| it.name == SEQUENCE_AVAILABLE && it.status == CheckStatus::Passed);
        let blocker = |it: &Check| {
            let blocker = Blocker::of_check(it.name)?;
            let is_blocking = blocker.is_blocking && !(it.name == SEQUENCE_AVAILABLE && is_kind_left);
            Some(Blocker { is_blocking, detail: it.detail, ..blocker })
        };
        let failed = checks.iter().filter(|it| it.status == CheckStatus::Failed);
        Self { blockers: failed.filter_map(blocker).collect(), checks }
    }

    /// Checks that a payment with a document of `kind` can be accepted now.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::MerchantAccountNotReady`]; at `kind`, with the kind, if only documents are blocked, else with
    /// the codes of the blockers.
    pub fn check(&self, kind: DocumentKind) -> Result<(), Refusal> {
        let has_numbers = self.of_kind(kind).is_none_or(|it| it.status != CheckStatus::Failed);
        if self.is_selling() && has_numbers {
            return Ok(());
        }
        let blocking: Vec<&Blocker> = self.blockers.iter().filter(|it| it.is_blocking).collect();
        if !self.can_issue_at_all(kind) || !blocking.iter().all(|it| it.is_of_documents()) {
            let codes = blocking.iter().map(|it| it.code).collect::<Vec<_>>().join(", ");
            let message = format!("The merchant account is not ready: {codes}.");
            return Err(Refusal::of(Unprocessable::MerchantAccountNotReady).with_message(message));
        }
        let lacks =
            if has_numbers { "certificate is in force" } else { "number of the kind is left in a range in force" };
        let message = format!("The merchant account is not ready for `{}`: no {lacks}.", kind.as_str());
        Err(Refusal::at(Unprocessable::MerchantAccountNotReady, "kind").with_message(message))
    }

    /// Whether the document of an existing sale of `kind` can be issued now. A kind that never had numbers cannot.
    ///
    /// # Errors
    ///
    /// [`Unprocessable::MerchantAccountNotReady`].
    pub fn check_existing(&self, kind: DocumentKind) -> Result<(), Refusal> {
        self.check(kind)?;
        if self.can_issue_at_all(kind) { Ok(()) } else { Err(Unprocessable::MerchantAccountNotReady.into()) }
    }

    /// Whether the issuer ever had numbers for documents of `kind`.
    pub fn can_issue_at_all(&self, kind: DocumentKind) -> bool {
        self.of_kind(kind).is_some()
    }

    /// Returns the check that numbers of `kind` are available; `None` if the issuer never had any.
    fn of_kind(&self, kind: DocumentKind) -> Option<&Check> {
        self.checks.iter().find(|it| it.name == SEQUENCE_AVAILABLE && it.detail == Some(kind))
    }

    /// Every published status.
    pub const STATUSES: [&'static str; 3] = NotifiedReadiness::STATUSES;

    /// Returns the readiness for the next event.
    pub(super) fn notified(&self) -> NotifiedReadiness {
        let code = |blocker: &Blocker| match blocker.detail {
            Some(kind) => format!(" {}:{}", blocker.code, kind.as_str()),
            None => format!(" {}", blocker.code),
        };
        NotifiedReadiness::new(self.status().to_owned() + &self.blockers.iter().map(code).collect::<String>())
    }

    /// Returns the published status: `ready`, `degraded` (sales still work) or `not_ready`.
    pub fn status(&self) -> &'static str {
        match self.blockers.iter().map(|it| it.is_blocking).max() {
            None => "ready",
            Some(false) => "degraded",
            Some(true) => "not_ready",
        }
    }

    /// Whether sales are accepted.
    pub fn is_selling(&self) -> bool {
        self.status() != "not_ready"
    }
}

/// Returns the checks of the account's own data.
fn of_account(account: &Account, now: DateTime<Utc>) -> [Check; 4] {
    let check = |name, status| Check { name, detail: None, status, checked_at: now };
    // A pending account is blocked by its missing credentials.
    let waits = account.lifecycle == Lifecycle::Pending && account.provider.needs_credentials();
    let active = if waits { CheckStatus::Pending } else { CheckStatus::of(account.lifecycle == Lifecycle::Active) };
    let live = if account.mode.is_live() { CheckStatus::of(account.is_mode_enabled) } else { CheckStatus::Skipped };
    let credentials = match account.provider.needs_credentials() {
        true => CheckStatus::of(account.credential_version > 0),
        false => CheckStatus::Skipped,
    };
    let currencies = CheckStatus::of(!account.currencies.is_empty());
    [
        check("account_active", active),
        check("live_mode_enabled", live),
        check("credentials_present", credentials),
        check("currency_enabled", currencies),
    ]
}

/// Returns the checks of the last probe with the current credentials.
fn of_provider(account: &Account, now: DateTime<Utc>) -> [Check; 6] {
    let probe = account.present_probe();
    let unknown = if account.provider.needs_credentials() { CheckStatus::Pending } else { CheckStatus::Skipped };
    let checked_at = probe.map_or(now, |it| it.at);
    let check =
        |name, status: Option<CheckStatus>| Check { name, detail: None, status: status.unwrap_or(unknown), checked_at };
    let reached = probe.map(|it| CheckStatus::of(it.verdict != ProbeVerdict::Unreachable));
    let accepted = probe.and_then(|it| match it.verdict {
        ProbeVerdict::Accepted | ProbeVerdict::Uncertified => Some(CheckStatus::Passed),
        ProbeVerdict::Rejected => Some(CheckStatus::Failed),
        ProbeVerdict::Unreachable => None,
    });
    let certified = probe.and_then(|it| match it.verdict {
        ProbeVerdict::Accepted => Some(CheckStatus::Passed),
        ProbeVerdict::Uncertified => Some(CheckStatus::Failed),
        ProbeVerdict::Rejected | ProbeVerdict::Unreachable => None,
    });
    let notice = now.checked_add_signed(Readiness::CERTIFICATE_NOTICE).unwrap_or(now);
    let lasting = probe.and_then(|it| it.certificate_until).map(|until| CheckStatus::of(notice < until));
    let in_step = |it: &Probe| it.skew.map(|skew| CheckStatus::of(skew.abs() <= Readiness::SKEW));
    let in_step = probe.map(|it| in_step(it).unwrap_or(CheckStatus::Skipped));
    // The credentials contain the 3-D Secure programs.
    let programs = match (account.three_ds_programs.is_empty(), account.credential_version > 0) {
        (false, _) => Some(CheckStatus::Passed),
        (true, true) if account.provider.needs_credentials() => Some(CheckStatus::Failed),
        (true, _) => None,
    };
    [
        check("provider_reachable", reached),
        check("credentials_accepted", accepted),
        check("provider_certified", certified),
        check("client_certificate_lasting", lasting),
        check("clock_in_step", in_step),
        Check { checked_at: now, ..check("three_ds_certified", programs) },
    ]
}

/// Checks of the set-up for documents, apart from numbers. If the issuer never had a set-up, only its lack of
/// authorization is reported.
fn of_issuer(profile: Option<&Profile>, issuer: &IssuerState, now: DateTime<Utc>) -> [Check; 4] {
    let check = |name, status| Check { name, detail: None, status, checked_at: now };
    let profile_complete = profile.is_some_and(|it| it.missing_fields().is_empty());
    let certificate = issuer.certificate(now);
    let (has_certificate, has_numbers) = (certificate.is_some(), issuer.has_sale_ranges());
    let certificate_valid = certificate.is_some_and(|it| it.is_valid(now));
    let certificate_lasts = issuer.signs_beyond_notice(now);
    [
        check("profile_complete", CheckStatus::of(profile_complete)),
        check("issuer_authorized", CheckStatus::of(has_certificate && has_numbers)),
        check("certificate_valid", CheckStatus::only_if(has_certificate, certificate_valid)),
        check("certificate_lasting", CheckStatus::only_if(certificate_valid, certificate_lasts)),
    ]
}

/// Whether each kind of a sale's document with ranges has numbers left, and enough of them.
fn of_sequences(issuer: &IssuerState, now: DateTime<Utc>) -> Vec<Check> {
    let mut kinds = issuer.kinds(local_date(now));
    kinds.remove(&DocumentKind::CreditNote);
    if kinds.is_empty() {
        let skipped = |name| Check { name, detail: None, status: CheckStatus::Skipped, checked_at: now };
        return OF_EACH_KIND.map(skipped).to_vec();
    }
    let of_kind = |(kind, state): (DocumentKind, RangeState)| {
        let is_left = matches!(state, RangeState::Open | RangeState::Low);
        let found = [CheckStatus::of(is_left), CheckStatus::only_if(is_left, state == RangeState::Open)];
        let named = OF_EACH_KIND.into_iter().zip(found);
        named.map(move |(name, status)| Check { name, detail: Some(kind), status, checked_at: now })
    };
    kinds.into_iter().flat_map(of_kind).collect()
}

/// Whether numbers for credit notes are left, once there ever was a range, and enough of them.
fn of_credit_notes(issuer: &IssuerState, now: DateTime<Utc>) -> Vec<Check> {
    let state = issuer.kinds(local_date(now)).get(&DocumentKind::CreditNote).copied();
    let is_left = matches!(state, Some(RangeState::Open | RangeState::Low));
    let check = |name, detail, status| Check { name, detail, status, checked_at: now };
    let numbers = check(CREDIT_NOTE_NUMBERS, None, CheckStatus::only_if(state.is_some(), is_left));
    let is_enough = state == Some(RangeState::Open);
    let of_kind = check(SEQUENCE_SUFFICIENT, Some(DocumentKind::CreditNote), CheckStatus::of(is_enough));
    [numbers].into_iter().chain(is_left.then_some(of_kind)).collect()
}
