use std::num::NonZeroU32;

use domain::PaymentId;

use super::{bucket::Bucket, clock::MonotonicClock, rate_limited::RateLimited};

const CREATION: &str = "createPayment";
const TOKEN: &str = "createCheckoutToken";

/// New payments a second of a key.
const CREATIONS: NonZeroU32 = NonZeroU32::new(50).unwrap();
/// New checkout tokens a minute of a key.
const TOKENS: NonZeroU32 = NonZeroU32::new(60).unwrap();
/// Card submissions a minute for a payment that is not split.
const CARDS_OF_A_PAYMENT: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Card submissions a minute for one part of a split: ten payers try at the same time.
const CARDS_OF_A_PART: NonZeroU32 = NonZeroU32::new(6).unwrap();
/// Refunds and attributions a minute for a payment.
const REFUNDS_OF_A_PAYMENT: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// Previews of refunds a minute for a payment.
const PREVIEWS_OF_A_PAYMENT: NonZeroU32 = NonZeroU32::new(30).unwrap();

/// Additional limits of some operations.
pub(super) struct OperationLimits {
    pub(super) creations: Bucket<[u8; 32]>,
    tokens: Bucket<[u8; 32]>,
    submissions: Bucket<PaymentId>,
    part_submissions: Bucket<(PaymentId, u8)>,
    refunds: Bucket<PaymentId>,
    previews: Bucket<PaymentId>,
}

impl OperationLimits {
    /// Limits of production. The names are values of the label `limit` of the metrics.
    pub(super) fn standard(clock: &MonotonicClock) -> Self {
        Self {
            creations: Bucket::per_second("creations", CREATIONS, clock),
            tokens: Bucket::per_minute("tokens", TOKENS, clock),
            submissions: Bucket::per_minute("cards_of_a_payment", CARDS_OF_A_PAYMENT, clock),
            part_submissions: Bucket::per_minute("cards_of_a_part", CARDS_OF_A_PART, clock),
            refunds: Bucket::per_minute("refunds_of_a_payment", REFUNDS_OF_A_PAYMENT, clock),
            previews: Bucket::per_minute("previews_of_a_payment", PREVIEWS_OF_A_PAYMENT, clock),
        }
    }

    /// Charges the limit of an operation for a credential.
    pub(super) fn charge(&self, digest: &[u8; 32], operation: &str) -> Result<(), RateLimited> {
        match operation {
            CREATION => self.creations.take(digest).map(drop),
            TOKEN => self.tokens.take(digest).map(drop),
            _ => Ok(()),
        }
    }

    pub(super) fn admit_submission(&self, payment: &PaymentId, part: Option<u8>) -> Result<(), RateLimited> {
        match part {
            Some(part) => self.part_submissions.take(&(payment.clone(), part)).map(drop),
            None => self.submissions.take(payment).map(drop),
        }
    }

    pub(super) fn admit_refund(&self, payment: &PaymentId) -> Result<(), RateLimited> {
        self.refunds.take(payment).map(drop)
    }

    pub(super) fn admit_preview(&self, payment: &PaymentId) -> Result<(), RateLimited> {
        self.previews.take(payment).map(drop)
    }

    /// Removes the payments and credentials without recent requests.
    pub(super) fn trim(&self) {
        self.creations.trim();
        self.tokens.trim();
        self.submissions.trim();
        self.part_submissions.trim();
        self.refunds.trim();
        self.previews.trim();
    }
}
