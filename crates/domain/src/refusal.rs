//! Refusals of the domain.
//!
//! One enum per family of the public error table: the error type of a function shows its family, and each code is on
//! exactly one line of one enum.

/// A family of the public error table: codes that share one `type` and one HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The request itself is malformed.
    InvalidRequest,
    /// The request contradicts the current state.
    Conflict,
    /// The request requires another version of the resource.
    Precondition,
    /// The request is well formed and cannot be carried out.
    Unprocessable,
    /// No credential, or none that is valid.
    Authentication,
    /// A valid credential that may not do this.
    Permission,
    /// No endpoint, or no resource of that name within the caller's tenant.
    NotFound,
    /// The payer's retention period is over.
    Gone,
    /// Too many requests.
    RateLimit,
    /// We failed before there was an outcome.
    Internal,
    /// The provider failed before anything was submitted.
    Provider,
    /// A dependency that is needed did not respond.
    Dependency,
    /// A fiscal artifact cannot be verified or read just now.
    Artifact,
}

/// A stable public code with its documentation.
pub trait Code: Copy + 'static {
    /// Every code of the family, in published order.
    const ALL: &'static [Self];
    /// The family shared by every code of this type.
    const FAMILY: Family;
    /// The published spelling, as in `payment_not_editable`.
    fn as_str(self) -> &'static str;
    /// Returns the sentence of the reference page, which is also the default message.
    fn meaning(self) -> &'static str;
}

/// Declares one family of the public error table: `Variant = "published_code": "Meaning."`.
#[macro_export]
macro_rules! codes {
    ($(#[$meta:meta])* $name:ident of $family:ident { $($variant:ident = $code:literal: $meaning:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
        pub enum $name {
            $(#[doc = $meaning] #[error($meaning)] $variant,)+
        }

        impl $crate::refusal::Code for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const FAMILY: $crate::refusal::Family = $crate::refusal::Family::$family;

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }
    };
}

codes! {
    /// The request is malformed, in any state.
    InvalidRequest of InvalidRequest {
        ParameterMissing = "parameter_missing": "A required parameter is missing.",
        ParameterInvalid = "parameter_invalid": "A parameter breaks its type, length, format or range.",
        ProviderNotAvailable = "provider_not_available": "This provider is not offered here.",
        CurrencyNotSupported = "currency_not_supported": "The currency is not supported.",
        AmountBelowMinimum = "amount_below_minimum": "The amount is below the minimum.",
        AmountAboveMaximum = "amount_above_maximum": "The amount is above the maximum.",
        CheckoutReferenceInvalid = "checkout_reference_invalid": "The checkout reference is not valid.",
        CheckoutReferenceExpired = "checkout_reference_expired": "The checkout reference has expired.",
        FiscalBuyerTaxIdInvalid = "fiscal_buyer_tax_id_invalid": "The buyer's tax id is not a valid RNC or cedula.",
        FiscalLineTotalInvalid = "fiscal_line_total_invalid": "A field of the line makes its total impossible.",
        FiscalLinesRequired = "fiscal_lines_required": "At least one billable line is required.",
        PaymentSplitInvalid = "payment_split_invalid": "The shares are not a partition of the sale.",
    }
}

codes! {
    /// The request is well formed but contradicts the current state.
    Conflict of Conflict {
        IdempotencyKeyReused = "idempotency_key_reused": "The idempotency key was used for another request.",
        IdempotencyRequestInProgress = "idempotency_request_in_progress":
            "A request with this idempotency key is still running.",
        IdempotencyKeyExpired = "idempotency_key_expired": "The idempotency key was first used more than 72 hours ago.",
        PaymentMethodAlreadyInProgress = "payment_method_already_in_progress": "A card is already being processed.",
        PaymentAwaitingVerification = "payment_awaiting_verification": "The outcome is being verified.",
        DeclineNotRetryable = "decline_not_retryable": "The decline was final.",
        CheckoutWindowClosed = "checkout_window_closed": "The payment can no longer be paid.",
        FiscalPresetLocked = "fiscal_preset_locked": "The merchant has locked this fiscal choice.",
        PaymentNotEditable = "payment_not_editable": "The payment can no longer be changed.",
        FiscalBuyerRequired = "fiscal_buyer_required": "This fiscal document needs an identified buyer.",
        FiscalCorrectionNotAllowed = "fiscal_correction_not_allowed": "The fiscal document cannot be corrected.",
        PaymentSplitNotAllowed = "payment_split_not_allowed": "The payment cannot be split.",
        PaymentSplitExists = "payment_split_exists": "The payment is already split.",
        PaymentSplitLocked = "payment_split_locked": "The split can no longer be changed.",
        PaymentSplitNotCapturable = "payment_split_not_capturable": "The split cannot be captured now.",
        PaymentSplitNotExpired = "payment_split_not_expired": "The split has not expired.",
        PaymentSplitNotRenewable = "payment_split_not_renewable": "The split cannot be renewed.",
        PaymentSplitComplete = "payment_split_complete": "Nothing is left to do for this split.",
        PaymentSplitPartRequired = "payment_split_part_required": "The payment is split: name a part.",
        PaymentPartNotPayable = "payment_part_not_payable": "This part is not payable.",
        FiscalArtifactNotReady = "fiscal_artifact_not_ready": "The fiscal artifact is not ready.",
        WebhookEndpointLimitReached = "webhook_endpoint_limit_reached": "No more webhook endpoints are allowed.",
        PaymentNotRefundable = "payment_not_refundable": "The payment has no money that can be refunded.",
        RefundInProgress = "refund_in_progress": "Another refund of this payment has not ended.",
        RefundDocumentUnsettled = "refund_document_unsettled":
            "The fiscal document does not permit a refund of this scope.",
        RefundNotRetryable = "refund_not_retryable":
            "Only a refund of this payment that has ended with a failed leg can be retried, and only once.",
        RefundNotAttributable = "refund_not_attributable": "The refund is not unattributed.",
        RefundNotAvailableAtProvider = "refund_not_available_at_provider":
            "The provider does not take this refund. Use settlement outside.",
        RefundAmountExceedsRefundable = "refund_amount_exceeds_refundable": "This is more than remains.",
    }
}

codes! {
    /// The request requires another version of the resource.
    Precondition of Precondition {
        PreconditionFailed = "precondition_failed": "The resource has changed: it is not as the request expects it.",
    }
}

codes! {
    /// The request is well formed and cannot be carried out.
    Unprocessable of Unprocessable {
        MerchantAccountNotReady = "merchant_account_not_ready": "The merchant account is not ready.",
        MerchantProfileIncomplete = "merchant_profile_incomplete": "The merchant profile is incomplete.",
        PaymentDescriptionRequired = "payment_description_required":
            "A description is required where the checkout shows only the amount.",
        MerchantAccountProviderMismatch = "merchant_account_provider_mismatch":
            "The provider is not the one of the merchant account.",
        CredentialStorageUnavailable = "credential_storage_unavailable": "Credentials cannot be stored.",
        ProviderNotEligible = "provider_not_eligible": "The provider account cannot serve this payment.",
        NoEligibleProvider = "no_eligible_provider": "Not exactly one merchant account is eligible.",
        CurrencyNotSupportedByProvider = "currency_not_supported_by_provider":
            "The provider does not support the currency.",
        CurrencyNotSupportedForFiscalDocument = "currency_not_supported_for_fiscal_document":
            "The fiscal document cannot be issued in this currency.",
        FiscalTotalMismatch = "fiscal_total_mismatch": "The amount is not the total of the lines.",
        FiscalLineTotalInvalid = "fiscal_line_total_invalid": "The total of the line cannot be issued.",
        FiscalLineLegalTipInvalid = "fiscal_line_legal_tip_invalid":
            "The line cannot carry the legal tip: it is not billable, or the merchant charges none (`isPropinaApplicable`).",
        FiscalDocumentKindNotAllowed = "fiscal_document_kind_not_allowed":
            "The kind is not among those that the payment allows.",
        FiscalDocumentKindUnsupported = "fiscal_document_kind_unsupported": "The issuer cannot issue this kind.",
        FiscalGovernmentEligibilityRequired = "fiscal_government_eligibility_required":
            "A government document needs the government eligibility.",
        FiscalGovernmentEligibilityNotAllowed = "fiscal_government_eligibility_not_allowed":
            "Only a government document carries a government eligibility.",
        FiscalBuyerNotRegistered = "fiscal_buyer_not_registered": "The taxpayer directory does not know the buyer.",
        FiscalBuyerInactive = "fiscal_buyer_inactive": "The buyer is not an active taxpayer.",
        FiscalBuyerIsIssuer = "fiscal_buyer_is_issuer": "The buyer is the issuer.",
        FiscalBuyerNotGovernmentEntity = "fiscal_buyer_not_government_entity": "The buyer is not a government body.",
        RefundLineNotFound = "refund_line_not_found": "The document has no such billable line.",
        RefundLineNotDivisible = "refund_line_not_divisible":
            "The line was credited by amount before, so that it has no quantity left.",
        RefundPartsMismatch = "refund_parts_mismatch": "The parts do not add up to the refund.",
        RefundItbisLossUnacknowledged = "refund_itbis_loss_unacknowledged":
            "The document is more than 30 days old, so that its ITBIS is lost to the issuer: acknowledge that.",
    }
}

codes! {
    /// Too much at once.
    RateLimit of RateLimit {
        RateLimitExceeded = "rate_limit_exceeded": "There were too many requests.",
    }
}

/// A code of one of the domain's families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refused {
    /// The request is malformed.
    #[error(transparent)]
    InvalidRequest(#[from] InvalidRequest),
    /// The state forbids the operation.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The request requires another version.
    #[error(transparent)]
    Precondition(#[from] Precondition),
    /// The operation is not possible.
    #[error(transparent)]
    Unprocessable(#[from] Unprocessable),
}

/// A refusal: the code, the position in the request, and an exact message if it helps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .message.as_deref().unwrap_or_else(|| .code.meaning()))]
pub struct Refusal {
    /// The family and the code.
    pub code: Refused,
    /// Dotted path of the offending field, as in `lines.0.quantity`.
    pub param: Option<String>,
    /// A sentence more exact than the code's own; never the caller's text.
    pub message: Option<String>,
}

impl Refused {
    /// The family.
    pub const fn family(self) -> Family {
        match self {
            Self::InvalidRequest(_) => InvalidRequest::FAMILY,
            Self::Conflict(_) => Conflict::FAMILY,
            Self::Precondition(_) => Precondition::FAMILY,
            Self::Unprocessable(_) => Unprocessable::FAMILY,
        }
    }

    /// The published spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest(it) => it.as_str(),
            Self::Conflict(it) => it.as_str(),
            Self::Precondition(it) => it.as_str(),
            Self::Unprocessable(it) => it.as_str(),
        }
    }

    /// The sentence that documents the code.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::InvalidRequest(it) => it.meaning(),
            Self::Conflict(it) => it.meaning(),
            Self::Precondition(it) => it.meaning(),
            Self::Unprocessable(it) => it.meaning(),
        }
    }
}

impl Refusal {
    /// The code alone.
    pub fn of(code: impl Into<Refused>) -> Self {
        Self { code: code.into(), param: None, message: None }
    }

    /// The code, and the field that broke the rule.
    pub fn at(code: impl Into<Refused>, param: impl Into<String>) -> Self {
        Self { code: code.into(), param: Some(param.into()), message: None }
    }

    /// Returns the same refusal for a request that has no such field.
    #[must_use]
    pub fn without_field(self) -> Self {
        Self { param: None, ..self }
    }

    /// Returns the refusal with a more exact message.
    #[must_use]
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..self }
    }

    /// Returns the refusal of an enclosing object: its path comes before the field.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        Self { param: self.param.map(|inner| format!("{outer}.{inner}")), ..self }
    }
}

impl<C: Into<Refused>> From<C> for Refusal {
    fn from(code: C) -> Self {
        Self::of(code)
    }
}
