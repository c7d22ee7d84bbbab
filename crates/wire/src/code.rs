use domain::{
    Currency, EventKind, Mode,
    account::{Lifecycle, Provider},
    credential::Scope,
    fiscal::{
        BuyerRequirement, DocumentKind, DocumentStatus, EmailProblem, IssuanceMode, ItemKind, MeasurementUnit,
        ProblemCode, ProblemOwner, TaxTreatment,
    },
    merchant::CheckoutMode,
    payment::{DeclineCode, PaymentStatus},
    refund::{
        LegMethod, LegStatus, Modification, RefundFailureCode, RefundOrigin, RefundReason, RefundScope,
        RefundSettlement, RefundStatus,
    },
    split::{Organizer, PartStatus, SplitStatus},
    webhook::DisabledReason,
};

/// Enumeration of the domain whose values are published as codes.
pub(crate) trait Code: Copy + 'static {
    /// Values in published order.
    const VALUES: &'static [Self];

    /// Returns the published code.
    fn code(self) -> &'static str;
}

macro_rules! codes {
    ($($enumeration:ty { $values:expr, $code:ident })+) => { $(
        impl Code for $enumeration {
            const VALUES: &'static [Self] = $values;

            fn code(self) -> &'static str {
                self.$code()
            }
        }
    )+ };
}

codes! {
    BuyerRequirement { &[Self::None, Self::Optional, Self::Required], as_str }
    CheckoutMode { &Self::ALL, as_str }
    Currency { Self::ALL, code }
    DeclineCode { Self::ALL, as_str }
    EmailProblem { &Self::ALL, as_str }
    DisabledReason { &Self::ALL, as_str }
    DocumentKind { &Self::SALE, as_str }
    DocumentStatus { &Self::ALL, as_str }
    EventKind { &Self::ALL, as_str }
    IssuanceMode { &Self::ALL, as_str }
    ItemKind { &Self::ALL, as_str }
    LegMethod { &Self::ALL, as_str }
    LegStatus { &Self::ALL, as_str }
    Lifecycle { &Self::ALL, as_str }
    MeasurementUnit { &Self::ALL, as_str }
    Modification { &Self::ALL, as_str }
    Mode { &[Self::Test, Self::Live], as_str }
    Organizer { &Self::ALL, as_str }
    PartStatus { &Self::ALL, as_str }
    PaymentStatus { &Self::ALL, as_str }
    ProblemCode { Self::ALL, as_str }
    ProblemOwner { &[Self::Merchant, Self::Service, Self::TaxAuthority], as_str }
    Provider { &Self::ALL, as_str }
    RefundFailureCode { &Self::ALL, as_str }
    RefundOrigin { &Self::ALL, as_str }
    RefundReason { &Self::ALL, as_str }
    RefundScope { &Self::ALL, as_str }
    RefundSettlement { &Self::ALL, as_str }
    RefundStatus { &Self::ALL, as_str }
    Scope { &Self::ALL, as_str }
    SplitStatus { &Self::ALL, as_str }
    TaxTreatment { &Self::ALL, as_str }
}

/// Returns the published codes of an enumeration.
pub(crate) fn codes<T: Code>() -> impl Iterator<Item = &'static str> {
    T::VALUES.iter().map(|value| value.code())
}
