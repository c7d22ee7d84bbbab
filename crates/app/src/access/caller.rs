use domain::{
    MerchantAccountId, PaymentId,
    credential::{CheckoutToken, MerchantKey, Scope},
    rights::{MissingRight, Right},
};
use ports::Tenant;

use crate::{Error, NotFound, Permission};

/// Caller of an operation, after authentication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A merchant, by key.
    Merchant {
        /// The key.
        key: MerchantKey,
        /// Whether live mode is enabled for the tenant.
        is_live_enabled: bool,
    },
    /// The holder of a checkout token.
    Holder(CheckoutToken),
}

/// How much of a resource the caller sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Everything: the merchant.
    Full,
    /// The fields that are safe for the holder of a checkout token.
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

    /// Returns the payment of the caller's checkout token: the only one that the token opens.
    pub const fn payment(&self) -> Option<&PaymentId> {
        match self {
            Self::Merchant { .. } => None,
            Self::Holder(token) => Some(&token.payment),
        }
    }

    /// Returns the merchant's key, for operations of merchants.
    ///
    /// # Errors
    ///
    /// [`Permission::OperationNotPermittedForCheckoutToken`].
    pub fn merchant(&self) -> Result<&MerchantKey, Error> {
        match self {
            Self::Merchant { key, .. } => Ok(key),
            Self::Holder(_) => Err(Error::not_permitted(Permission::OperationNotPermittedForCheckoutToken)),
        }
    }

    /// Returns the merchant's key, for operations that start a sale or an account in the mode of the key.
    ///
    /// # Errors
    ///
    /// As [`merchant`](Self::merchant), and [`Permission::LiveModeNotEnabled`].
    pub fn trading_merchant(&self) -> Result<&MerchantKey, Error> {
        let key = self.merchant()?;
        match self {
            Self::Merchant { is_live_enabled: false, .. } if key.mode.is_live() => {
                Err(Error::not_permitted(Permission::LiveModeNotEnabled))
            }
            _ => Ok(key),
        }
    }

    /// Returns the merchant's key, for operations of an administrator of the whole merchant. A key that is restricted
    /// to some accounts may not read or change the others.
    ///
    /// # Errors
    ///
    /// As [`merchant`](Self::merchant), and [`Permission::MerchantAccountAdminRequired`].
    pub fn admin(&self) -> Result<&MerchantKey, Error> {
        unrestricted(administrator(self.merchant()?)?)
    }

    /// Returns the merchant's key, as [`admin`](Self::admin), and only if the mode of the key is enabled.
    ///
    /// # Errors
    ///
    /// As [`trading_merchant`](Self::trading_merchant), and [`Permission::MerchantAccountAdminRequired`].
    pub fn trading_admin(&self) -> Result<&MerchantKey, Error> {
        unrestricted(administrator(self.trading_merchant()?)?)
    }

    /// Returns the merchant's key, for operations of an administrator of one account. [`may_use`](Self::may_use)
    /// checks the account.
    ///
    /// # Errors
    ///
    /// As [`trading_merchant`](Self::trading_merchant), and [`Permission::MerchantAccountAdminRequired`].
    pub fn trading_account_admin(&self) -> Result<&MerchantKey, Error> {
        administrator(self.trading_merchant()?)
    }

    /// Returns the checkout token, for operations of payers: a merchant's own servers never touch a card.
    ///
    /// # Errors
    ///
    /// [`Permission::OperationNotPermittedForCheckoutToken`] unless the scope of the token is among `scopes`.
    pub fn holder(&self, scopes: &[Scope]) -> Result<&CheckoutToken, Error> {
        match self {
            Self::Holder(token) if scopes.contains(&token.scope) => Ok(token),
            _ => Err(Error::not_permitted(Permission::OperationNotPermittedForCheckoutToken)),
        }
    }

    /// A merchant, or the holder of a token of one of these scopes.
    ///
    /// # Errors
    ///
    /// [`Permission::OperationNotPermittedForCheckoutToken`].
    pub fn merchant_or(&self, scopes: &[Scope]) -> Result<(), Error> {
        match self {
            Self::Merchant { .. } => Ok(()),
            Self::Holder(_) => self.holder(scopes).map(drop),
        }
    }

    /// Returns the payment identifier in `text`, if the caller's credential can open that payment.
    ///
    /// # Errors
    ///
    /// [`NotFound::PaymentNotFound`], for a malformed identifier as for the payment of another tenant.
    pub fn payment_named(&self, text: &str) -> Result<PaymentId, Error> {
        let id = PaymentId::parse(text).filter(|id| self.payment().is_none_or(|own| own == id));
        id.ok_or(Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")))
    }

    /// Checks that the caller may use resources of `account`.
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
