use chrono::{DateTime, Utc};
use domain::{
    AttemptId, Event, FiscalDocument, FiscalDocumentId, MerchantId, Mode, Payment, PaymentId, Refund, RequestId,
    attempt::Attempt,
    credential::CheckoutToken,
    fiscal::{DocumentEmail, EmailFollowUp},
    payment::AuthReturn,
    sale::Sale,
};

use crate::KeyRecord;

/// All changes of one decision, stored in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The tenant.
    pub merchant: MerchantId,
    /// The mode.
    pub mode: Mode,
    /// The payment that the events are about.
    pub about: PaymentId,
    /// Time of the decision.
    pub at: DateTime<Utc>,
    /// The request that caused the decision; `None` for a worker.
    pub request: Option<RequestId>,
    /// The payment, if changed.
    pub payment: Option<Change<Payment>>,
    /// The refund, if changed.
    pub refund: Option<Change<Refund>>,
    /// The changed documents: that of the sale and credit notes. `replaced` and `delivery` are about the first one.
    pub documents: Vec<Change<FiscalDocument>>,
    /// Total of a credit note that was accepted, added to [`credited`](domain::fiscal::DocumentState::credited) of its
    /// original.
    pub credited: Option<Credited>,
    /// The rejected revision of the document, if the change creates another revision.
    pub replaced: Option<FiscalDocument>,
    /// An e-mail of a document that was requested, or has changed. With it, an existing document changes only in its
    /// shown delivery, and the lease on the document stays.
    pub delivery: Option<Change<DocumentEmail>>,
    /// Changes of the e-mails that wait for a document.
    pub deliveries: Vec<(FiscalDocumentId, EmailFollowUp)>,
    /// Submissions to the provider, each new or resolved; several if parts of a split are submitted together.
    pub attempts: Vec<Attempt>,
    /// Return of a browser from an issuer, recorded with or without an effect.
    pub returned: Option<BrowserReturn>,
    /// Signed bytes; once stored they never change.
    pub artifacts: Vec<Artifact>,
    /// A new token, or a token with a new session.
    pub token: Option<CheckoutToken>,
    /// Events in order. The store gives each its number in the payment's sequence, without gaps.
    pub events: Vec<Event>,
    /// The sale after the decision, as shown in the events; `None` without events. In the commits of a credit note's
    /// issuance, the document of this sale is the note.
    ///
    /// An event about a refund shows `refund`, and an event about a credit note the note among `documents`.
    pub snapshot: Option<Box<Sale>>,
    /// Whether the commit leaves a split payment finally paid in part: an operator is alerted after the commit.
    pub leaves_in_part: bool,
    /// New state of the caller's idempotency key.
    pub key: Option<KeyChange>,
}

impl Commit {
    /// Returns a commit about `sale` without changes.
    pub fn about(sale: &Sale, request: Option<RequestId>, at: DateTime<Utc>) -> Self {
        let facts = &sale.payment.facts;
        Self {
            merchant: facts.merchant.clone(),
            mode: facts.mode,
            about: facts.id.clone(),
            at,
            request,
            payment: None,
            refund: None,
            documents: Vec::new(),
            credited: None,
            replaced: None,
            delivery: None,
            deliveries: Vec::new(),
            attempts: Vec::new(),
            returned: None,
            artifacts: Vec::new(),
            token: None,
            events: Vec::new(),
            snapshot: None,
            leaves_in_part: false,
            key: None,
        }
    }
}

/// Total of an accepted credit note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credited {
    /// The original.
    pub document: FiscalDocumentId,
    /// Total of the note, in minor units of the currency of the charge.
    pub minor_units: i64,
}

/// Return of a payer's browser from the issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserReturn {
    /// The attempt of the challenge.
    pub attempt: AttemptId,
    /// Kind of the return.
    pub kind: AuthReturn,
    /// Whether the return had an effect. A second or a late return has none.
    pub is_applied: bool,
}

/// New state of a versioned object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change<T> {
    /// The state as decided.
    pub to: T,
    /// The version that the decision was based on; `None` if the thing is new.
    pub based_on: Option<u32>,
    /// End of the caller's lease on the object.
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
    /// The revision.
    pub revision: u32,
    /// The kind.
    pub kind: ArtifactKind,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// The bytes, exactly as signed or drawn.
    pub bytes: Vec<u8>,
}

/// Kind of a stored artifact.
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
