use app::{Error, NotFound, ProviderFailure};
use domain::{Conflict, InvalidRequest, Refusal, Unprocessable, refusal::Refused};

use crate::texts::Texts;

/// Declares notes with their code in addresses and their texts in both languages.
macro_rules! notes {
    ($($note:ident = $code:literal: $spanish:literal, $english:literal;)+) => {
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
                let (spanish, english) = match self {
                    Self::TooOften(_) => TOO_OFTEN,
                    $(Self::$note => ($spanish, $english),)+
                };
                texts.language.choose(spanish, english)
            }
        }
    };
}

const TOO_OFTEN: (&str, &str) =
    ("Son demasiados intentos seguidos. No se cobró nada.", "Too many attempts. Nothing was charged.");

notes! {
    NotSent = "not-sent": "No pudimos comunicarnos con el banco. No se cobró nada: intente de nuevo.", "We could not reach the bank. Nothing was charged: try again.";
    MerchantCannot = "merchant-cannot": "El comercio no puede cobrar con tarjeta en este momento. No se cobró nada: avísele, sus datos están al final de la página.",
        "The merchant cannot accept cards at the moment. Nothing was charged: tell the merchant, whose contact is at the end of the page.";
    EarlierSessionForm = "old-form": "No se cobró otra vez: así está su pago ahora.", "Nothing was charged again: this is the current status of your payment.";
    OtherAmount = "other-amount": "El monto cambió y no se cobró nada. Revíselo y pague de nuevo.",
        "The amount has changed, and nothing was charged. Check the amount and pay again.";
    Changed = "changed": "Listo, cambio guardado.", "Done, your change is saved.";
    EmailRequested = "email-asked": "Listo. Lo enviaremos cuando esté emitido.", "Done. We send the document when it is issued.";
    EmailSending = "email-sending": "Listo. Se lo enviamos en unos minutos.", "Done. We send the document in a few minutes.";
    EmailTooOften = "email-too-often": "Este comprobante ya se pidió demasiadas veces por correo hoy. Descárguelo aquí, o pídalo mañana.",
        "This document was requested by e-mail too often today. Download it here, or request the e-mail again tomorrow.";
    WrongEmail = "wrong-email": "Revise el correo.", "Check the e-mail address.";
    WrongAmount = "wrong-amount": "Escriba el monto con números, como 150.00.", "Enter the amount in digits, as in 150.00.";
    TooHigh = "too-high": "La propina no puede ser mayor que el monto de la compra.", "The tip cannot be more than the purchase.";
    WrongTaxId = "wrong-tax-id": "Revise el RNC o la cédula.", "Check the RNC or cédula.";
    BuyerRequired = "buyer-required": "Ese comprobante necesita el RNC o la cédula del comprador.", "That document needs the buyer's RNC or cédula.";
    BuyerUnknown = "buyer-unknown": "Ese RNC o cédula no está en el registro de la DGII. Revíselo.", "That RNC or cédula is not in the DGII's register. Check the number.";
    BuyerUnusable = "buyer-unusable": "La DGII no permite emitir ese comprobante a ese contribuyente.", "The DGII does not allow that document for this taxpayer.";
    EligibilityRequired = "eligibility-required": "Ese comprobante necesita la referencia de la entidad pública.", "That document needs the reference of the public body.";
    Locked = "locked": "El comercio fijó este comprobante.", "The merchant has set this document.";
    NoDirectory = "no-directory": "No pudimos consultar el registro de contribuyentes. Intente de nuevo.", "We could not query the register of taxpayers. Try again.";
    Unavailable = "unavailable": "Ese comprobante no está disponible aquí.", "That document is not available here.";
    WrongShares = "wrong-shares": "Revise las partes: de 2 a 10, deben sumar el total y cada una tiene un mínimo.", "Check the shares: from 2 to 10 shares, which add up to the total and reach the minimum.";
    NotRenewable = "not-renewable": "Esta cuenta ya no se puede abrir de nuevo. Pida otro enlace al comercio.", "This bill cannot be opened again. Ask the merchant for another link.";
    NotNow = "not-now": "Ahora no es posible. Intente más tarde.", "This is not possible now. Try again later.";
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
