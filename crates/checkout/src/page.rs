//! What the pages show. The templates escape whatever they are given.

use askama::Template;
use chrono::{DateTime, Utc};
use domain::{
    catalog::Catalog,
    credential::Scope,
    fiscal::{DocumentKind, DocumentStage, EmailStatus, IssuanceMode},
    money::AmountLimits,
    payment::PaymentStatus,
    sale::Sale,
};

use crate::{
    amount::spell,
    assets,
    extras::{DocumentForm, Receipt, TipForm},
    form::CardFaults,
    note::Note,
    panel::Panel,
    place::PublicBaseUrl,
    session::Visit,
    shared::{Shared, SplitForm, SplitWish},
    summary::{self, Row},
    texts::{Said, Texts},
};

/// What every page has.
pub(crate) struct Frame {
    pub(crate) texts: &'static Texts,
    pub(crate) title: String,
    pub(crate) style: &'static str,
    /// The script, on the pages that have it.
    pub(crate) script: Option<&'static str>,
    /// Where the page asks whether anything has changed, and what it was when it was shown.
    pub(crate) poll: Option<(String, String)>,
    /// Whether a browser without a script loads the page anew by itself.
    pub(crate) is_refreshed: bool,
}

impl Frame {
    pub(crate) fn of(texts: &'static Texts, title: &str) -> Self {
        Self { texts, title: title.to_owned(), style: assets::STYLE, script: None, poll: None, is_refreshed: false }
    }

    /// The same with the script.
    pub(crate) fn scripted(self) -> Self {
        Self { script: Some(assets::SCRIPT), ..self }
    }
}

/// A page that only says something.
#[derive(Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    pub(crate) frame: Frame,
    pub(crate) said: Said,
    /// Seconds to wait, if the page is shown for a rate limit.
    pub(crate) wait: Option<String>,
}

/// Lets the issuer look at the browser, unseen, and goes on after a while.
#[derive(Template)]
#[template(path = "look.html")]
pub(crate) struct LookPage<'a> {
    pub(crate) frame: Frame,
    pub(crate) merchant: &'a str,
    /// What the provider wants shown as it is.
    pub(crate) form: &'a str,
    pub(crate) go_on: &'a str,
}

/// Brings the payer to the issuer.
#[derive(Template)]
#[template(path = "ask.html")]
pub(crate) struct AskPage<'a> {
    pub(crate) frame: Frame,
    pub(crate) merchant: &'a str,
    pub(crate) address: &'a str,
    pub(crate) request: &'a str,
    pub(crate) back: &'a str,
}

/// One payment: what it is for on the one side, and what can be done about it on the other.
#[derive(Template)]
#[template(path = "payment.html")]
pub(crate) struct PaymentPage<'a> {
    frame: Frame,
    path: String,
    /// This very page, so far that `lang=en` may follow.
    here: String,
    merchant: &'a domain::merchant::MerchantDisplay,
    is_test: bool,
    description: Option<&'a str>,
    label: Option<&'a str>,
    /// What stands above all: the total, or the share of whoever is here.
    headline: (&'static str, String),
    seat: Option<u8>,
    rows: Vec<Row>,
    total_label: &'static str,
    total: String,
    shared: Option<Shared>,
    note: Option<Note>,
    /// What the forms of this session bring along.
    key: &'a str,
    tip: Option<TipForm>,
    document: Option<DocumentForm<'a>>,
    split: Option<SplitForm>,
    receipt: Option<Receipt>,
    panel: Panel<'a>,
}

/// What a page is made from, beside the visit.
pub(crate) struct Shown<'a> {
    pub(crate) place: &'a PublicBaseUrl,
    pub(crate) catalog: &'a Catalog,
    pub(crate) limits: &'a AmountLimits,
    pub(crate) now: DateTime<Utc>,
    pub(crate) note: Option<Note>,
    /// Whether the bill may be shared.
    pub(crate) may_split: bool,
    pub(crate) typed: Typed,
}

/// What a payer has filled in, and nothing was done with yet.
#[derive(Default)]
pub(crate) struct Typed {
    /// What is wrong with a card.
    pub(crate) faults: CardFaults,
    /// How the bill is to be shared.
    pub(crate) wish: Option<SplitWish>,
    /// The document that is wanted instead.
    pub(crate) kind: Option<DocumentKind>,
}

impl<'a> PaymentPage<'a> {
    pub(crate) fn of(visit: &'a Visit, shown: &Shown<'a>) -> Self {
        let (sale, texts, place) = (&visit.sale, visit.texts, shown.place);
        let payment = &sale.payment;
        let facts = &payment.facts;
        let merchant = &facts.display.merchant;
        let path = place.path(&visit.path());
        let panel = Panel::of(visit, shown, &path);
        let scope = visit.caller.holder(&Scope::ALL).ok().map(|it| it.scope);
        let can_choose = scope.is_some_and(|it| it != Scope::Receipt) && payment.is_editable(shown.now);
        let shared = Shared::of(visit, shown);
        let is_moving = is_moving(sale);
        let frame = Frame {
            poll: is_moving.then(|| (format!("{path}/state"), version(sale))),
            // Whoever types, or commands, is not disturbed.
            is_refreshed: is_moving && panel.waits() && !shared.as_ref().is_some_and(Shared::has_commands),
            ..Frame::of(texts, merchant.display_name.as_str()).scripted()
        };
        let total = spell(payment.total_amount());
        let total_label = match payment.status() {
            PaymentStatus::Succeeded => texts.paid_total,
            _ if payment.is_terminal() => texts.unpaid_total,
            _ => texts.total,
        };
        let share = visit.seat.and_then(|it| payment.split()?.part(it)).map(|it| spell(it.share.amount));
        Self {
            path,
            here: place.path(&visit.address(Some(("lang", "")))),
            merchant,
            is_test: !facts.mode.is_live(),
            description: facts.description.as_ref().map(|it| it.as_str()),
            label: facts.service_label.as_ref().map(|it| it.as_str()).filter(|it| !it.is_empty()),
            headline: share.map_or_else(|| (total_label, total.clone()), |it| (texts.your_share, it)),
            seat: visit.seat,
            rows: summary::rows(sale, texts),
            total_label,
            total,
            note: shown.note.filter(|it| !is_overtaken(*it, sale)),
            key: &visit.form_key,
            tip: (can_choose && payment.split().is_none()).then(|| TipForm::of(sale)),
            document: can_choose.then(|| DocumentForm::of(sale, shown, texts)),
            split: shown.may_split.then(|| SplitForm::of(sale, shown, texts)),
            receipt: Receipt::of(sale, scope, texts).filter(|it| it.has_contingency_copy || !is_being_issued(sale)),
            frame,
            shared,
            panel,
        }
    }
}

/// What tells one state of a sale from another.
pub(crate) fn version(sale: &Sale) -> String {
    format!("{}-{}", sale.payment.version(), sale.document.version())
}

/// Whether something happens to it that did not begin at this page.
fn is_moving(sale: &Sale) -> bool {
    match sale.payment.status() {
        PaymentStatus::Processing | PaymentStatus::Verifying => true,
        PaymentStatus::Succeeded => is_being_issued(sale) || is_being_mailed(sale),
        // What one of several payers does, the others see.
        _ => sale.payment.split().is_some() && !sale.payment.is_terminal(),
    }
}

/// Whether the document is on its way to somebody.
pub(crate) fn is_being_mailed(sale: &Sale) -> bool {
    let is_issued = matches!(sale.document.stage(), DocumentStage::Issued(_));
    let status = &sale.document.state().delivery.status;
    // One that was asked for afterwards waits for nothing but its turn.
    is_issued && matches!(status, EmailStatus::WaitingForDocument | EmailStatus::Queued { .. })
}

/// Whether a note says that a mail goes out which is known to have, or not to have.
fn is_overtaken(note: Note, sale: &Sale) -> bool {
    let is_over =
        matches!(sale.document.state().delivery.status, EmailStatus::Sent { .. } | EmailStatus::Failed { .. });
    is_over && matches!(note, Note::EmailAsked | Note::EmailSending)
}

/// Whether the merchant wants no sale called complete before its document is issued, and that is still on its way.
pub(crate) fn is_being_issued(sale: &Sale) -> bool {
    sale.document.facts.issuance_mode == IssuanceMode::Required
        && matches!(
            sale.document.stage(),
            DocumentStage::Requested | DocumentStage::Issuing(_) | DocumentStage::Delayed(..)
        )
}
