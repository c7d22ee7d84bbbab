//! Table of rights: which credential may perform which operations.
//!
//! The permission check, the security of each operation in the OpenAPI document and `docs/generated/rights.md` are made
//! from this table.

use crate::credential::{MerchantKey, Role, Scope};

/// Kind of credential: a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A merchant's key of the standard role.
    Key,
    /// A merchant's key of the admin role.
    AdminKey,
    /// A checkout token that pays.
    PayToken,
    /// A checkout token of the payer who split the payment.
    OrganizerToken,
    /// A checkout token that reads a receipt.
    ReceiptToken,
}

/// Condition on a merchant's key beyond its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyCondition {
    /// A live key needs the live mode of its merchant to be enabled.
    LiveModeEnabled,
    /// The key must not be restricted to some accounts of the merchant.
    AllAccounts,
    /// A key of the standard role must be one that may refund.
    MayRefund,
}

/// Row of the table.
#[derive(Clone, Copy, Debug)]
pub struct RightGrant {
    /// Name of the right, such as `payments.cancel`.
    pub name: &'static str,
    /// Credentials that have the right.
    pub credentials: &'static [Credential],
    /// Conditions on a merchant's key.
    pub conditions: &'static [KeyCondition],
}

/// Reason for which a credential lacks a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MissingRight {
    /// This kind of credential never has the right.
    Credential,
    /// Only an admin key that is not restricted to some accounts has the right.
    AdminKey,
    /// The live mode of the merchant is not enabled.
    LiveMode,
    /// The key of the standard role may not refund.
    Refund,
}

/// Declares the rights: `Variant = "name": credentials, conditions`.
macro_rules! rights {
    ($($variant:ident = $name:literal: $credentials:expr, $conditions:expr;)+) => {
        /// Right to perform a group of operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Right { $(#[doc = $name] $variant,)+ }

        impl Right {
            /// Every right, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the row of the right.
            pub const fn grant(self) -> RightGrant {
                match self {
                    $(Self::$variant => {
                        RightGrant { name: $name, credentials: $credentials, conditions: $conditions }
                    })+
                }
            }
        }
    };
}

use Credential::{AdminKey, Key, OrganizerToken, PayToken, ReceiptToken};
use KeyCondition::{AllAccounts, LiveModeEnabled, MayRefund};

rights! {
    PaymentsCreate = "payments.create": &[Key, AdminKey], &[LiveModeEnabled];
    PaymentsList = "payments.list": &[Key, AdminKey], &[];
    PaymentsRead = "payments.read": &[Key, AdminKey, PayToken, OrganizerToken, ReceiptToken], &[];
    PaymentsCancel = "payments.cancel": &[Key, AdminKey], &[];
    PaymentsPay = "payments.pay": &[PayToken, OrganizerToken], &[];
    TokensCreate = "checkout_tokens.create": &[Key, AdminKey], &[LiveModeEnabled];
    SplitsRead = "splits.read": &[Key, AdminKey, PayToken, OrganizerToken], &[];
    SplitsOpen = "splits.open": &[Key, AdminKey, PayToken, OrganizerToken], &[];
    SplitsCommand = "splits.command": &[Key, AdminKey, OrganizerToken], &[];
    DocumentsChoose = "documents.choose": &[Key, AdminKey, PayToken, OrganizerToken], &[];
    DocumentsCorrect = "documents.correct": &[Key, AdminKey], &[];
    RefundsRead = "refunds.read": &[Key, AdminKey], &[];
    RefundsPreview = "refunds.preview": &[Key, AdminKey], &[];
    RefundsManage = "refunds.manage": &[Key, AdminKey], &[MayRefund];
    RevisionsRead = "revisions.read": &[Key, AdminKey], &[];
    ArtifactsRead = "artifacts.read": &[Key, AdminKey, ReceiptToken], &[];
    ProfileRead = "profile.read": &[Key, AdminKey], &[];
    ProfileManage = "profile.manage": &[AdminKey], &[AllAccounts];
    AccountsRead = "accounts.read": &[Key, AdminKey], &[];
    AccountsCreate = "accounts.create": &[AdminKey], &[LiveModeEnabled, AllAccounts];
    CredentialsSet = "credentials.set": &[AdminKey], &[LiveModeEnabled];
    EventsRead = "events.read": &[Key, AdminKey], &[];
    WebhooksCreate = "webhooks.create": &[AdminKey], &[LiveModeEnabled, AllAccounts];
    WebhooksManage = "webhooks.manage": &[AdminKey], &[AllAccounts];
}

impl Credential {
    /// Every kind, in the order of the table.
    pub const ALL: [Self; 5] = [Key, AdminKey, PayToken, OrganizerToken, ReceiptToken];
}

impl From<Role> for Credential {
    fn from(role: Role) -> Self {
        match role {
            Role::Standard => Key,
            Role::Admin => AdminKey,
        }
    }
}

impl From<Scope> for Credential {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Pay => PayToken,
            Scope::Organizer => OrganizerToken,
            Scope::Receipt => ReceiptToken,
        }
    }
}

impl Right {
    /// Checks that a checkout token of this scope has the right.
    ///
    /// # Errors
    ///
    /// [`MissingRight::Credential`].
    pub fn check_token(self, scope: Scope) -> Result<(), MissingRight> {
        match self.grant().credentials.contains(&scope.into()) {
            true => Ok(()),
            false => Err(MissingRight::Credential),
        }
    }

    /// Checks that a merchant's key has the right. `is_live_enabled` is the state of the merchant's live mode.
    ///
    /// # Errors
    ///
    /// The first of [`MissingRight`]'s reasons: credential, live mode, admin key, refund.
    pub fn check_key(self, key: &MerchantKey, is_live_enabled: bool) -> Result<(), MissingRight> {
        let RightGrant { credentials, conditions, .. } = self.grant();
        let is_restricted = conditions.contains(&AllAccounts) && !key.accounts.is_empty();
        if !credentials.contains(&AdminKey) {
            Err(MissingRight::Credential)
        } else if conditions.contains(&LiveModeEnabled) && key.mode.is_live() && !is_live_enabled {
            Err(MissingRight::LiveMode)
        } else if is_restricted || !credentials.contains(&key.role.into()) {
            Err(MissingRight::AdminKey)
        } else if conditions.contains(&MayRefund) && key.role == Role::Standard && !key.may_refund {
            Err(MissingRight::Refund)
        } else {
            Ok(())
        }
    }
}
