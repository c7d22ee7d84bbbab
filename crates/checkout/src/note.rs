use crate::texts::Texts;

/// What a page says once, about what was just sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    NotSent,
    TooOften,
    OldForm,
    Changed,
    EmailAsked,
    WrongEmail,
    WrongAmount,
    TooHigh,
    WrongTaxId,
    BuyerRequired,
    BuyerUnusable,
    EligibilityRequired,
    Locked,
    NoDirectory,
    Unavailable,
}

impl Note {
    const ALL: [Self; 15] = [
        Self::NotSent,
        Self::TooOften,
        Self::OldForm,
        Self::Changed,
        Self::EmailAsked,
        Self::WrongEmail,
        Self::WrongAmount,
        Self::TooHigh,
        Self::WrongTaxId,
        Self::BuyerRequired,
        Self::BuyerUnusable,
        Self::EligibilityRequired,
        Self::Locked,
        Self::NoDirectory,
        Self::Unavailable,
    ];

    /// How an address says it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::NotSent => "not-sent",
            Self::TooOften => "too-often",
            Self::OldForm => "old-form",
            Self::Changed => "changed",
            Self::EmailAsked => "email-asked",
            Self::WrongEmail => "wrong-email",
            Self::WrongAmount => "wrong-amount",
            Self::TooHigh => "too-high",
            Self::WrongTaxId => "wrong-tax-id",
            Self::BuyerRequired => "buyer-required",
            Self::BuyerUnusable => "buyer-unusable",
            Self::EligibilityRequired => "eligibility-required",
            Self::Locked => "locked",
            Self::NoDirectory => "no-directory",
            Self::Unavailable => "unavailable",
        }
    }

    pub(crate) fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == text)
    }

    /// Whether it is good news.
    pub(crate) const fn is_good(self) -> bool {
        matches!(self, Self::Changed | Self::EmailAsked)
    }

    pub(crate) const fn text(self, texts: &Texts) -> &'static str {
        match self {
            Self::NotSent => texts.note_not_sent,
            Self::TooOften => texts.note_too_often,
            Self::OldForm => texts.note_old_form,
            Self::Changed => texts.note_changed,
            Self::EmailAsked => texts.note_email_asked,
            Self::WrongEmail => texts.note_wrong_email,
            Self::WrongAmount => texts.note_wrong_amount,
            Self::TooHigh => texts.note_too_high,
            Self::WrongTaxId => texts.note_wrong_tax_id,
            Self::BuyerRequired => texts.note_buyer_required,
            Self::BuyerUnusable => texts.note_buyer_unusable,
            Self::EligibilityRequired => texts.note_eligibility_required,
            Self::Locked => texts.note_locked,
            Self::NoDirectory => texts.note_no_directory,
            Self::Unavailable => texts.note_unavailable,
        }
    }
}
