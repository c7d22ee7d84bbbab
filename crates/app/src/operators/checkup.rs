//! Findings about a deployment for its operator: one for each checked part.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    account::{Lifecycle, Readiness},
    fiscal::{DocumentKind, RangeState, local_date},
};

use super::{
    contested,
    key_check::KeyFault,
    survey::{Survey, TenantSetup, is_used},
};

use crate::documents::register;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "what a person reads of it")]
pub enum Severity {
    Ok,
    Warn,
    Fail,
}

impl Severity {
    /// Returns the name in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the check.
    pub name: &'static str,
    /// Severity.
    pub severity: Severity,
    /// Description in one sentence, without secrets.
    pub detail: String,
}

impl Finding {
    /// Maximum number of remarks in a description.
    const MAX_REMARKS: usize = 10;

    /// A finding of that severity.
    pub fn new(name: &'static str, severity: Severity, detail: impl Into<String>) -> Self {
        Self { name, severity, detail: detail.into() }
    }

    /// Returns a finding with the remarks, worst first; `otherwise` if there are none.
    pub(super) fn of(name: &'static str, mut remarks: Vec<(Severity, String)>, otherwise: String) -> Self {
        remarks.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
        let Some((worst, _)) = remarks.first() else { return Self::new(name, Severity::Ok, otherwise) };
        let severity = *worst;
        let more = remarks.len().saturating_sub(Self::MAX_REMARKS);
        let mut text: Vec<String> = remarks.into_iter().take(Self::MAX_REMARKS).map(|(_, it)| it).collect();
        if more > 0 {
            text.push(format!("and {more} more"));
        }
        Self::new(name, severity, text.join("; "))
    }
}

/// Checks that the key opens the secrets of the database; `lost` secrets open under no key.
pub fn of_key(looked: &Result<bool, KeyFault>, lost: u64) -> Finding {
    match looked {
        Ok(_) if lost > 0 => {
            let text = "secrets that are needed open under no key: set credentials and certificate again";
            Finding::new("key", Severity::Fail, format!("{lost} {text}, and turn the endpoints' secrets"))
        }
        Ok(true) => Finding::new("key", Severity::Ok, "the master key opens the secrets of the database"),
        Ok(false) => Finding::new("key", Severity::Ok, "the database has no sealed values yet to check the master key"),
        Err(fault) => Finding::new("key", Severity::Fail, format!("the master key cannot be used: {fault}")),
    }
}

/// Checks that clocks agree with ours: each with a name, and the difference if known.
pub fn of_clocks(clocks: &[(&str, Option<TimeDelta>)]) -> Finding {
    let seconds = |skew: TimeDelta| skew.num_seconds().saturating_abs();
    let apart = |(whose, skew): &(&str, Option<TimeDelta>)| {
        let skew = skew.filter(|it| it.abs() > Readiness::SKEW)?;
        let side = if skew > TimeDelta::zero() { "before" } else { "behind" };
        Some((Severity::Fail, format!("the clock of {whose} is {} s {side} ours", seconds(skew))))
    };
    let text: Vec<&str> = clocks.iter().filter(|(_, skew)| skew.is_some()).map(|(whose, _)| *whose).collect();
    let otherwise = format!("in step with the clock of {}", text.join(" and of "));
    Finding::of("clock", clocks.iter().filter_map(apart).collect(), otherwise)
}

/// Checks that every issuer with numbers can sign.
pub fn of_certificates(surveyed: &[TenantSetup], now: DateTime<Utc>) -> Finding {
    let issuers: Vec<&TenantSetup> = surveyed.iter().filter(|it| !it.setup.issuer.ranges.is_empty()).collect();
    if issuers.is_empty() {
        return Finding::new("certificate", Severity::Warn, "no merchant has a range of numbers");
    }
    let mut least = None;
    let mut remark = |it: &TenantSetup| {
        let issuer = &it.setup.issuer;
        let Some(facts) = issuer.certificate(now) else {
            return Some((Severity::Fail, format!("{} has no certificate", it.name())));
        };
        let days = facts.not_after.signed_duration_since(now).num_days();
        if facts.not_before > now {
            return Some((Severity::Fail, format!("that of {} holds from {} on", it.name(), facts.not_before)));
        }
        if !facts.is_valid(now) {
            return Some((Severity::Fail, format!("that of {} ended on {}", it.name(), local_date(facts.not_after))));
        }
        least = Some(least.map_or(days, |least: i64| least.min(days)));
        let is_ending = !issuer.signs_beyond_notice(now);
        is_ending.then(|| (Severity::Warn, format!("that of {} has {days} days left", it.name())))
    };
    let remarks = issuers.iter().filter_map(|it| remark(it)).collect();
    let otherwise = format!("in force, for {} days at least", least.unwrap_or_default());
    Finding::of("certificate", remarks, otherwise)
}

/// Checks that there are numbers for documents of every kind that a merchant has ranges for.
pub fn of_sequences(surveyed: &[TenantSetup], now: DateTime<Utc>) -> Finding {
    let today = local_date(now);
    let mut remarks = Vec::new();
    for it in surveyed {
        let mut kinds = it.setup.issuer.kinds(today);
        // They have a check of their own.
        kinds.remove(&DocumentKind::CreditNote);
        if kinds.is_empty() {
            remarks.push((Severity::Warn, format!("{} has no range of numbers", it.name())));
        }
        for (kind, state) in kinds {
            let severity = match state {
                RangeState::Open => continue,
                RangeState::Low => Severity::Warn,
                RangeState::Expired | RangeState::Exhausted => Severity::Fail,
            };
            remarks.push((severity, format!("{} of {}: {}", kind.as_str(), it.name(), state.as_str())));
        }
        remarks.extend(contested::remarks(it).map(|remark| (Severity::Warn, remark)));
    }
    if surveyed.is_empty() {
        remarks.push((Severity::Warn, "no merchant has a range of numbers".to_owned()));
    }
    Finding::of("sequences", remarks, "every kind has numbers left".to_owned())
}

/// Checks that accounts can sell, apart from the requirements of documents, which have their own checks.
pub fn of_accounts(survey: &Survey, now: DateTime<Utc>) -> Finding {
    let (mut remarks, mut ready) = (Vec::new(), 0_u32);
    for (it, account) in
        survey.surveyed.iter().flat_map(|it| it.setup.accounts.iter().map(move |account| (it, account)))
    {
        if !is_used(account) {
            continue;
        }
        let readiness = Readiness::assess(account, it.setup.profile.as_ref(), &it.setup.issuer, now);
        let blockers: Vec<_> = readiness.blockers.iter().filter(|it| !it.code.starts_with("fiscal_")).collect();
        let silent = survey.timed_out.contains(&account.id).then_some("the provider did not respond in time");
        if blockers.is_empty() && silent.is_none() {
            ready += 1;
            continue;
        }
        // An account that waits for credentials is not in use yet.
        let is_broken = blockers.iter().any(|it| it.is_blocking) && account.lifecycle == Lifecycle::Active;
        let codes: Vec<&str> = silent.into_iter().chain(blockers.iter().map(|it| it.code)).collect();
        let severity = if is_broken { Severity::Fail } else { Severity::Warn };
        remarks.push((severity, format!("{} of {}: {}", account.id, it.name(), codes.join(", "))));
    }
    if ready == 0 && remarks.is_empty() {
        remarks.push((Severity::Warn, "no merchant has an account".to_owned()));
    }
    Finding::of("provider", remarks, format!("accounts that can sell: {ready}"))
}

/// Checks the age of the register in force, which confirms buyers.
pub fn of_register(in_force: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Finding {
    let Some(as_of) = in_force else {
        let none = "no register of taxpayers was imported: documents for named buyers wait (`cobro directory import`)";
        return Finding::new("directory", Severity::Warn, none);
    };
    let age = now.signed_duration_since(as_of);
    let left = register::FRESH - age;
    let day = as_of.date_naive();
    if left < TimeDelta::zero() {
        let old = format!("the register of taxpayers is of {day}, which is too old: documents for named buyers wait");
        return Finding::new("directory", Severity::Fail, old);
    }
    let hours = left.num_hours();
    let text = format!("the register of taxpayers is of {day} and answers for {hours} hours more");
    if age >= register::REPLACED {
        let newer = "; DGII publishes it every Saturday: import the newest";
        return Finding::new("directory", Severity::Warn, text + newer);
    }
    Finding::new("directory", Severity::Ok, text)
}

#[cfg(test)]
mod tests {
    use domain::{
        Mode,
        account::Account,
        fiscal::{CertificateFacts, NumberRange},
    };
    use ports::{Setup, Tenant};
    use testkit::sample;

    use super::*;

    fn of(change: impl FnOnce(&mut Setup)) -> Vec<TenantSetup> {
        let context = sample::sale_context();
        let mut setup = Setup {
            profile: Some(context.profile),
            accounts: context.accounts,
            issuer: context.issuer,
            ..Setup::default()
        };
        change(&mut setup);
        vec![TenantSetup { tenant: Tenant { mode: Mode::Test, ..sample::tenant() }, setup, contested: Vec::new() }]
    }

    #[track_caller]
    fn check(finding: &Finding, severity: Severity, word: &str) {
        assert_eq!(finding.severity, severity, "{finding:?}");
        assert!(finding.detail.contains(word), "{finding:?}");
    }

    #[test]
    fn a_certificate_is_reported_before_and_after_its_end() {
        let until = |days| {
            of(|it| {
                let until = sample::noon() + TimeDelta::days(days);
                let facts = it.issuer.certificates.remove(0);
                it.issuer.certificates = vec![CertificateFacts { not_after: until, ..facts }];
            })
        };
        check(&of_certificates(&until(90), sample::noon()), Severity::Ok, "90 days");
        check(&of_certificates(&until(12), sample::noon()), Severity::Warn, "12 days left");
        check(&of_certificates(&until(-1), sample::noon()), Severity::Fail, "ended on");
        let mut followed = until(12);
        let next = CertificateFacts {
            not_before: sample::noon() + TimeDelta::days(11),
            not_after: sample::noon() + TimeDelta::days(300),
            ..sample::certificate()
        };
        followed[0].setup.issuer.certificates.insert(0, next);
        check(&of_certificates(&followed, sample::noon()), Severity::Ok, "in force");
        let none = of(|it| it.issuer.certificates.clear());
        check(&of_certificates(&none, sample::noon()), Severity::Fail, "has no certificate");
        check(&of_certificates(&of(|it| it.issuer.ranges.clear()), sample::noon()), Severity::Warn, "no merchant");
    }

    #[test]
    fn a_kind_has_the_state_of_its_best_range() {
        let range = |next, valid_until: &str| NumberRange {
            first: 1,
            last: 100,
            next,
            valid_until: Some(valid_until.parse().unwrap()),
            ..sample::range(DocumentKind::Consumer)
        };
        let with = |ranges: Vec<NumberRange>| of_sequences(&of(|it| it.issuer.ranges = ranges), sample::noon());
        let (open, low) = (range(1, "2099-12-31"), range(99, "2099-12-31"));
        let (expired, exhausted) = (range(1, "2020-12-31"), range(101, "2099-12-31"));

        check(&with(vec![exhausted.clone(), open]), Severity::Ok, "numbers left");
        check(&with(vec![exhausted.clone(), low]), Severity::Warn, "consumer of merchant_");
        check(&with(vec![expired]), Severity::Fail, "expired");
        check(&with(vec![exhausted]), Severity::Fail, "exhausted");
        check(&with(Vec::new()), Severity::Warn, "has no range");
    }

    #[test]
    fn an_account_that_waits_for_its_credentials_is_no_failure() {
        let with = |change: fn(&mut Account)| {
            let survey = Survey { surveyed: of(|it| change(&mut it.accounts[0])), ..Survey::default() };
            of_accounts(&survey, sample::noon())
        };

        check(&with(|_| {}), Severity::Ok, "accounts");
        check(&with(|it| it.currencies.clear()), Severity::Fail, "currency_not_enabled");
        let waiting = |it: &mut Account| {
            it.currencies.clear();
            it.lifecycle = Lifecycle::Pending;
        };
        check(&with(waiting), Severity::Warn, "merchant_account_");
        check(&with(|it| it.lifecycle = Lifecycle::Closed), Severity::Warn, "no merchant has an account");
    }

    #[test]
    fn clocks_and_the_register_have_their_limits() {
        let apart = |seconds| of_clocks(&[("the database", Some(TimeDelta::seconds(seconds))), ("azul", None)]);
        check(&apart(60), Severity::Ok, "in step with the clock of the database");
        check(&apart(61), Severity::Fail, "61 s before ours");
        check(&apart(-61), Severity::Fail, "61 s behind ours");
        let aged = |hours| of_register(Some(sample::noon() - TimeDelta::hours(hours)), sample::noon());
        check(&aged(24), Severity::Ok, "312 hours more");
        check(&aged(167), Severity::Ok, "169 hours more");
        check(&aged(168), Severity::Warn, "168 hours more; DGII publishes it every Saturday");
        check(&aged(337), Severity::Fail, "too old");
        check(&of_register(None, sample::noon()), Severity::Warn, "no register");
    }
}
