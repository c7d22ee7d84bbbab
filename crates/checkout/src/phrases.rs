//! Texts that depend on a value: declines, statuses, amounts and times.

use chrono::{DateTime, Timelike, Utc};
use domain::{
    fiscal::{DocumentKind, local_time},
    payment::DeclineCode,
    split::PartStatus,
};

use crate::language::Language;

impl Language {
    fn hour(self, at: DateTime<Utc>) -> String {
        let at = local_time(at);
        let (is_afternoon, hour) = at.hour12();
        let suffix = match (self, is_afternoon) {
            (Self::Spanish, false) => "a.\u{a0}m.",
            (Self::Spanish, true) => "p.\u{a0}m.",
            (Self::English, false) => "a.m.",
            (Self::English, true) => "p.m.",
        };
        format!("{hour}:{:02}\u{a0}{suffix}", at.minute())
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

    /// Text of a decline. Cards reported lost, stolen or misused get the general text.
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
                DeclineCode::IncorrectPin => "The card requires a PIN, which cannot be entered here.",
                _ => code.message(),
            },
        }
    }

    /// Advice after a decline, while the payment accepts another card.
    pub(crate) const fn after_decline(self, code: DeclineCode) -> &'static str {
        use DeclineCode as D;
        let texts = self.texts();
        match code {
            D::InvalidCardNumber | D::IncorrectSecurityCode => texts.correct_and_retry,
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

    /// Text for the organizer if captures of reserved shares failed.
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

    /// Text for amounts whose sum differs from the total.
    pub(crate) fn sum_differs(self, sum: &str, by: &str, is_less: bool) -> String {
        match (self, is_less) {
            (Self::Spanish, true) => format!("suman {sum} y faltan {by}."),
            (Self::Spanish, false) => format!("suman {sum} y sobran {by}."),
            (Self::English, true) => format!("their sum is {sum}, {by} too little."),
            (Self::English, false) => format!("their sum is {sum}, {by} too much."),
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

    /// Final number and sum of the charged shares.
    pub(crate) fn charged_shares(self, charged: usize, all: usize, sum: &str) -> String {
        match self {
            Self::Spanish => format!("{charged} de {all} partes cobradas: {sum}"),
            Self::English => format!("{charged} of {all} shares charged: {sum}"),
        }
    }

    /// Number and sum of the shares that are ready.
    pub(crate) fn ready_shares(self, ready: u8, all: usize, sum: &str) -> String {
        match self {
            Self::Spanish => format!("{ready} de {all} partes listas: {sum}"),
            Self::English => format!("{ready} of {all} shares ready: {sum}"),
        }
    }

    pub(crate) const fn part_status(self, status: PartStatus) -> &'static str {
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
    fn an_instant_is_shown_in_dominican_time() {
        let at = "2026-03-02T01:05:00Z".parse().unwrap();

        assert_eq!(Language::Spanish.moment(at), "01/03/2026, 9:05\u{a0}p.\u{a0}m.");
        assert_eq!(Language::English.moment(at), "Mar\u{a0}1,\u{a0}2026, 9:05\u{a0}p.m.");
    }

    #[test]
    fn a_misused_card_gets_the_general_text() {
        for language in [Language::Spanish, Language::English] {
            let any = language.decline(DeclineCode::GenericDecline);

            assert_eq!(language.decline(DeclineCode::SuspectedFraud), any);
            assert_eq!(language.decline(DeclineCode::CardReportedLostOrStolen), any);
        }
    }
}
