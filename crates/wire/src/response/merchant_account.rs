use domain::{
    account::{self, Account},
    fiscal::DocumentKind,
};
use serde::Serialize;

use super::Timestamp;

/// A merchant's own account at a provider, and whether it is ready to sell.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantAccountResponse<'a> {
    id: &'a str,
    object: &'static str,
    provider: &'static str,
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    venue_reference: Option<&'a str>,
    lifecycle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential_version: Option<u32>,
    readiness: Readiness,
    created_at: Timestamp,
}

#[derive(Serialize)]
struct Readiness {
    status: &'static str,
    blockers: Vec<Blocker>,
    checks: Vec<Check>,
}

#[derive(Serialize)]
struct Blocker {
    code: &'static str,
    owner: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    check: &'static str,
    status: &'static str,
    // A report that is green says since when.
    checked_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'static str>,
}

impl<'a> MerchantAccountResponse<'a> {
    /// The account and what was found when its readiness was assessed.
    pub fn new(account: &'a Account, readiness: &account::Readiness) -> Self {
        Self {
            id: account.id.as_str(),
            object: "merchant_account",
            provider: account.provider.as_str(),
            mode: account.mode.as_str(),
            venue_reference: account.venue_reference.as_ref().map(|it| it.as_str()),
            lifecycle: account.lifecycle.as_str(),
            credential_version: Some(account.credential_version).filter(|&version| version > 0),
            readiness: readiness.into(),
            created_at: account.created_at.into(),
        }
    }
}

impl From<&account::Readiness> for Readiness {
    fn from(readiness: &account::Readiness) -> Self {
        let kind = |it: DocumentKind| it.as_str();
        let blocker = |it: &account::Blocker| Blocker { code: it.code, owner: it.owner, detail: it.detail.map(kind) };
        let check = |it: &account::Check| Check {
            check: it.name,
            status: it.status.as_str(),
            checked_at: it.checked_at.into(),
            detail: it.detail.map(kind),
        };
        Self {
            status: readiness.status(),
            blockers: readiness.blockers.iter().map(blocker).collect(),
            checks: readiness.checks.iter().map(check).collect(),
        }
    }
}
