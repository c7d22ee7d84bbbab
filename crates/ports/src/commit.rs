use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Event, FiscalDocument, FiscalDocumentId, MerchantId, Mode, Payment, PaymentId, RequestId,
    attempt::Attempt,
    credential::CheckoutToken,
    fiscal::{DocumentEmail, EmailFollowUp},
    payment::Return,
    sale::Sale,
};

use crate::KeyRecord;

/// Everything that one decision changes. One decision, one commit, one transaction: all of it
/// becomes durable, or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The payment that the events are about.
    pub about: PaymentId,
    /// When it was decided.
    pub at: DateTime<Utc>,
    /// The exchange that asked for it; `None` if nobody asked.
    pub request: Option<RequestId>,
    /// The payment, if it changed.
    pub payment: Option<Change<Payment>>,
    /// Its fiscal document, if that changed.
    pub document: Option<Change<FiscalDocument>>,
    /// The document as it was refused, if the change makes another revision of it: what it said is kept.
    pub replaced: Option<FiscalDocument>,
    /// A delivery that was asked for, or that has come further. Of a document that is known already nothing changes then
    /// but what it shows of its delivery: whoever is at its next step stays at it.
    pub delivery: Option<Change<DocumentEmail>>,
    /// What becomes of the deliveries that wait for the document, by what this commit does to it.
    pub deliveries: Option<EmailFollowUp>,
    /// Submissions to the provider, each new or resolved; several where parts of a split are asked for together.
    pub attempts: Vec<Attempt>,
    /// That a browser came back from an issuer, which is written down whatever it came to.
    pub returned: Option<Returned>,
    /// Signed bytes; once stored they never change.
    pub artifacts: Vec<Artifact>,
    /// A token that was handed out, or one that is known and commands its payment from now on.
    pub token: Option<CheckoutToken>,
    /// What to tell the world, in order. The store gives each its place in the payment's
    /// sequence, without gaps.
    pub events: Vec<Event>,
    /// The sale right after, which the events will show to whoever reads them; `None` where
    /// nothing is told.
    pub snapshot: Option<Box<Sale>>,
    /// Whether a bill is finally paid in part by this commit: an operator is alerted once it is durable.
    pub leaves_in_part: bool,
    /// What the caller's idempotency key remembers from now on.
    pub key: Option<KeyChange>,
}

/// That a payer's browser came back from the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The attempt that the issuer was asked about.
    pub attempt: AttemptId,
    /// With what.
    pub back: Return,
    /// Whether it moved anything. What came a second time, or too late, did not.
    pub is_taken: bool,
}

/// A new state of something that has a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T> {
    /// The state as decided.
    pub to: T,
    /// The version that the decision was based on; `None` if the thing is new.
    pub based_on: Option<u32>,
    /// Until when nobody else need look at it, because the decider goes on.
    pub lease_until: Option<DateTime<Utc>>,
}

/// A new state of an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// The state as decided.
    pub to: KeyRecord,
    /// The epoch that the decision was based on; `None` if this is the key's first use.
    pub based_on: Option<u32>,
}

/// Bytes that were signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The document that they are of.
    pub document: FiscalDocumentId,
    /// Which revision of it.
    pub revision: u32,
    /// What they are.
    pub kind: ArtifactKind,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The bytes, exactly as signed or drawn.
    pub bytes: Vec<u8>,
}

/// What a stored artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArtifactKind {
    /// The signed document.
    SignedDocument,
    /// The signed summary of a small consumer invoice.
    SignedSummary,
    /// The printed representation of the signed document.
    PrintedRepresentation,
}

impl ArtifactKind {
    /// The spelling in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SignedDocument => "signed_document",
            Self::SignedSummary => "signed_summary",
            Self::PrintedRepresentation => "printed_representation",
        }
    }
}

/// Result of a commit.
///
/// If the store does not respond, the result is [`crate::Unavailable`]: the caller must read whether the commit
/// happened.
#[must_use = "a decision that is not durable must be made again"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// The whole commit is durable.
    Done,
    /// Another decision was committed first: reload and decide again. No change was written.
    Stale,
    /// Another request used the idempotency key first: read the key and follow its outcome. No change was written.
    KeyTaken,
    /// The provider's response approves an attempt by a transaction that has approved another attempt of the same
    /// account: do not trust the response. No change was written.
    KnownTransaction,
}
