//! Texts that depend on a value: declines, statuses, amounts and times.

use chrono::{DateTime, Timelike, Utc};
use domain::{
    fiscal::{DocumentKind, local_time},
    payment::DeclineCode,
    refund::{LegStatus, RefundStatus},
    split::PartStatus,
};

use crate::language::Language;

impl Language {
    fn hour(self, at: DateTime<Utc>) -> String {
        let at = local_time(at);
        let (is_afternoon, hour) = at.hour12();
        let suffix = match is_afternoon {
            false => self.choose("a.\u{a0}m.", "a.m."),
            true => self.choose("p.\u{a0}m.", "p.m."),
        };
        format!("{hour}:{:02}\u{a0}{suffix}", at.minute())
    }

    /// Formats an instant in the time of the Dominican Republic, without a line break inside the day or the hour.
    pub(crate) fn moment(self, at: DateTime<Utc>) -> String {
        format!("{}, {}", self.day(at), self.hour(at))
    }

    /// Formats the day of an instant in the Dominican Republic, without a line break.
    pub(crate) fn day(self, at: DateTime<Utc>) -> String {
        local_time(at).date().format(self.day_format()).to_string()
    }

    const fn day_format(self) -> &'static str {
        self.choose("%d/%m/%Y", "%b\u{a0}%-d,\u{a0}%Y")
    }

    pub(crate) const fn kind(self, kind: DocumentKind) -> &'static str {
        match kind {
            DocumentKind::Consumer => self.choose("Consumidor final", "Consumer invoice"),
            DocumentKind::FiscalCredit => self.choose("Crédito fiscal", "Tax credit invoice"),
            DocumentKind::Government => self.choose("Gubernamental", "Government invoice"),
            DocumentKind::CreditNote => self.choose("Nota de crédito", "Credit note"),
        }
    }

    /// Text of a decline. Cards reported lost, stolen or misused get the general text.
    pub(crate) const fn decline(self, code: DeclineCode) -> &'static str {
        use DeclineCode as D;
        let general = code.message();
        let (spanish, english) = match code {
            D::InsufficientFunds => ("La tarjeta no tiene fondos suficientes.", general),
            D::CardExpired => ("La tarjeta está vencida.", general),
            D::InvalidCardNumber => ("El número de la tarjeta no es válido.", general),
            D::IncorrectSecurityCode => ("El código de seguridad no es correcto.", general),
            D::CardRestricted => ("La tarjeta no se puede usar para esta compra.", general),
            D::ExceedsLimit => ("La compra excede un límite de la tarjeta.", general),
            D::TransactionNotPermitted => ("La tarjeta no permite esta compra.", general),
            D::CardReportedLostOrStolen | D::SuspectedFraud | D::GenericDecline => {
                ("La tarjeta fue rechazada.", general)
            }
            D::IncorrectPin => (
                "La tarjeta pide un PIN, y aquí no se puede indicar.",
                "The card requires a PIN, which cannot be entered here.",
            ),
            D::AuthenticationFailed => {
                ("Su banco no pudo confirmar que es usted.", "Your bank could not confirm that it is you.")
            }
            D::DoNotHonor => ("Su banco rechazó la tarjeta.", "Your bank declined the card."),
            D::IssuerUnavailable => {
                ("Su banco no está disponible. Intente más tarde.", "Your bank cannot be reached. Try again later.")
            }
        };
        self.choose(spanish, english)
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
        let subject = match shares.len() {
            1 => self.choose("la parte", "Share"),
            _ => self.choose("las partes", "Shares"),
        };
        match self {
            Self::Spanish => format!(
                "No se pudo cobrar {subject} {all}. Intente de nuevo; si tampoco se puede, cancele y hable con el comercio."
            ),
            Self::English => format!(
                "{subject} {all} could not be charged. Try again; if that fails too, cancel and talk to the merchant."
            ),
        }
    }

    /// Text for amounts with a sum other than the total.
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
        let verb = self.choose("Espere", "Wait");
        let unit = match seconds {
            1 => self.choose("segundo", "second"),
            _ => self.choose("segundos", "seconds"),
        };
        format!("{verb} {seconds}\u{a0}{unit}.")
    }

    /// Final number and sum of the charged shares.
    pub(crate) fn charged_shares(self, charged: usize, all: usize, sum: &str) -> String {
        let (of, state) = self.choose(("de", "partes cobradas"), ("of", "shares charged"));
        format!("{charged} {of} {all} {state}: {sum}")
    }

    /// Number and sum of the shares that are ready.
    pub(crate) fn ready_shares(self, ready: u8, all: usize, sum: &str) -> String {
        let (of, state) = self.choose(("de", "partes listas"), ("of", "shares ready"));
        format!("{ready} {of} {all} {state}: {sum}")
    }

    /// Status of a refund for payers.
    pub(crate) const fn refund_status(self, status: RefundStatus) -> &'static str {
        let texts = self.texts();
        match status {
            RefundStatus::Processing | RefundStatus::Verifying => texts.refund_processing,
            RefundStatus::Succeeded | RefundStatus::Unattributed => texts.refund_returned,
            RefundStatus::PartiallySucceeded => texts.refund_returned_in_part,
            RefundStatus::Failed => texts.refund_failed,
        }
    }

    /// Status of the money of one payer.
    pub(crate) const fn leg_status(self, status: LegStatus) -> &'static str {
        let texts = self.texts();
        match status {
            LegStatus::Processing | LegStatus::Verifying => texts.refund_processing,
            LegStatus::Succeeded => texts.refund_returned,
            LegStatus::Failed => texts.refund_failed,
        }
    }

    pub(crate) const fn part_status(self, status: PartStatus) -> &'static str {
        match status {
            PartStatus::Unpaid => self.choose("Pendiente", "To be paid"),
            PartStatus::Processing => self.choose("En proceso", "Processing"),
            PartStatus::Verifying => self.choose("En verificación", "Being checked"),
            PartStatus::Authorized => self.choose("Reservada", "Reserved"),
            PartStatus::Capturing => self.choose("Cobrándose", "Being charged"),
            PartStatus::Releasing => self.choose("Liberándose", "Being released"),
            PartStatus::Declined => self.choose("Rechazada", "Declined"),
            PartStatus::Succeeded => self.choose("Pagada", "Paid"),
            PartStatus::Released => self.choose("Liberada", "Released"),
            PartStatus::Expired => self.choose("Vencida", "Expired"),
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
