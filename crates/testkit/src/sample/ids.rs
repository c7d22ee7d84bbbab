use domain::{
    AttemptId, CertificateId, CheckoutReference, FiscalDocumentId, MerchantAccountId, MerchantId, Mode, PaymentId,
    RefundId, RequestId, Symbols,
};
use ports::Tenant;

/// The `n`th symbols.
pub fn symbols(n: u32) -> Symbols {
    Symbols::parse(&format!("{n:026}")).expect("26 digits are symbols")
}

/// The `n`th digest.
pub fn digest(n: u32) -> [u8; 32] {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&n.to_be_bytes());
    digest
}

/// The tenant of every sample, in test mode.
pub fn tenant() -> Tenant {
    Tenant { merchant: merchant_id(1), mode: Mode::Test }
}

/// Declares the `n`th identifier of each type.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident: $type:ident,)+) => {
        $($(#[$doc])* pub fn $name(n: u32) -> $type { $type::new(&symbols(n)) })+
    };
}

ids! {
    /// The `n`th merchant.
    merchant_id: MerchantId,
    /// The `n`th payment.
    payment_id: PaymentId,
    /// The `n`th fiscal document.
    document_id: FiscalDocumentId,
    /// The `n`th refund.
    refund_id: RefundId,
    /// The `n`th account.
    account_id: MerchantAccountId,
    /// The `n`th attempt.
    attempt_id: AttemptId,
    /// The `n`th request.
    request_id: RequestId,
    /// The `n`th certificate.
    certificate_id: CertificateId,
    /// The `n`th reference of a receipt.
    checkout_reference: CheckoutReference,
}
