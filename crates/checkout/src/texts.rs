//! Every word that a payer reads, in each language that the pages speak.

use chrono::{DateTime, Timelike, Utc};
use domain::{
    fiscal::{DocumentKind, local_time},
    payment::DeclineCode,
    split::PartStatus,
};

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
            Self::Spanish => &SPANISH,
            Self::English => &ENGLISH,
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
            (Self::Spanish, false) => "a. m.",
            (Self::Spanish, true) => "p. m.",
            (Self::English, false) => "a.m.",
            (Self::English, true) => "p.m.",
        };
        format!("{hour}:{:02} {half}", at.minute())
    }

    /// A moment as people write it, in the Dominican Republic.
    pub(crate) fn moment(self, at: DateTime<Utc>) -> String {
        let day = local_time(at).date();
        let day = match self {
            Self::Spanish => day.format("%d/%m/%Y").to_string(),
            Self::English => day.format("%Y-%m-%d").to_string(),
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
                DeclineCode::IncorrectPin => "El PIN no es correcto o no se indicó.",
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
                _ => code.message(),
            },
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

/// A heading and what it means.
#[derive(Clone, Copy)]
pub(crate) struct Said {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! texts {
    ($($name:ident: $kind:tt = $spanish:tt, $english:tt;)+) => {
        /// What is said on the pages.
        pub(crate) struct Texts {
            pub(crate) language: Language,
            pub(crate) tag: &'static str,
            $(pub(crate) $name: texts!(@type $kind),)+
        }
        static SPANISH: Texts =
            Texts { language: Language::Spanish, tag: "es-DO", $($name: texts!(@value $kind $spanish),)+ };
        static ENGLISH: Texts =
            Texts { language: Language::English, tag: "en", $($name: texts!(@value $kind $english),)+ };
    };
    (@type text) => { &'static str };
    (@type said) => { Said };
    (@value text $text:literal) => { $text };
    (@value said ($title:literal, $text:literal)) => { Said { title: $title, text: $text } };
}

texts! {
    other_language: text = "English", "Español";
    summary: text = "Resumen", "Summary";
    total: text = "Total a pagar", "Total to pay";
    paid_total: text = "Total pagado", "Total paid";
    subtotal: text = "Subtotal", "Subtotal";
    others: text = "Otros", "Others";
    legal_tip: text = "Propina legal (10 %)", "Legal service charge (10%)";
    voluntary_tip: text = "Propina voluntaria", "Voluntary tip";
    pay_before: text = "Puede pagar hasta:", "You can pay until:";
    pay_by_card: text = "Pagar con tarjeta", "Pay by card";
    card_number: text = "Número de tarjeta", "Card number";
    expiry: text = "Vence", "Expires";
    expiry_hint: text = "MM/AA", "MM/YY";
    code: text = "Código CVV", "CVV code";
    accepted: text = "Tarjetas aceptadas", "Cards accepted";
    pay: text = "Pagar", "Pay";
    paying: text = "Procesando…", "Processing…";
    secure: text = "Los datos de su tarjeta viajan cifrados y no se guardan.", "Your card details travel encrypted and are not kept.";
    wrong_number: text = "Revise el número de la tarjeta.", "Check the card number.";
    wrong_expiry: text = "Escriba el mes y el año, como 08/29.", "Write the month and the year, as in 08/29.";
    expired_card: text = "Esa tarjeta está vencida.", "That card has expired.";
    wrong_code: text = "Escriba los 3 o 4 dígitos del código.", "Write the 3 or 4 digits of the code.";
    questions: text = "¿Preguntas? Llame al", "Questions? Call";
    or_write: text = "o escriba a", "or write to";
    back_to: text = "Volver a", "Back to";
    last_digits: text = "terminada en", "ending in";
    statement: text = "En su estado de cuenta verá:", "Your statement will say:";
    declined_try_again: text = "Puede intentar de nuevo con la misma tarjeta o con otra.", "You can try again with the same card or another.";
    share: text = "Parte", "Share";
    shared_in: text = "Cuenta dividida en partes:", "Bill shared in parts:";
    test_mode: text = "Modo de prueba: no se cobra dinero.", "Test mode: no money is charged.";
    refresh: text = "Actualizar", "Refresh";
    to_the_bank: text = "Ir al banco", "Go to the bank";
    go_on: text = "Continuar", "Continue";
    tip_amount: text = "Monto", "Amount";
    apply: text = "Aplicar", "Apply";
    send: text = "Enviar", "Send";
    document: text = "Comprobante fiscal", "Fiscal document";
    document_kind: text = "Tipo", "Kind";
    buyer: text = "Comprador", "Buyer";
    tax_id: text = "RNC o cédula del comprador", "Buyer's taxpayer number";
    tax_id_hint: text = "9 u 11 dígitos", "9 or 11 digits";
    eligibility: text = "Referencia de la entidad pública", "Reference of the public body";
    paid_at: text = "Pagado", "Paid";
    check_code: text = "Código de seguridad", "Security code";
    check_at_authority: text = "Verificar en la DGII", "Check it at the DGII";
    as_pdf: text = "Descargar PDF", "Download PDF";
    as_xml: text = "Descargar XML", "Download XML";
    by_email: text = "Recibirlo por correo", "Get it by e-mail";
    being_issued: text = "Se está emitiendo. Puede volver a abrir este enlace más tarde.", "It is being issued. You can open this link again later.";
    in_trouble: text = "El comercio debe corregir un dato antes de emitirlo. Su pago está completo.", "The merchant has to correct something before it is issued. Your payment is complete.";

    not_ready: said = ("El comprobante aún no está listo", "Vuelva a abrir el enlace en unos minutos."),
        ("The document is not ready yet", "Open the link again in a few minutes.");

    bank_asks: said = ("Su banco quiere confirmar que es usted", "Le llevamos a la página de su banco. Al terminar volverá aquí."),
        ("Your bank wants to confirm that it is you", "We take you to your bank's page. You come back here afterwards.");
    bank_looks: said = ("Estamos consultando a su banco", "Espere unos segundos y no cierre esta página."),
        ("We are asking your bank", "Wait a few seconds and do not close this page.");
    processing: said = ("Estamos procesando su pago", "Tarda unos segundos. No cierre esta página ni pague de nuevo."),
        ("We are processing your payment", "It takes a few seconds. Do not close this page or pay again.");
    verifying: said = ("Estamos verificando el resultado con el banco", "No pague de nuevo. Puede cerrar esta página y volver a abrir el enlace más tarde."),
        ("We are checking the result with the bank", "Do not pay again. You may close this page and open the link again later.");
    issuing: said = ("Pago recibido", "Estamos emitiendo su comprobante fiscal. Espere en esta página."),
        ("Payment received", "We are issuing your fiscal document. Please wait on this page.");
    succeeded: said = ("Pago completado", "Gracias por su compra."),
        ("Payment completed", "Thank you for your purchase.");
    declined: said = ("El pago fue rechazado", "No se cobró nada. Este pago ya no acepta más intentos."),
        ("The payment was declined", "Nothing was charged. This payment takes no more attempts.");
    try_again: said = ("La tarjeta fue rechazada", "No se cobró nada."),
        ("The card was declined", "Nothing was charged.");
    canceled: said = ("Pago cancelado", "El comercio canceló este pago. No se cobró nada."),
        ("Payment canceled", "The merchant canceled this payment. Nothing was charged.");
    given_up: said = ("Este pago fue cancelado", "No se cobró nada."),
        ("This payment was canceled", "Nothing was charged.");
    expired: said = ("El plazo para pagar terminó", "No se cobró nada. Pida otro enlace al comercio."),
        ("The time to pay is over", "Nothing was charged. Ask the merchant for another link.");
    authorized: said = ("Todas las partes están reservadas", "Falta confirmar el cobro."),
        ("Every share is reserved", "The charge remains to be confirmed.");
    partly: said = ("Falta una parte del pago", "Cada persona paga su parte."),
        ("A part of the payment is missing", "Each person pays a share.");
    releasing: said = ("Estamos liberando los fondos reservados", "No se cobró nada."),
        ("We are releasing the reserved funds", "Nothing was charged.");
    awaits_shares: said = ("Cuenta dividida", "Cada persona paga su parte."),
        ("Shared bill", "Each person pays a share.");
    buyer_needed: said = ("Falta el comprador", "Por el monto, la ley pide un RNC o una cédula. Dígaselo al comercio."),
        ("The buyer is missing", "The law asks for a taxpayer number at this amount. Tell the merchant.");

    no_payment: said = ("No encontramos este pago", "Revise el enlace o pídalo de nuevo al comercio."),
        ("We cannot find this payment", "Check the link, or ask the merchant for it again.");
    too_many_links: said = ("Demasiados enlaces que no abren nada", "Espere un minuto y abra de nuevo el suyo."),
        ("Too many links that open nothing", "Wait a minute, then open yours again.");
    no_longer: said = ("El recibo ya no está disponible aquí", "Pídalo al comercio."),
        ("The receipt is no longer available here", "Ask the merchant for it.");
    out_of_order: said = ("Algo salió mal", "Su pago no ha cambiado. Intente de nuevo en unos minutos."),
        ("Something went wrong", "Your payment has not changed. Try again in a few minutes.");
    not_from_here: said = ("No pudimos usar ese formulario", "No se cobró nada. Abra de nuevo el enlace del comercio."),
        ("We could not use that form", "Nothing was charged. Open the merchant's link again.");
    only_get: said = ("Aquí solo se puede leer", "Abra el enlace en su navegador."),
        ("This can only be read", "Open the link in your browser.");
    only_post: said = ("Aquí no hay nada que leer", "Vuelva a la página anterior."),
        ("There is nothing to read here", "Go back to the page before.");
    looked: said = ("Gracias", "Puede volver a la página anterior."),
        ("Thank you", "You may go back to the page before.");
    no_answer: said = ("El banco no respondió", "Vuelva a la página anterior e intente de nuevo."),
        ("The bank did not answer", "Go back to the page before and try again.");

    note_changed: text = "Listo, cambio guardado.", "Done, your change is saved.";
    note_email_asked: text = "Listo. Lo enviaremos cuando esté emitido.", "Done. We send it once it is issued.";
    note_wrong_email: text = "Revise el correo.", "Check the e-mail address.";
    note_wrong_amount: text = "Escriba el monto con números, como 150.00.", "Write the amount in digits, as in 150.00.";
    note_too_high: text = "La propina no puede ser mayor que el monto de la compra.", "The tip cannot be more than the purchase.";
    note_wrong_tax_id: text = "Revise el RNC o la cédula.", "Check the taxpayer number.";
    note_buyer_required: text = "Ese comprobante necesita el RNC o la cédula del comprador.", "That document needs the buyer's taxpayer number.";
    note_buyer_unusable: text = "La DGII no permite emitir ese comprobante a ese contribuyente.", "The authority does not allow that document for this taxpayer.";
    note_eligibility_required: text = "Ese comprobante necesita la referencia de la entidad pública.", "That document needs the reference of the public body.";
    note_locked: text = "El comercio fijó este comprobante.", "The merchant has set this document.";
    note_no_directory: text = "No pudimos consultar el registro de contribuyentes. Intente de nuevo.", "We could not ask the register of taxpayers. Try again.";
    note_unavailable: text = "Ese comprobante no está disponible aquí.", "That document is not available here.";
    note_not_sent: text = "No pudimos comunicarnos con el banco. No se cobró nada: intente de nuevo.", "We could not reach the bank. Nothing was charged: try again.";
    note_too_often: text = "Son demasiados intentos seguidos. Espere un minuto.", "Those are too many attempts in a row. Wait a minute.";
    note_old_form: text = "No se cobró otra vez: así está su pago ahora.", "Nothing was charged again: this is how your payment stands now.";
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

        assert_eq!(Language::Spanish.moment(at), "01/03/2026, 9:05 p. m.");
        assert_eq!(Language::English.moment(at), "2026-03-01, 9:05 p.m.");
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
