//! Page of a payment: the summary on one side, the next action on the other.

use app::checkout_version;
use askama::Template;
use domain::{credential::Scope, merchant::MerchantDisplay, payment::PaymentStatus, sale::Sale};

use crate::{
    amount::format_amount,
    extras::{DocumentForm, Receipt, TipForm},
    frame::Frame,
    note::Note,
    panel::Panel,
    refunds::{self, RefundEntry},
    session::CheckoutPageContext,
    shares::{Shares, SplitForm},
    summary::{self, SummaryRow},
    view::{ViewInput, is_being_issued, is_being_mailed},
};

#[derive(Template)]
#[template(path = "payment.html")]
pub(crate) struct PaymentPage<'a> {
    frame: Frame,
    path: String,
    /// Start of the link to the other language, up to the value of `lang`.
    language_link: String,
    merchant: &'a MerchantDisplay,
    is_test: bool,
    description: Option<&'a str>,
    label: Option<&'a str>,
    /// Label and amount above the summary: the total, or the share of the current part.
    headline: (&'static str, String),
    part_ordinal: Option<u8>,
    rows: Vec<SummaryRow>,
    total_label: &'static str,
    total: String,
    shares: Option<Shares>,
    note: Option<Note>,
    /// Key in each form.
    key: &'a str,
    tip: Option<TipForm>,
    document: Option<DocumentForm<'a>>,
    split: Option<SplitForm>,
    receipt: Option<Receipt>,
    /// Label and sum of the returned money.
    returned: Option<(&'static str, String)>,
    refunds: Vec<RefundEntry>,
    panel: Panel<'a>,
}

impl<'a> PaymentPage<'a> {
    pub(crate) fn of(context: &'a CheckoutPageContext, input: &ViewInput<'a>) -> Self {
        let (sale, texts, base_url) = (&context.sale, context.texts, input.base_url);
        let payment = &sale.payment;
        let facts = &payment.facts;
        let merchant = &facts.display.merchant;
        let path = base_url.path(&context.path());
        let panel = Panel::of(context, input, &path);
        let scope = context.caller.holder(&Scope::ALL).ok().map(|it| it.scope);
        let can_choose = scope.is_some_and(|it| it != Scope::Receipt) && payment.is_editable(input.now);
        let shares = Shares::of(context, input);
        let is_changing = is_changing(sale) || refunds::are_changing(&context.refunds);
        let frame = Frame {
            poll: is_changing.then(|| (format!("{path}/state"), checkout_version(sale, &context.refunds))),
            // A reload would discard the input of a form.
            is_refreshed: is_changing && panel.waits() && !shares.as_ref().is_some_and(Shares::has_commands),
            ..Frame::of(texts, merchant.display_name.as_str()).scripted()
        };
        let total = format_amount(payment.total_amount());
        let total_label = match payment.status() {
            PaymentStatus::Succeeded => texts.paid_total,
            _ if payment.is_terminal() => texts.unpaid_total,
            _ => texts.total,
        };
        let sees_receipt = scope == Some(Scope::Receipt);
        let part = context.part_ordinal.and_then(|it| payment.split()?.part(it));
        let share = part.map(|it| (texts.your_share, format_amount(it.share.amount)));
        Self {
            path,
            language_link: base_url.path(&context.path_with(Some(("lang", "")))),
            merchant,
            is_test: !facts.mode.is_live(),
            description: facts.description.as_ref().map(|it| it.as_str()),
            label: facts.service_label.as_ref().map(|it| it.as_str()).filter(|it| !it.is_empty()),
            headline: share.unwrap_or_else(|| (total_label, total.clone())),
            part_ordinal: context.part_ordinal,
            rows: summary::rows(sale, texts),
            total_label,
            total,
            note: input.note.filter(|it| !is_outdated(*it, sale)),
            key: &context.form_key,
            tip: (can_choose && payment.split().is_none()).then(|| TipForm::of(sale)),
            document: can_choose.then(|| DocumentForm::of(sale, input, texts)),
            split: input.may_split.then(|| SplitForm::of(sale, input, texts)),
            returned: refunds::returned(payment).filter(|_| sees_receipt).map(|sum| (texts.refunded_total, sum)),
            refunds: if sees_receipt { refunds::entries(context, base_url) } else { Vec::new() },
            receipt: Receipt::of(sale, scope, texts).filter(|it| it.has_contingency_copy || !is_being_issued(sale)),
            frame,
            shares,
            panel,
        }
    }
}

/// Whether the sale changes without a command from this page.
fn is_changing(sale: &Sale) -> bool {
    match sale.payment.status() {
        PaymentStatus::Processing | PaymentStatus::Verifying => true,
        PaymentStatus::Succeeded => is_being_issued(sale) || is_being_mailed(sale),
        // Other payers of a split act on their own pages.
        _ => sale.payment.split().is_some() && !sale.payment.is_terminal(),
    }
}

/// Whether the outcome of the announced e-mail is known.
fn is_outdated(note: Note, sale: &Sale) -> bool {
    use domain::fiscal::EmailStatus as S;
    let is_over = matches!(sale.document.state().delivery.status, S::Sent { .. } | S::Failed { .. });
    is_over && matches!(note, Note::EmailRequested | Note::EmailSending)
}
