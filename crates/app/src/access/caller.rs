use domain::{
    MerchantAccountId, PaymentId,
    credential::{CheckoutToken, MerchantKey, Scope},
    rights::{MissingRight, Right},
};
use ports::Tenant;

use crate::{Error, NotFound, Permission};

/// The sender of a request, once the credential is known to be good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A merchant, by key.
    Merchant {
        /// The key.
        key: MerchantKey,
        /// Whether the tenant's live mode is on.
        is_live_enabled: bool,
    },
    /// Holder of a checkout token.
    Holder(CheckoutToken),
}

/// How much of a resource the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Everything: the merchant.
    Full,
    /// What is safe for the holder of a checkout token.
    Checkout,
}

impl Caller {
    /// The tenant that everything the caller sees belongs to.
    pub fn tenant(&self) -> Tenant {
        let (merchant, mode) = match self {
            Self::Merchant { key, .. } => (&key.merchant, key.mode),
            Self::Holder(token) => (&token.merchant, token.mode),
        };
        Tenant { merchant: merchant.clone(), mode }
    }

    /// How much the caller sees.
    pub const fn view(&self) -> View {
        match self {
            Self::Merchant { .. } => View::Full,
            Self::Holder(_) => View::Checkout,
        }
    }

    /// The payment of the caller's checkout token: the only one that it opens.
    pub const fn payment(&self) -> Option<&PaymentId> {
        match self {
            Self::Merchant { .. } => None,
            Self::Holder(token) => Some(&token.payment),
        }
    }

    /// Checks that the caller's credential has the right.
    ///
    /// # Errors
    ///
    /// [`Permission::OperationNotPermittedForCheckoutToken`], [`Permission::LiveModeNotEnabled`],
    /// [`Permission::MerchantAccountAdminRequired`] or [`Permission::RefundNotPermitted`].
    pub fn may(&self, right: Right) -> Result<(), Error> {
        let checked = match self {
            Self::Merchant { key, is_live_enabled } => right.check_key(key, *is_live_enabled),
            Self::Holder(token) => right.check_token(token.scope),
        };
        checked.map_err(|missing| {
            Error::not_permitted(match missing {
                MissingRight::Credential => Permission::OperationNotPermittedForCheckoutToken,
                MissingRight::LiveMode => Permission::LiveModeNotEnabled,
                MissingRight::AdminKey => Permission::MerchantAccountAdminRequired,
                MissingRight::Refund => Permission::RefundNotPermitted,
            })
        })
    }

    /// Accounts that the caller's key is restricted to; empty if the key is not restricted, and for a checkout token.
    pub fn accounts(&self) -> &[MerchantAccountId] {
        match self {
            Self::Merchant { key, .. } => &key.accounts,
            Self::Holder(_) => &[],
        }
    }

    /// The checkout token, for operations of payers only: a merchant's servers never handle a
    /// card.
    ///
    /// # Errors
    ///
    /// [`Permission::OperationNotPermittedForCheckoutToken`] unless its scope is among `scopes`.
    pub fn holder(&self, scopes: &[Scope]) -> Result<&CheckoutToken, Error> {
        match self {
            Self::Holder(token) if scopes.contains(&token.scope) => Ok(token),
            _ => Err(Error::not_permitted(Permission::OperationNotPermittedForCheckoutToken)),
        }
    }

    /// The payment that `text` names, if the caller's credential can open it at all.
    ///
    /// # Errors
    ///
    /// [`NotFound::PaymentNotFound`], for a malformed identifier and for another merchant's.
    pub fn payment_named(&self, text: &str) -> Result<PaymentId, Error> {
        let id = PaymentId::parse(text).filter(|id| self.payment().is_none_or(|own| own == id));
        id.ok_or(NotFound::PaymentNotFound.at("paymentId"))
    }

    /// Whether the caller has access to objects of `account`.
    ///
    /// # Errors
    ///
    /// [`Permission::MerchantAccountNotOwned`].
    pub fn may_use(&self, account: &MerchantAccountId) -> Result<(), Error> {
        match self {
            Self::Merchant { key, .. } if !key.may_use(account) => {
                Err(Error::not_permitted(Permission::MerchantAccountNotOwned))
            }
            _ => Ok(()),
        }
    }
}
