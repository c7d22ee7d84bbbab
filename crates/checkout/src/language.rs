//! The languages of the pages, and what each calls the things that the domain knows.

use chrono::{DateTime, Timelike, Utc};
use domain::{
    fiscal::{DocumentKind, local_time},
    payment::DeclineCode,
    split::PartStatus,
};

use crate::texts::{self, Texts};

/// A language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Spanish,
    English,
}

impl Language {
    /// The language of a tag, as in `es-DO`.
    pub(crate) fn of(tag: &str) -> Option<Self> {
        match tag.trim().split('-').next()?.to_ascii_lowercase().as_str() {
            "es" => Some(Self::Spanish),
            "en" => Some(Self::English),
            _ => None,
        }
    }

    /// The first of those that a browser prefers which is spoken here, as in `en-US,en;q=0.9`.
    pub(crate) fn preferred(accepted: &str) -> Option<Self> {
        accepted.split(',').find_map(|it| Self::of(it.split(';').next().unwrap_or_default()))
    }

    pub(crate) const fn texts(self) -> &'static Texts {
        match self {
            Self::Spanish => &texts::SPANISH,
            Self::English => &texts::ENGLISH,
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Spanish => Self::English,
            Self::English => Self::Spanish,
        }
    }

    /// An hour as people say it there.
    fn hour(self, at: DateTime<Utc>) -> String {
        let at = local_time(at);
        let (is_afternoon, hour) = at.hour12();
        let half = match (self, is_afternoon) {
            (Self::Spanish, false) => "a.\u{a0}m.",
            (Self::Spanish, true) => "p.\u{a0}m.",
            (Self::English, false) => "a.m.",
            (Self::English, true) => "p.m.",
        };
        format!("{hour}:{:02}\u{a0}{half}", at.minute())
    }

    /// Formats an instant in the time of the Dominican Republic, without a line break inside the day or the hour.
    pub(crate) fn moment(self, at: DateTime<Utc>) -> String {
        let day = local_time(at).date();
        let day = match self {
            Self::Spanish => day.format("%d/%m/%Y").to_string(),
            Self::English => day.format("%b\u{a0}%-d,\u{a0}%Y").to_string(),
        };
        format!("{day}, {}", self.hour(at))
    }

    pub(crate) const fn kind(self, kind: DocumentKind) -> &'static str {
        match (self, kind) {
            (Self::Spanish, DocumentKind::Consumer) => "Consumidor final",
            (Self::Spanish, DocumentKind::FiscalCredit) => "Crédito fiscal",
            (Self::Spanish, DocumentKind::Government) => "Gubernamental",
            (Self::English, DocumentKind::Consumer) => "Consumer invoice",
            (Self::English, DocumentKind::FiscalCredit) => "Tax credit invoice",
            (Self::English, DocumentKind::Government) => "Government invoice",
        }
    }

    /// Why a card was declined. Of a card that is lost, stolen or misused no more is said than of any other.
    pub(crate) const fn decline(self, code: DeclineCode) -> &'static str {
        match self {
            Self::Spanish => match code {
                DeclineCode::InsufficientFunds => "La tarjeta no tiene fondos suficientes.",
                DeclineCode::CardExpired => "La tarjeta está vencida.",
                DeclineCode::InvalidCardNumber => "El número de la tarjeta no es válido.",
                DeclineCode::IncorrectSecurityCode => "El código de seguridad no es correcto.",
                DeclineCode::IncorrectPin => "La tarjeta pide un PIN, y aquí no se puede indicar.",
                DeclineCode::CardRestricted => "La tarjeta no se puede usar para esta compra.",
                DeclineCode::ExceedsLimit => "La compra excede un límite de la tarjeta.",
                DeclineCode::TransactionNotPermitted => "La tarjeta no permite esta compra.",
                DeclineCode::AuthenticationFailed => "Su banco no pudo confirmar que es usted.",
                DeclineCode::DoNotHonor => "Su banco rechazó la tarjeta.",
                DeclineCode::IssuerUnavailable => "Su banco no está disponible. Intente más tarde.",
                DeclineCode::CardReportedLostOrStolen | DeclineCode::SuspectedFraud | DeclineCode::GenericDecline => {
                    "La tarjeta fue rechazada."
                }
            },
            Self::English => match code {
                DeclineCode::AuthenticationFailed => "Your bank could not confirm that it is you.",
                DeclineCode::DoNotHonor => "Your bank declined the card.",
                DeclineCode::IssuerUnavailable => "Your bank cannot be reached. Try again later.",
                DeclineCode::IncorrectPin => "The card wants a PIN, which cannot be given here.",
                _ => code.message(),
            },
        }
    }

    /// What a payer may do whose card was declined so, and who may try again.
    pub(crate) const fn after_decline(self, code: DeclineCode) -> &'static str {
        use DeclineCode as D;
        let texts = self.texts();
        match code {
            D::InvalidCardNumber | D::IncorrectSecurityCode => texts.mend_and_try,
            D::InsufficientFunds
            | D::CardExpired
            | D::IncorrectPin
            | D::CardRestricted
            | D::ExceedsLimit
            | D::TransactionNotPermitted => texts.try_another,
            D::AuthenticationFailed
            | D::DoNotHonor
            | D::IssuerUnavailable
            | D::CardReportedLostOrStolen
            | D::SuspectedFraud
            | D::GenericDecline => texts.declined_try_again,
        }
    }

    /// That those shares could not be charged although they are reserved, and what their organizer may do.
    pub(crate) fn not_charged(self, shares: &[u8]) -> String {
        let all = shares.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let one = shares.len() == 1;
        match self {
            Self::Spanish => format!(
                "No se pudo cobrar {} {all}. Intente de nuevo; si tampoco se puede, cancele y hable con el comercio.",
                if one { "la parte" } else { "las partes" }
            ),
            Self::English => format!(
                "{} {all} could not be charged. Try again; if that fails too, cancel and talk to the merchant.",
                if one { "Share" } else { "Shares" }
            ),
        }
    }

    /// That amounts come to `sum`, and by how much that `is_less` or more than it should be.
    pub(crate) fn off(self, sum: &str, by: &str, is_less: bool) -> String {
        match (self, is_less) {
            (Self::Spanish, true) => format!("suman {sum} y faltan {by}."),
            (Self::Spanish, false) => format!("suman {sum} y sobran {by}."),
            (Self::English, true) => format!("they come to {sum}, which is {by} too little."),
            (Self::English, false) => format!("they come to {sum}, which is {by} too much."),
        }
    }

    /// Text with the seconds to wait before the next attempt.
    pub(crate) fn wait(self, seconds: u64) -> String {
        match (self, seconds) {
            (Self::Spanish, 1) => "Espere 1\u{a0}segundo.".to_owned(),
            (Self::Spanish, _) => format!("Espere {seconds}\u{a0}segundos."),
            (Self::English, 1) => "Wait 1\u{a0}second.".to_owned(),
            (Self::English, _) => format!("Wait {seconds}\u{a0}seconds."),
        }
    }

    /// How many of so many shares are charged for good, and what they come to.
    pub(crate) fn outcome(self, charged: usize, all: usize, sum: &str) -> String {
        match self {
            Self::Spanish => format!("{charged} de {all} partes cobradas: {sum}"),
            Self::English => format!("{charged} of {all} shares charged: {sum}"),
        }
    }

    /// How many of so many shares are ready, and what they come to.
    pub(crate) fn progress(self, ready: u8, all: usize, sum: &str) -> String {
        match self {
            Self::Spanish => format!("{ready} de {all} partes listas: {sum}"),
            Self::English => format!("{ready} of {all} shares ready: {sum}"),
        }
    }

    /// Where a share stands.
    pub(crate) const fn share(self, status: PartStatus) -> &'static str {
        match (self, status) {
            (Self::Spanish, PartStatus::Unpaid) => "Pendiente",
            (Self::Spanish, PartStatus::Processing) => "En proceso",
            (Self::Spanish, PartStatus::Verifying) => "En verificación",
            (Self::Spanish, PartStatus::Authorized) => "Reservada",
            (Self::Spanish, PartStatus::Capturing) => "Cobrándose",
            (Self::Spanish, PartStatus::Releasing) => "Liberándose",
            (Self::Spanish, PartStatus::Declined) => "Rechazada",
            (Self::Spanish, PartStatus::Succeeded) => "Pagada",
            (Self::Spanish, PartStatus::Released) => "Liberada",
            (Self::Spanish, PartStatus::Expired) => "Vencida",
            (Self::English, PartStatus::Unpaid) => "To be paid",
            (Self::English, PartStatus::Processing) => "Processing",
            (Self::English, PartStatus::Verifying) => "Being checked",
            (Self::English, PartStatus::Authorized) => "Reserved",
            (Self::English, PartStatus::Capturing) => "Being charged",
            (Self::English, PartStatus::Releasing) => "Being released",
            (Self::English, PartStatus::Declined) => "Declined",
            (Self::English, PartStatus::Succeeded) => "Paid",
            (Self::English, PartStatus::Released) => "Released",
            (Self::English, PartStatus::Expired) => "Expired",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_is_spoken_here_counts() {
        assert_eq!(Language::preferred("fr-FR,en-US;q=0.9,es;q=0.8"), Some(Language::English));
        assert_eq!(Language::preferred("es-DO"), Some(Language::Spanish));
        assert_eq!(Language::preferred("*"), None);
        assert_eq!(Language::preferred(""), None);
    }

    #[test]
    fn a_moment_is_told_by_the_clock_of_the_country() {
        let at = "2026-03-02T01:05:00Z".parse().unwrap();

        assert_eq!(Language::Spanish.moment(at), "01/03/2026, 9:05\u{a0}p.\u{a0}m.");
        assert_eq!(Language::English.moment(at), "Mar\u{a0}1,\u{a0}2026, 9:05\u{a0}p.m.");
    }

    #[test]
    fn of_a_card_that_is_misused_no_more_is_said_than_of_any_other() {
        for language in [Language::Spanish, Language::English] {
            let any = language.decline(DeclineCode::GenericDecline);

            assert_eq!(language.decline(DeclineCode::SuspectedFraud), any);
            assert_eq!(language.decline(DeclineCode::CardReportedLostOrStolen), any);
        }
    }
}
