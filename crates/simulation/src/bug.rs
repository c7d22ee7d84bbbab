//! Deliberate bugs: each must be found, or the checkers prove little.

/// A promise that the simulated deployment breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// The store loses the intent of an attempt.
    ForgetsIntents,
    /// The store accepts a decision that was based on an older version.
    IgnoresVersions,
    /// The store ignores the lease of an idempotency key.
    IgnoresEpochs,
    /// The store loses a stored response.
    ForgetsAnswers,
    /// The store sometimes loses an event.
    ForgetsEvents,
    /// The store commits half of a decision when the process ends in between.
    CommitsInHalves,
    /// The provider's adapter takes silence for a refusal.
    TakesDoubtForDecline,
    /// The provider's adapter repeats a request after a lost response.
    SendsAgain,
    /// The provider's adapter believes the first "not found".
    BelievesNotFound,
    /// The provider's adapter reports a release without a call.
    ForgetsVoids,
    /// The provider's adapter reports a reversal without a call.
    ForgetsReversals,
    /// The store loses orphaned attempts.
    ForgetsOrphans,
    /// The provider's adapter takes a refused capture for one that was made.
    TakesRefusalForCapture,
    /// The provider's adapter repeats a capture without a response.
    CapturesAgain,
    /// The provider's adapter repeats a step of an authentication without a response.
    TakesStepsAgain,
    /// The store loses the return of a browser.
    ForgetsReturns,
    /// The store takes an event that was claimed for one that was sent.
    TakesClaimedForSent,
    /// The consumer trusts the last event to arrive, not the last sequence.
    BelievesTheLastToCome,
    /// The store hides the unfinished refunds of a payment from a request for another one.
    ForgetsPendingRefunds,
    /// The store requests the credit note together with the refund.
    NotesBeforeMoney,
    /// The provider's adapter repeats a refund after a lost response.
    SendsRefundsAgain,
    /// The provider's adapter believes the first "not found" of a refund.
    BelievesRefundsNotFound,
    /// The store rounds each credit note independently of the remaining document.
    RoundsNotesAlone,
    /// The store adds a second credit note for a retried refund.
    DoublesNotesOfRetries,
    /// The provider's adapter drops approvals that arrive late, and omits our refunds from its lists.
    DropsLateApprovals,
    /// The sweep does not recognize our own voids and refunds.
    CountsOwnRefunds,
}

impl Bug {
    /// Every bug.
    pub const ALL: [Self; 26] = [
        Self::ForgetsIntents,
        Self::IgnoresVersions,
        Self::IgnoresEpochs,
        Self::ForgetsAnswers,
        Self::ForgetsEvents,
        Self::CommitsInHalves,
        Self::TakesDoubtForDecline,
        Self::SendsAgain,
        Self::BelievesNotFound,
        Self::ForgetsVoids,
        Self::ForgetsReversals,
        Self::ForgetsOrphans,
        Self::TakesRefusalForCapture,
        Self::CapturesAgain,
        Self::TakesStepsAgain,
        Self::ForgetsReturns,
        Self::TakesClaimedForSent,
        Self::BelievesTheLastToCome,
        Self::ForgetsPendingRefunds,
        Self::NotesBeforeMoney,
        Self::SendsRefundsAgain,
        Self::BelievesRefundsNotFound,
        Self::RoundsNotesAlone,
        Self::DoublesNotesOfRetries,
        Self::DropsLateApprovals,
        Self::CountsOwnRefunds,
    ];

    /// Whether only refunds can show the bug.
    pub(crate) const fn is_about_refunds(self) -> bool {
        matches!(
            self,
            Self::ForgetsPendingRefunds
                | Self::NotesBeforeMoney
                | Self::SendsRefundsAgain
                | Self::BelievesRefundsNotFound
                | Self::RoundsNotesAlone
                | Self::DoublesNotesOfRetries
                | Self::DropsLateApprovals
                | Self::CountsOwnRefunds
        )
    }
}
