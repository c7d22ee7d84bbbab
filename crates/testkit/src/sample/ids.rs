use domain::{
    AttemptId, CertificateId, CheckoutReference, FiscalDocumentId, MerchantAccountId, MerchantId, Mode, PaymentId,
    RequestId, Symbols,
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

/// The merchant that every sample belongs to, in test mode.
pub fn tenant() -> Tenant {
    Tenant { merchant: merchant_id(1), mode: Mode::Test }
}

/// The `n`th merchant.
pub fn merchant_id(n: u32) -> MerchantId {
    MerchantId::new(&symbols(n))
}

/// The `n`th payment.
pub fn payment_id(n: u32) -> PaymentId {
    PaymentId::new(&symbols(n))
}

/// The `n`th fiscal document.
pub fn document_id(n: u32) -> FiscalDocumentId {
    FiscalDocumentId::new(&symbols(n))
}

/// The `n`th account.
pub fn account_id(n: u32) -> MerchantAccountId {
    MerchantAccountId::new(&symbols(n))
}

/// The `n`th attempt.
pub fn attempt_id(n: u32) -> AttemptId {
    AttemptId::new(&symbols(n))
}

/// The `n`th exchange.
pub fn request_id(n: u32) -> RequestId {
    RequestId::new(&symbols(n))
}

/// The `n`th certificate.
pub fn certificate_id(n: u32) -> CertificateId {
    CertificateId::new(&symbols(n))
}

/// The `n`th receipt handle.
pub fn checkout_reference(n: u32) -> CheckoutReference {
    CheckoutReference::new(&symbols(n))
}
