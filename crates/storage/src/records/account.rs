use chrono::{DateTime, Utc};
use domain::{
    Currency,
    account::{Account, Check, CheckStatus, Probe, Readiness},
    fiscal::DocumentKind,
    merchant::Address,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    json::{Json, Own, Ref, record, via},
    parts,
};

parts! {
    /// Abilities of an account.
    Abilities of Account {
        currencies: Vec<Currency>,
        card_brands: Vec<String>,
        three_ds_programs: Vec<String>,
        wallets: Vec<String>,
    }
}

record!(Address { line1, line2, city, province, postal_code, country_code });
record!(Probe { credential_version, verdict, certificate_until, skew as "skew_milliseconds", at });

/// The readiness of an account in an event.
struct ReadinessRecord {
    checks: Vec<CheckRecord>,
}

struct CheckRecord {
    name: String,
    detail: Option<DocumentKind>,
    status: CheckStatus,
    at: DateTime<Utc>,
}

record!(ReadinessRecord { checks });
record!(CheckRecord { name, detail, status, at });
via!(Readiness as ReadinessRecord:
    |readiness| {
        let check = |check: &Check| CheckRecord {
            name: check.name.to_owned(),
            detail: check.detail,
            status: check.status,
            at: check.checked_at,
        };
        ReadinessRecord { checks: readiness.checks.iter().map(check).collect() }
    },
    |record| {
        let check = |check: CheckRecord| {
            let CheckRecord { name, detail, status, at } = check;
            Some(Check { name: Check::named(&name)?, detail, status, checked_at: at })
        };
        Some(Self::of(record.checks.into_iter().map(check).collect::<Option<_>>()?))
    }
);
