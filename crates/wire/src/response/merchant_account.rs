use domain::{
    MerchantAccountId, Mode,
    account::{self, Account, Lifecycle, Provider},
    fiscal::DocumentKind,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::value::{Coded, Id, MerchantAccountObject, Text, Timestamp};
use crate::schema;

/// Account of a merchant at a payment provider.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MerchantAccount")]
pub struct MerchantAccountResponse<'a> {
    /// Identifier of the account.
    id: Id<'a, MerchantAccountId>,
    /// Type of the object.
    object: MerchantAccountObject,
    /// Payment provider of the account.
    provider: Coded<Provider>,
    /// Mode of the account.
    mode: Coded<Mode>,
    /// The merchant's own name for the point of sale.
    #[serde(skip_serializing_if = "Option::is_none")]
    venue_reference: Option<Text<'a, 1, 256>>,
    /// State of the account.
    lifecycle: Coded<Lifecycle>,
    /// Number of times that credentials were set. Absent before the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    credential_version: Option<u32>,
    /// Whether the account can sell.
    readiness: Readiness,
    /// When the account was created.
    created_at: Timestamp,
}

/// Whether an account can sell, and the blockers.
#[derive(JsonSchema, Serialize)]
struct Readiness {
    /// `degraded` still sells, but not every kind of document.
    #[schemars(extend("enum" = ["ready", "not_ready", "degraded"]))]
    status: &'static str,
    /// Blockers of sales.
    blockers: Vec<Blocker>,
    /// Every check, with the time.
    checks: Vec<Check>,
}

#[derive(JsonSchema, Serialize)]
#[schemars(inline)]
struct Blocker {
    /// Stable code. More codes may be added.
    #[schemars(schema_with = "blocker_codes")]
    code: &'static str,
    /// Party that can remove the blocker.
    #[schemars(extend("enum" = ["merchant", "provider", "service", "tax_authority"]))]
    owner: &'static str,
    /// Kind of document that is blocked. Absent if all sales are blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    detail: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Check {
    /// Name of the check.
    #[schemars(length(min = 1, max = 64))]
    check: &'static str,
    /// Result of the check.
    #[schemars(extend("enum" = ["passed", "failed", "pending", "skipped"]))]
    status: &'static str,
    /// When the check ran.
    checked_at: Timestamp,
    /// Kind of document that was checked. Absent if the check concerns all sales.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 256))]
    detail: Option<&'static str>,
}

fn blocker_codes(_: &mut SchemaGenerator) -> Schema {
    let codes = account::READINESS_CHECKS.iter().map(|(_, blocker)| blocker.code);
    schema::open_choice(codes).try_into().expect("a schema is an object")
}

impl<'a> MerchantAccountResponse<'a> {
    /// Returns the account with the result of the last readiness check.
    pub fn new(account: &'a Account, readiness: &account::Readiness) -> Self {
        Self {
            id: (&account.id).into(),
            object: MerchantAccountObject,
            provider: account.provider.into(),
            mode: account.mode.into(),
            venue_reference: account.venue_reference.as_ref().map(Text::from),
            lifecycle: account.lifecycle.into(),
            credential_version: Some(account.credential_version).filter(|&version| version > 0),
            readiness: readiness.into(),
            created_at: account.created_at.into(),
        }
    }
}

impl From<&account::Readiness> for Readiness {
    fn from(readiness: &account::Readiness) -> Self {
        let kind = |kind: DocumentKind| kind.as_str();
        let blocker = |blocker: &account::Blocker| Blocker {
            code: blocker.code,
            owner: blocker.owner,
            detail: blocker.detail.map(kind),
        };
        let check = |check: &account::Check| Check {
            check: check.name,
            status: check.status.as_str(),
            checked_at: check.checked_at.into(),
            detail: check.detail.map(kind),
        };
        Self {
            status: readiness.status(),
            blockers: readiness.blockers.iter().map(blocker).collect(),
            checks: readiness.checks.iter().map(check).collect(),
        }
    }
}
