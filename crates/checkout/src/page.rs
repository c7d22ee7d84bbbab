//! What the pages show. The templates escape whatever they are given.

use askama::Template;
use domain::{
    Money,
    payment::{Payment, PaymentStatus},
    sale::Sale,
    split::PartStatus,
};

use crate::amount::spell;

/// The summary of one payment.
#[derive(Template)]
#[template(path = "payment.html")]
pub(crate) struct PaymentPage<'a> {
    merchant: &'a str,
    description: Option<&'a str>,
    rows: Vec<Row>,
    total: String,
    shares: Vec<Share>,
    status: &'static str,
    return_url: Option<&'a str>,
    support_phone: &'a str,
}

struct Row {
    label: &'static str,
    amount: String,
}

/// What one payer of several owes, and how far that is.
struct Share {
    ordinal: u8,
    amount: String,
    status: &'static str,
}

/// Lets the issuer look at the browser, unseen, and goes on after a while.
#[derive(Template)]
#[template(path = "look.html")]
pub(crate) struct LookPage<'a> {
    pub(crate) merchant: &'a str,
    /// What the provider wants shown as it is.
    pub(crate) form: &'a str,
    pub(crate) go_on: &'a str,
}

/// Brings the payer to the issuer.
#[derive(Template)]
#[template(path = "ask.html")]
pub(crate) struct AskPage<'a> {
    pub(crate) merchant: &'a str,
    pub(crate) address: &'a str,
    pub(crate) request: &'a str,
    pub(crate) back: &'a str,
}

/// A page that only says something.
#[derive(Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

impl<'a> PaymentPage<'a> {
    pub(crate) fn of(sale: &'a Sale) -> Self {
        let payment = &sale.payment;
        let facts = &payment.facts;
        let merchant = &facts.display.merchant;
        // Before the end a payer who leaves might think that the payment is done.
        let return_url = facts.return_url.as_ref().filter(|_| payment.is_terminal());
        Self {
            merchant: merchant.display_name.as_str(),
            description: facts.description.as_ref().map(|it| it.as_str()),
            rows: rows(sale),
            total: spell(payment.total_amount()),
            shares: shares(payment),
            status: status(payment),
            return_url: return_url.map(|it| it.as_str()),
            support_phone: merchant.support_phone.as_str(),
        }
    }
}

/// How the total is composed; what is nothing is not shown.
fn rows(sale: &Sale) -> Vec<Row> {
    let payment = &sale.payment;
    let breakdown = &payment.facts.breakdown;
    let taxable = breakdown.taxable_bases.iter().map(|it| it.base_minor_units).sum::<i64>();
    let tip = breakdown.service_charges.iter().map(|it| it.minor_units).sum::<i64>();
    let parts = [
        ("Subtotal", taxable.saturating_add(breakdown.exempt_minor_units)),
        ("ITBIS", breakdown.taxes_minor_units),
        ("Propina legal (10 %)", tip),
        ("Propina voluntaria", payment.state().voluntary_tip.minor_units()),
    ];
    let currency = payment.facts.amount.currency();
    let row = |(label, minor_units)| Row { label, amount: spell(Money::new(minor_units, currency)) };
    parts.into_iter().filter(|&(_, minor_units)| minor_units != 0).map(row).collect()
}

/// The shares of a bill that several payers share; none of one that is whole.
fn shares(payment: &Payment) -> Vec<Share> {
    let parts = payment.split().map(|it| it.parts()).unwrap_or_default();
    let share = |it: &domain::split::Part| Share {
        ordinal: it.ordinal,
        amount: spell(it.share.amount),
        status: share_status(it.status()),
    };
    parts.iter().map(share).collect()
}

/// Where the payment stands, in the payer's words.
fn status(payment: &Payment) -> &'static str {
    let (is_terminal, is_shared) = (payment.is_terminal(), payment.split().is_some());
    match payment.status() {
        PaymentStatus::RequiresCustomerAction => "Pendiente de pago.",
        PaymentStatus::Processing | PaymentStatus::Capturing => "Estamos procesando su pago.",
        PaymentStatus::Verifying => "Estamos verificando el resultado con el banco. No pague de nuevo.",
        PaymentStatus::Authorized => "Todas las partes están reservadas. Falta confirmar el cobro.",
        PaymentStatus::PartiallyAuthorized | PaymentStatus::PartiallyPaid => "Falta una parte del pago.",
        PaymentStatus::Releasing => "Estamos liberando los fondos reservados.",
        PaymentStatus::Succeeded => "Pago completado. Gracias.",
        PaymentStatus::Declined if is_terminal => "El pago fue rechazado.",
        PaymentStatus::Declined => "El pago fue rechazado. Puede intentar con otra tarjeta.",
        // Whoever shared the bill may have given it up.
        PaymentStatus::Canceled if is_shared => "Este pago fue cancelado.",
        PaymentStatus::Canceled => "El comercio canceló este pago.",
        PaymentStatus::Expired => "El plazo para pagar terminó.",
    }
}

/// Where a share stands, in the payer's words.
const fn share_status(status: PartStatus) -> &'static str {
    match status {
        PartStatus::Unpaid => "Pendiente",
        PartStatus::Processing => "En proceso",
        PartStatus::Verifying => "En verificación",
        PartStatus::Authorized => "Reservada",
        PartStatus::Capturing => "Cobrándose",
        PartStatus::Releasing => "Liberándose",
        PartStatus::Declined => "Rechazada",
        PartStatus::Succeeded => "Pagada",
        PartStatus::Released => "Liberada",
        PartStatus::Expired => "Vencida",
    }
}
