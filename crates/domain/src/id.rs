//! Prefixed identifiers, over one alphabet.

use std::fmt;

/// Symbols of an identifier after its prefix: at least 24 of `0-9 a-h j k m n p-t v-z`.
///
/// The caller supplies the randomness.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbols(String);

impl Symbols {
    /// The 32 symbols, in the order of their value: Crockford's base 32 in lower case.
    pub const ALPHABET: [u8; 32] = *b"0123456789abcdefghjkmnpqrstvwxyz";

    /// The symbols in `text`, if there are enough and all are of the alphabet.
    pub fn parse(text: &str) -> Option<Self> {
        let known = |symbol: u8| Self::ALPHABET.contains(&symbol);
        ((24..=64).contains(&text.len()) && text.bytes().all(known)).then(|| Self(text.to_owned()))
    }

    /// Spells `bytes` five bits at a time, the last symbol padded with zero bits.
    ///
    /// Returns `None` unless that makes 24 to 64 symbols (15 to 40 bytes).
    pub fn spell(bytes: &[u8]) -> Option<Self> {
        let mut text = String::with_capacity(64);
        let (mut pending, mut width) = (0_u32, 0_u32);
        for &byte in bytes {
            pending = (pending << 8 | u32::from(byte)) & 0xfff;
            width += 8;
            while width >= 5 {
                width -= 5;
                text.push(char::from(Self::ALPHABET[(pending >> width & 31) as usize]));
            }
        }
        if width > 0 {
            text.push(char::from(Self::ALPHABET[(pending << (5 - width) & 31) as usize]));
        }
        Self::parse(&text)
    }

    /// The symbols as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Prefixed identifier.
pub trait Identifier {
    /// Prefix of the identifiers of this type.
    const PREFIX: &'static str;

    /// The identifier as text.
    fn as_str(&self) -> &str;
}

/// Declares one kind of identifier.
macro_rules! id {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)+) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Prefix of the identifiers of this type.
            pub const PREFIX: &'static str = $prefix;

            /// The identifier made of `symbols`.
            pub fn new(symbols: &Symbols) -> Self {
                Self(format!("{}{}", Self::PREFIX, symbols.as_str()))
            }

            /// Parses a well-formed identifier.
            pub fn parse(text: &str) -> Option<Self> {
                Symbols::parse(text.strip_prefix(Self::PREFIX)?).map(|it| Self::new(&it))
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Identifier for $name {
            const PREFIX: &'static str = $prefix;

            fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+ };
}

id! {
    /// Names a payment.
    PaymentId = "payment_";
    /// Identifier of a fiscal document, over all its revisions.
    FiscalDocumentId = "fiscal_document_";
    /// Names a merchant's account at a provider.
    MerchantAccountId = "merchant_account_";
    /// The unpredictable bearer handle of a payment's receipt.
    CheckoutReference = "checkout_";
    /// Names one exchange over HTTP.
    RequestId = "request_";
    /// Names a merchant: the tenant that owns everything else.
    MerchantId = "merchant_";
    /// Names one submission to a provider. Unique, stored before the call, never used again.
    AttemptId = "attempt_";
    /// Identifier of an event, the same in all of its deliveries.
    EventId = "event_";
    /// Names a webhook endpoint.
    WebhookEndpointId = "webhook_endpoint_";
    /// Names a signing certificate.
    CertificateId = "certificate_";
    /// Identifier of a refund.
    RefundId = "refund_";
    /// Identifier of an annulment of numbers.
    AnnulmentId = "annulment_";
}
