//! Why a use case failed: one variant per family of the public error table.

use std::borrow::Cow;

use chrono::TimeDelta;
use domain::{
    Conflict, InvalidRequest, Refusal, Unprocessable, codes,
    refund::RefundRefusal,
    refusal::{RateLimit, Refused},
};
use ports::Unavailable;

codes! {
    /// No credential, or none that is valid.
    Authentication of Authentication {
        ApiKeyMissing = "api_key_missing": "No credential was sent.",
        ApiKeyInvalid = "api_key_invalid": "The API key is not valid.",
        CheckoutTokenInvalid = "checkout_token_invalid": "The checkout token is not valid.",
        CheckoutTokenExpired = "checkout_token_expired": "The checkout token has expired.",
    }
}

codes! {
    /// A valid credential that may not do this.
    Permission of Permission {
        MerchantAccountNotOwned = "merchant_account_not_owned": "The API key is restricted to other merchant accounts.",
        MerchantAccountAdminRequired = "merchant_account_admin_required": "This operation needs an admin key.",
        OperationNotPermittedForCheckoutToken = "operation_not_permitted_for_checkout_token":
            "This credential may not perform the operation: a card takes a checkout token, most else an API key.",
        LiveModeNotEnabled = "live_mode_not_enabled": "Live mode is not activated.",
        RefundNotPermitted = "refund_not_permitted": "This API key may not refund.",
    }
}

codes! {
    /// A resource that does not exist within the caller's tenant.
    NotFound of NotFound {
        PaymentNotFound = "payment_not_found": "There is no such payment.",
        FiscalDocumentNotFound = "fiscal_document_not_found": "There is no such fiscal document.",
        MerchantAccountNotFound = "merchant_account_not_found": "There is no such merchant account.",
        MerchantProfileNotFound = "merchant_profile_not_found": "There is no merchant profile yet.",
        PaymentSplitNotFound = "payment_split_not_found": "The payment is not split.",
        PaymentPartNotFound = "payment_part_not_found": "The split has no such part.",
        WebhookEndpointNotFound = "webhook_endpoint_not_found": "There is no such webhook endpoint.",
        EventNotFound = "event_not_found": "There is no such event.",
        RefundNotFound = "refund_not_found": "There is no such refund.",
    }
}

codes! {
    /// A resource after the period in which payers may see it.
    Gone of Gone {
        ReceiptRetentionElapsed = "receipt_retention_elapsed": "The payer's retention period has elapsed.",
    }
}

codes! {
    /// A failure of the provider before the request was submitted.
    ProviderFailure of Provider {
        ProviderUnavailable = "provider_unavailable": "The provider cannot be reached; nothing was submitted.",
        ProviderRejectedRequest = "provider_rejected_request": "The provider refused the request; nothing was submitted.",
    }
}

codes! {
    /// A dependency that is needed did not respond.
    Dependency of Dependency {
        TaxpayerDirectoryUnavailable = "taxpayer_directory_unavailable": "The taxpayer directory cannot be reached.",
    }
}

codes! {
    /// A fiscal artifact cannot be verified or read just now.
    ArtifactFailure of Artifact {
        FiscalArtifactRetrievalUnavailable = "fiscal_artifact_retrieval_unavailable":
            "The fiscal artifact cannot be retrieved now.",
    }
}

/// Why a use case failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The domain refused the command.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// The credential is missing or not valid.
    #[error(transparent)]
    Authentication(#[from] Authentication),
    /// The credential does not permit the operation.
    #[error("{0}")]
    Permission(Permission, Option<&'static str>),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(NotFound, Option<Cow<'static, str>>),
    /// The resource is no longer available.
    #[error(transparent)]
    Gone(#[from] Gone),
    /// The rate limit was exceeded. A retry may succeed after this time.
    #[error("{0}")]
    RateLimit(RateLimit, TimeDelta),
    /// The provider did not accept the request.
    #[error(transparent)]
    Provider(#[from] ProviderFailure),
    /// A dependency did not respond.
    #[error("{0}")]
    Dependency(Dependency, Option<&'static str>),
    /// An artifact is not to be had.
    #[error(transparent)]
    Artifact(#[from] ArtifactFailure),
    /// The store is unreachable or read-only. The same request may be retried soon.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// We failed. The cause is for the log alone.
    #[error("an internal error occurred")]
    Internal(#[source] Unexpected),
}

/// The cause of an internal error, for the log alone.
pub type Unexpected = Box<dyn std::error::Error + Send + Sync>;

impl Error {
    /// A permission without a field to point at.
    pub const fn not_permitted(code: Permission) -> Self {
        Self::Permission(code, None)
    }

    /// Whether the error precedes every check of the resource's state in the published order: malformed, not
    /// permitted, not found, or too frequent.
    pub(crate) const fn is_before_state(&self) -> bool {
        match self {
            Self::Refusal(refusal) => matches!(refusal.code, Refused::InvalidRequest(_)),
            Self::Authentication(_)
            | Self::Permission(..)
            | Self::NotFound(..)
            | Self::Gone(_)
            | Self::RateLimit(..) => true,
            Self::Provider(_) | Self::Dependency(..) | Self::Artifact(_) | Self::Unavailable(_) | Self::Internal(_) => {
                false
            }
        }
    }

    /// A failure of ours.
    pub fn internal(cause: impl Into<Unexpected>) -> Self {
        Self::Internal(cause.into())
    }
}

/// Refusals by their code alone.
macro_rules! refusal {
    ($($code:ty),*) => { $(
        impl From<$code> for Error {
            fn from(code: $code) -> Self {
                Self::Refusal(code.into())
            }
        }
    )* };
}

refusal!(InvalidRequest, Conflict, Unprocessable);

impl NotFound {
    /// Returns the error about the field or the part of the path `param`.
    pub fn at(self, param: impl Into<Cow<'static, str>>) -> Error {
        Error::NotFound(self, Some(param.into()))
    }
}

impl From<NotFound> for Error {
    fn from(code: NotFound) -> Self {
        Self::NotFound(code, None)
    }
}

impl From<RefundRefusal> for Error {
    fn from(refusal: RefundRefusal) -> Self {
        Self::Refusal(refusal.refusal)
    }
}
