use domain::{
    MerchantAccountId, PaymentId,
    credential::{CheckoutToken, MerchantKey, Role, Scope},
};
use ports::Tenant;

use crate::{Error, NotFound, Permission};

/// Who is asking, once the credential is known to be good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A merchant, by key.
    Merchant {
        /// The key.
        key: MerchantKey,
        /// Whether the tenant's live mode is on.
        is_live_enabled: bool,
    },
    /// Whoever holds a checkout token.
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

    /// The merchant's key, for what only a merchant may do.
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

    /// The merchant's key, for what starts something in its mode.
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

    /// The merchant's key, for what only an administrator of the whole merchant may do: a key that is for some accounts
    /// alone would hear of, and set up, what is none of its business.
    ///
    /// # Errors
    ///
    /// As [`merchant`](Self::merchant), and [`Permission::MerchantAccountAdminRequired`].
    pub fn admin(&self) -> Result<&MerchantKey, Error> {
        unrestricted(administrator(self.merchant()?)?)
    }

    /// The merchant's key, for what only an administrator of the whole merchant may start in its mode.
    ///
    /// # Errors
    ///
    /// As [`trading_merchant`](Self::trading_merchant), and
    /// [`Permission::MerchantAccountAdminRequired`].
    pub fn trading_admin(&self) -> Result<&MerchantKey, Error> {
        unrestricted(administrator(self.trading_merchant()?)?)
    }

    /// The merchant's key, for what an administrator of `account` may start in its mode.
    ///
    /// # Errors
    ///
    /// As [`trading_merchant`](Self::trading_merchant), and [`Permission::MerchantAccountAdminRequired`]. Whether the
    /// account is the key's is for [`may_use`](Self::may_use) to say.
    pub fn trading_account_admin(&self) -> Result<&MerchantKey, Error> {
        administrator(self.trading_merchant()?)
    }

    /// The checkout token, for what only a payer may do: a merchant's own servers never touch a
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

    /// The payment that `text` names, if the caller's credential can open it at all.
    ///
    /// # Errors
    ///
    /// [`NotFound::PaymentNotFound`], as well for what is malformed as for what is another's.
    pub fn payment_named(&self, text: &str) -> Result<PaymentId, Error> {
        let id = PaymentId::parse(text).filter(|id| self.payment().is_none_or(|own| own == id));
        id.ok_or(Error::NotFound(NotFound::PaymentNotFound, Some("paymentId")))
    }

    /// Whether the caller may touch what belongs to `account`.
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

fn unrestricted(key: &MerchantKey) -> Result<&MerchantKey, Error> {
    match key.accounts.is_empty() {
        true => Ok(key),
        false => Err(Error::not_permitted(Permission::MerchantAccountAdminRequired)),
    }
}

fn administrator(key: &MerchantKey) -> Result<&MerchantKey, Error> {
    match key.role {
        Role::Admin => Ok(key),
        Role::Standard => Err(Error::not_permitted(Permission::MerchantAccountAdminRequired)),
    }
}
