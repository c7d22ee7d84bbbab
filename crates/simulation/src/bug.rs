//! Deliberate mistakes: a checker that misses one of them proves nothing.

/// A promise that the simulated deployment breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bug {
    /// The store forgets that an attempt was about to be made.
    ForgetsIntents,
    /// The store takes a decision that was based on an older version.
    IgnoresVersions,
    /// The store takes a key from whoever writes to it.
    IgnoresEpochs,
    /// The store forgets an answer that it was to give again.
    ForgetsAnswers,
    /// The store now and then forgets to tell the world.
    ForgetsEvents,
    /// The store keeps half of a decision when its process ends in the middle.
    CommitsInHalves,
    /// The provider's adapter takes silence for a refusal.
    TakesDoubtForDecline,
    /// The provider's adapter sends again what was not answered.
    SendsAgain,
    /// The provider's adapter believes the first "not found".
    BelievesNotFound,
    /// The provider's adapter says that funds are free without asking.
    ForgetsVoids,
    /// The provider's adapter says that a charge is undone without asking.
    ForgetsReversals,
    /// The store forgets what came of attempts that their payment has moved on without.
    ForgetsOrphans,
    /// The provider's adapter takes a refused capture for one that was made.
    TakesRefusalForCapture,
    /// The provider's adapter sends a capture again that was not answered.
    CapturesAgain,
    /// The provider's adapter takes a step of an authentication again that was not answered.
    TakesStepsAgain,
    /// The store forgets that a browser came back from an issuer.
    ForgetsReturns,
    /// The store takes an event that was claimed for one that was sent.
    TakesClaimedForSent,
    /// The consumer of events believes the one that comes last.
    BelievesTheLastToCome,
}

impl Bug {
    /// Every bug.
    pub const ALL: [Self; 18] = [
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
    ];
}
