use app::{Error, NotFound, ProviderFailure};
use domain::{Conflict, InvalidRequest, Refusal, Unprocessable, refusal::Refused};

use crate::texts::Texts;

/// What a page says once, about what was just sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    NotSent,
    MerchantCannot,
    /// Rate limit for cards: the next is accepted after these seconds. No address contains this note.
    TooOften(u64),
    OldForm,
    OtherAmount,
    Changed,
    EmailAsked,
    EmailSending,
    EmailTooOften,
    WrongEmail,
    WrongAmount,
    TooHigh,
    WrongTaxId,
    BuyerRequired,
    BuyerUnknown,
    BuyerUnusable,
    EligibilityRequired,
    Locked,
    NoDirectory,
    Unavailable,
    WrongShares,
    NotRenewable,
    NotNow,
}

impl Note {
    const ALL: [Self; 22] = [
        Self::NotSent,
        Self::MerchantCannot,
        Self::OldForm,
        Self::OtherAmount,
        Self::Changed,
        Self::EmailAsked,
        Self::EmailSending,
        Self::EmailTooOften,
        Self::WrongEmail,
        Self::WrongAmount,
        Self::TooHigh,
        Self::WrongTaxId,
        Self::BuyerRequired,
        Self::BuyerUnknown,
        Self::BuyerUnusable,
        Self::EligibilityRequired,
        Self::Locked,
        Self::NoDirectory,
        Self::Unavailable,
        Self::WrongShares,
        Self::NotRenewable,
        Self::NotNow,
    ];

    /// What the payer can do about a failure; nothing where the page itself shows how things stand.
    ///
    /// # Errors
    ///
    /// Nothing, if it is ours.
    pub(crate) const fn of(error: &Error) -> Result<Option<Self>, ()> {
        match error {
            Error::Refusal(Refusal { code, .. }) => Ok(Self::of_refusal(*code)),
            // A payment that has ended meanwhile has made this a session that only looks at it; a bill may be one again, or
            // of fewer shares.
            Error::Permission(..)
            | Error::NotFound(NotFound::PaymentSplitNotFound | NotFound::PaymentPartNotFound, _) => Ok(None),
            // What it refuses now it refuses again: it does not know the merchant, or not so.
            Error::Provider(ProviderFailure::ProviderRejectedRequest) => Ok(Some(Self::MerchantCannot)),
            Error::Provider(_) => Ok(Some(Self::NotSent)),
            Error::Dependency(..) => Ok(Some(Self::NoDirectory)),
            // Use cases limit only e-mails.
            Error::RateLimit(..) => Ok(Some(Self::EmailTooOften)),
            _ => Err(()),
        }
    }

    const fn of_refusal(code: Refused) -> Option<Self> {
        match code {
            Refused::InvalidRequest(InvalidRequest::AmountAboveMaximum) => Some(Self::TooHigh),
            Refused::InvalidRequest(InvalidRequest::FiscalBuyerTaxIdInvalid) => Some(Self::WrongTaxId),
            Refused::InvalidRequest(InvalidRequest::PaymentSplitInvalid) => Some(Self::WrongShares),
            Refused::Conflict(Conflict::FiscalBuyerRequired) => Some(Self::BuyerRequired),
            Refused::Conflict(Conflict::FiscalPresetLocked) => Some(Self::Locked),
            Refused::Conflict(Conflict::PaymentSplitNotRenewable) => Some(Self::NotRenewable),
            Refused::Conflict(Conflict::PaymentSplitNotAllowed) => Some(Self::NotNow),
            Refused::Unprocessable(Unprocessable::FiscalBuyerNotRegistered) => Some(Self::BuyerUnknown),
            Refused::Unprocessable(
                Unprocessable::FiscalBuyerInactive
                | Unprocessable::FiscalBuyerIsIssuer
                | Unprocessable::FiscalBuyerNotGovernmentEntity,
            ) => Some(Self::BuyerUnusable),
            Refused::Unprocessable(Unprocessable::FiscalGovernmentEligibilityRequired) => {
                Some(Self::EligibilityRequired)
            }
            Refused::Unprocessable(Unprocessable::MerchantAccountNotReady) => Some(Self::MerchantCannot),
            Refused::Unprocessable(_) => Some(Self::Unavailable),
            _ => None,
        }
    }

    /// How an address says it.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::NotSent => "not-sent",
            Self::MerchantCannot => "merchant-cannot",
            Self::TooOften(_) => "too-often",
            Self::OldForm => "old-form",
            Self::OtherAmount => "other-amount",
            Self::Changed => "changed",
            Self::EmailAsked => "email-asked",
            Self::EmailSending => "email-sending",
            Self::EmailTooOften => "email-too-often",
            Self::WrongEmail => "wrong-email",
            Self::WrongAmount => "wrong-amount",
            Self::TooHigh => "too-high",
            Self::WrongTaxId => "wrong-tax-id",
            Self::BuyerRequired => "buyer-required",
            Self::BuyerUnknown => "buyer-unknown",
            Self::BuyerUnusable => "buyer-unusable",
            Self::EligibilityRequired => "eligibility-required",
            Self::Locked => "locked",
            Self::NoDirectory => "no-directory",
            Self::Unavailable => "unavailable",
            Self::WrongShares => "wrong-shares",
            Self::NotRenewable => "not-renewable",
            Self::NotNow => "not-now",
        }
    }

    pub(crate) fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.code() == text)
    }

    /// Whether it is good news.
    pub(crate) const fn is_good(self) -> bool {
        matches!(self, Self::Changed | Self::EmailAsked | Self::EmailSending)
    }

    /// Whether it is about a document that was chosen and that the sale does not take so.
    pub(crate) const fn keeps_choice(self) -> bool {
        matches!(
            self,
            Self::WrongTaxId
                | Self::BuyerRequired
                | Self::BuyerUnknown
                | Self::BuyerUnusable
                | Self::EligibilityRequired
                | Self::NoDirectory
        )
    }

    /// Seconds to wait, if the note is about a rate limit.
    pub(crate) fn wait(self, texts: &Texts) -> Option<String> {
        match self {
            Self::TooOften(seconds) => Some(texts.language.wait(seconds)),
            _ => None,
        }
    }

    pub(crate) const fn text(self, texts: &Texts) -> &'static str {
        match self {
            Self::NotSent => texts.note_not_sent,
            Self::MerchantCannot => texts.note_merchant_cannot,
            Self::TooOften(_) => texts.note_too_often,
            Self::OldForm => texts.note_old_form,
            Self::OtherAmount => texts.note_other_amount,
            Self::Changed => texts.note_changed,
            Self::EmailAsked => texts.note_email_asked,
            Self::EmailSending => texts.note_email_sending,
            Self::EmailTooOften => texts.note_email_too_often,
            Self::WrongEmail => texts.note_wrong_email,
            Self::WrongAmount => texts.note_wrong_amount,
            Self::TooHigh => texts.note_too_high,
            Self::WrongTaxId => texts.note_wrong_tax_id,
            Self::BuyerRequired => texts.note_buyer_required,
            Self::BuyerUnknown => texts.note_buyer_unknown,
            Self::BuyerUnusable => texts.note_buyer_unusable,
            Self::EligibilityRequired => texts.note_eligibility_required,
            Self::Locked => texts.note_locked,
            Self::NoDirectory => texts.note_no_directory,
            Self::Unavailable => texts.note_unavailable,
            Self::WrongShares => texts.note_wrong_shares,
            Self::NotRenewable => texts.note_not_renewable,
            Self::NotNow => texts.note_not_now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the provider refuses it refuses again, and what it never got it may take.
    #[test]
    fn only_the_merchant_can_help_where_the_provider_refuses() {
        let of = |it| Note::of(&Error::Provider(it));

        assert_eq!(of(ProviderFailure::ProviderRejectedRequest), Ok(Some(Note::MerchantCannot)));
        assert_eq!(of(ProviderFailure::ProviderUnavailable), Ok(Some(Note::NotSent)));
    }

    /// Somebody else has made one bill of it, or fewer shares, or it never was more: the page shows that. That a payment is not there at all is
    /// ours to explain, since its page was.
    #[test]
    fn a_bill_that_is_shared_otherwise_is_no_failure() {
        let of = |it| Note::of(&Error::NotFound(it, None));

        assert_eq!(of(NotFound::PaymentSplitNotFound), Ok(None));
        assert_eq!(of(NotFound::PaymentPartNotFound), Ok(None));
        assert_eq!(of(NotFound::PaymentNotFound), Err(()));
    }
}
