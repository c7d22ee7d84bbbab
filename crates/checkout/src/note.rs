use app::{Error, NotFound, ProviderFailure};
use domain::{Conflict, InvalidRequest, Refusal, Unprocessable, refusal::Refused};

use crate::texts::Texts;

/// Declares notes with their code in addresses and their text.
macro_rules! notes {
    ($($note:ident = $code:literal, $text:ident;)+) => {
        /// Result of a form, shown once on the page after the redirect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Note {
            /// Rate limit for cards: the next card is accepted after these seconds. No address contains this note.
            TooOften(u64),
            $($note,)+
        }

        impl Note {
            /// Value of the query parameter `note`.
            pub(crate) const fn code(self) -> &'static str {
                match self {
                    Self::TooOften(_) => "too-often",
                    $(Self::$note => $code,)+
                }
            }

            pub(crate) fn from_code(text: &str) -> Option<Self> {
                [$(Self::$note),+].into_iter().find(|it| it.code() == text)
            }

            pub(crate) const fn text(self, texts: &Texts) -> &'static str {
                match self {
                    Self::TooOften(_) => texts.note_too_often,
                    $(Self::$note => texts.$text,)+
                }
            }
        }
    };
}

notes! {
    NotSent = "not-sent", note_not_sent;
    MerchantCannot = "merchant-cannot", note_merchant_cannot;
    OldForm = "old-form", note_old_form;
    OtherAmount = "other-amount", note_other_amount;
    Changed = "changed", note_changed;
    EmailRequested = "email-asked", note_email_requested;
    EmailSending = "email-sending", note_email_sending;
    EmailTooOften = "email-too-often", note_email_too_often;
    WrongEmail = "wrong-email", note_wrong_email;
    WrongAmount = "wrong-amount", note_wrong_amount;
    TooHigh = "too-high", note_too_high;
    WrongTaxId = "wrong-tax-id", note_wrong_tax_id;
    BuyerRequired = "buyer-required", note_buyer_required;
    BuyerUnknown = "buyer-unknown", note_buyer_unknown;
    BuyerUnusable = "buyer-unusable", note_buyer_unusable;
    EligibilityRequired = "eligibility-required", note_eligibility_required;
    Locked = "locked", note_locked;
    NoDirectory = "no-directory", note_no_directory;
    Unavailable = "unavailable", note_unavailable;
    WrongShares = "wrong-shares", note_wrong_shares;
    NotRenewable = "not-renewable", note_not_renewable;
    NotNow = "not-now", note_not_now;
}

impl Note {
    /// Note about an error that the payer can resolve; `None` if the page itself shows the new state.
    ///
    /// # Errors
    ///
    /// If the error is internal.
    pub(crate) const fn of(error: &Error) -> Result<Option<Self>, ()> {
        match error {
            Error::Refusal(Refusal { code, .. }) => Ok(Self::of_refusal(*code)),
            // The session lost its permission because the payment ended, or the split was undone or has fewer parts.
            Error::Permission(..)
            | Error::NotFound(NotFound::PaymentSplitNotFound | NotFound::PaymentPartNotFound, _) => Ok(None),
            // A retry is pointless: the provider rejects the merchant or its settings.
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

    /// Whether the note reports success.
    pub(crate) const fn is_good(self) -> bool {
        matches!(self, Self::Changed | Self::EmailRequested | Self::EmailSending)
    }

    /// Whether the form keeps the payer's choice of document, which lacks a buyer or another detail.
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

    /// Text with the seconds to wait, if the note is about a rate limit.
    pub(crate) fn wait(self, texts: &Texts) -> Option<String> {
        match self {
            Self::TooOften(seconds) => Some(texts.language.wait(seconds)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_by_the_provider_needs_the_merchant() {
        let of = |it| Note::of(&Error::Provider(it));

        assert_eq!(of(ProviderFailure::ProviderRejectedRequest), Ok(Some(Note::MerchantCannot)));
        assert_eq!(of(ProviderFailure::ProviderUnavailable), Ok(Some(Note::NotSent)));
    }

    /// Another payer may have undone or changed the split: the page shows the new state. A missing payment is an internal
    /// error, since the session was of that payment.
    #[test]
    fn a_missing_split_or_part_is_not_an_error() {
        let of = |it| Note::of(&Error::NotFound(it, None));

        assert_eq!(of(NotFound::PaymentSplitNotFound), Ok(None));
        assert_eq!(of(NotFound::PaymentPartNotFound), Ok(None));
        assert_eq!(of(NotFound::PaymentNotFound), Err(()));
    }
}
