//! Types with a textual form.

use domain::{
    AnnulmentId, AttemptId, CertificateId, CheckoutReference, Currency, EventId, FiscalDocumentId, MerchantAccountId,
    MerchantId, Mode, PaymentId, RefundId, RequestId, Symbols, WebhookEndpointId,
    account::{CheckStatus, Lifecycle, ProbeVerdict, Provider},
    attempt::AttemptKind,
    credential::{Role, Scope},
    event::EventKind,
    fiscal::{
        AnnulmentState, DocumentKind, EmailProblem, Environment, FiscalNumber, IssuanceMode, ItemKind, MeasurementUnit,
        ProblemCode, Quantity, TaxTreatment,
    },
    merchant::CheckoutMode,
    payment::DeclineCode,
    refund::{LegMethod, Modification, RefundFailureCode, RefundOrigin, RefundReason, RefundScope, RefundSettlement},
    split::{Organizer, ReleaseCause},
    text::{BoundedText, Digits, Email, Prose, WebUrl},
    webhook::{DisabledReason, EndpointUrl},
};

/// A type with a textual form, in columns as in JSON.
pub(crate) trait Text: Sized {
    fn as_text(&self) -> &str;

    /// Returns `None` if the text is not legal.
    fn from_text(text: &str) -> Option<Self>;
}

/// Implements [`Text`] by two functions of the type.
macro_rules! text {
    ($write:ident, $read:ident: $($type:ty $(where $($parameter:ident)+)?),* $(,)?) => { $(
        impl $(<$(const $parameter: usize),+>)? Text for $type {
            fn as_text(&self) -> &str {
                self.$write()
            }

            fn from_text(text: &str) -> Option<Self> {
                Self::$read(text)
            }
        }
    )* };
}

text!(as_str, parse: AnnulmentId, AttemptId, CertificateId, EventId, FiscalDocumentId, MerchantAccountId, MerchantId,
    PaymentId, RefundId, RequestId, WebhookEndpointId, CheckoutReference, Symbols, Email, EndpointUrl, FiscalNumber, Prose,
    Quantity, WebUrl, BoundedText<MIN, MAX> where MIN MAX, Digits<MIN, MAX> where MIN MAX);
text!(as_str, from_code: AnnulmentState, AttemptKind, CheckStatus, CheckoutMode, DeclineCode, DisabledReason,
    DocumentKind, EmailProblem, Environment, EventKind, IssuanceMode, ItemKind, LegMethod, Lifecycle, MeasurementUnit,
    Mode, Modification, Organizer, ProbeVerdict, ProblemCode, Provider, RefundFailureCode, RefundOrigin, RefundReason,
    RefundScope, RefundSettlement, ReleaseCause, Role, Scope, TaxTreatment);
text!(code, from_code: Currency);
