//! What the pages show. The templates escape whatever they are given.

use askama::Template;
use domain::{Money, payment::PaymentStatus, sale::Sale};

use crate::amount::spell;

/// The summary of one payment.
#[derive(Template)]
#[template(path = "payment.html")]
pub(crate) struct PaymentPage<'a> {
    merchant: &'a str,
    description: Option<&'a str>,
    rows: Vec<Row>,
    total: String,
    status: &'static str,
    return_url: Option<&'a str>,
    support_phone: &'a str,
}

struct Row {
    label: &'static str,
    amount: String,
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
            status: status(payment.status(), payment.is_terminal()),
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

/// Where the payment stands, in the payer's words.
const fn status(status: PaymentStatus, is_terminal: bool) -> &'static str {
    match status {
        PaymentStatus::RequiresCustomerAction => "Pendiente de pago.",
        PaymentStatus::Processing | PaymentStatus::Capturing | PaymentStatus::Releasing => {
            "Estamos procesando su pago."
        }
        PaymentStatus::Verifying => "Estamos verificando el resultado con el banco. No pague de nuevo.",
        PaymentStatus::Authorized => "Su pago está reservado.",
        PaymentStatus::PartiallyAuthorized | PaymentStatus::PartiallyPaid => "Falta una parte del pago.",
        PaymentStatus::Succeeded => "Pago completado. Gracias.",
        PaymentStatus::Declined if is_terminal => "El pago fue rechazado.",
        PaymentStatus::Declined => "El pago fue rechazado. Puede intentar con otra tarjeta.",
        PaymentStatus::Canceled => "El comercio canceló este pago.",
        PaymentStatus::Expired => "El plazo para pagar terminó.",
    }
}
