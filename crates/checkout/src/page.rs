//! What the pages show. The templates escape whatever they are given.

use app::Caller;
use askama::Template;
use chrono::{DateTime, Utc};
use domain::{
    catalog::{Brand, Catalog},
    credential::Scope,
    fiscal::{DocumentStage, IssuanceMode},
    payment::{Payment, PaymentStatus, Stage},
    sale::Sale,
};

use crate::{
    amount::spell,
    assets,
    extras::{DocumentForm, Receipt, TipForm},
    form::CardFaults,
    note::Note,
    place::Place,
    session::Visit,
    summary::{self, Row},
    texts::{Said, Texts},
};

/// What every page has.
pub(crate) struct Frame {
    pub(crate) texts: &'static Texts,
    pub(crate) title: String,
    pub(crate) style: String,
    /// The script, on the pages that have it.
    pub(crate) script: Option<String>,
    /// Where the page asks whether anything has changed, and what it was when it was shown.
    pub(crate) poll: Option<(String, String)>,
}

impl Frame {
    pub(crate) fn of(place: &Place, texts: &'static Texts, title: &str) -> Self {
        let style = place.path(assets::style());
        Self { texts, title: title.to_owned(), style, script: None, poll: None }
    }
}

/// A page that only says something.
#[derive(Template)]
#[template(path = "notice.html")]
pub(crate) struct Notice {
    pub(crate) frame: Frame,
    pub(crate) said: Said,
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
    merchant: &'a domain::merchant::MerchantDisplay,
    is_test: bool,
    description: Option<&'a str>,
    label: Option<&'a str>,
    rows: Vec<Row>,
    total_label: &'static str,
    total: String,
    shares: Vec<Share>,
    note: Option<Note>,
    /// What the forms of this session bring along.
    key: &'a str,
    tip: Option<TipForm>,
    document: Option<DocumentForm<'a>>,
    receipt: Option<Receipt>,
    panel: Panel<'a>,
}

enum Panel<'a> {
    Card(CardForm<'a>),
    Told(Told<'a>),
}

/// The form that takes a card.
struct CardForm<'a> {
    action: String,
    /// How many cards were submitted before: one that is sent twice is taken once.
    attempt: u32,
    faults: CardFaults,
    /// Why the last card was declined.
    decline: Option<&'static str>,
    brands: Vec<BrandShown<'a>>,
    pay_before: String,
}

struct BrandShown<'a> {
    name: &'a str,
    /// Its number ranges, for the script: digits looked at, from, to.
    ranges: String,
}

/// How it stands, in the payer's words.
struct Told<'a> {
    /// `good`, `bad`, `wait` or `calm`, for the style.
    mood: &'static str,
    said: Said,
    detail: Option<&'static str>,
    /// Where the payer goes on: at the issuer of the card.
    go_on: Option<String>,
    card: Option<CardShown<'a>>,
    return_url: Option<&'a str>,
}

struct CardShown<'a> {
    brand: &'a str,
    last4: &'a str,
}

/// What one payer of several owes, and how far that is.
struct Share {
    ordinal: u8,
    amount: String,
    status: &'static str,
}

/// What a page is made from, beside the visit.
pub(crate) struct Shown<'a> {
    pub(crate) place: &'a Place,
    pub(crate) catalog: &'a Catalog,
    pub(crate) now: DateTime<Utc>,
    pub(crate) faults: CardFaults,
    pub(crate) note: Option<Note>,
}

impl<'a> PaymentPage<'a> {
    pub(crate) fn of(visit: &'a Visit, shown: &Shown<'a>) -> Self {
        let (sale, texts, place) = (&visit.sale, visit.texts, shown.place);
        let payment = &sale.payment;
        let facts = &payment.facts;
        let merchant = &facts.display.merchant;
        let path = place.path(&visit.path());
        let frame = Frame {
            script: Some(place.path(assets::script())),
            poll: is_moving(sale).then(|| (format!("{path}/state"), version(sale))),
            ..Frame::of(place, texts, merchant.display_name.as_str())
        };
        let panel = match decline_to_mend(sale, &visit.caller, shown.now) {
            Some(decline) => Panel::Card(CardForm::of(visit, shown, &path, decline)),
            None => Panel::Told(Told::of(sale, place, texts)),
        };
        let scope = visit.caller.holder(&Scope::ALL).ok().map(|it| it.scope);
        let can_choose = scope.is_some_and(|it| it != Scope::Receipt) && payment.is_editable(shown.now);
        Self {
            frame,
            path,
            merchant,
            is_test: !facts.mode.is_live(),
            description: facts.description.as_ref().map(|it| it.as_str()),
            label: facts.service_label.as_ref().map(|it| it.as_str()).filter(|it| !it.is_empty()),
            rows: summary::rows(sale, texts),
            total_label: if payment.status() == PaymentStatus::Succeeded { texts.paid_total } else { texts.total },
            total: spell(payment.total_amount()),
            shares: shares(payment, texts),
            note: shown.note,
            key: &visit.form_key,
            tip: (can_choose && payment.split().is_none()).then(|| TipForm::of(sale)),
            document: can_choose.then(|| DocumentForm::of(sale, texts)),
            receipt: Receipt::of(sale, scope, texts).filter(|_| !is_being_issued(sale)),
            panel,
        }
    }
}

/// What tells one state of a sale from another.
pub(crate) fn version(sale: &Sale) -> String {
    format!("{}-{}", sale.payment.version(), sale.document.version())
}

/// Whether something happens to it by itself, that a payer waits for.
fn is_moving(sale: &Sale) -> bool {
    match sale.payment.status() {
        PaymentStatus::Processing | PaymentStatus::Verifying => true,
        PaymentStatus::Capturing | PaymentStatus::Releasing => true,
        PaymentStatus::PartiallyAuthorized | PaymentStatus::Authorized => true,
        PaymentStatus::Succeeded => is_being_issued(sale),
        _ => false,
    }
}

/// Whether the merchant wants no sale called complete before its document is issued, and that is still on its way.
fn is_being_issued(sale: &Sale) -> bool {
    sale.document.facts.issuance_mode == IssuanceMode::Required
        && matches!(
            sale.document.stage(),
            DocumentStage::Requested | DocumentStage::Issuing(_) | DocumentStage::Delayed(..)
        )
}

/// Whether a card is taken now, and if one was before, why that one was declined.
fn decline_to_mend(sale: &Sale, caller: &Caller, now: DateTime<Utc>) -> Option<Option<domain::payment::Decline>> {
    let can_pay = matches!(caller, Caller::Holder(token) if token.scope != Scope::Receipt);
    if !can_pay || sale.payment.split().is_some() || !sale.payment.is_editable(now) || sale.document.lacks_buyer() {
        return None;
    }
    match sale.payment.stage() {
        Stage::Declined { decline, .. } => Some(Some(*decline)),
        _ => Some(None),
    }
}

impl<'a> CardForm<'a> {
    fn of(visit: &'a Visit, shown: &Shown<'a>, path: &str, decline: Option<domain::payment::Decline>) -> Self {
        let (payment, language) = (&visit.sale.payment, visit.texts.language);
        let accepted = &payment.facts.display.card_brands;
        let is_accepted = |it: &&Brand| accepted.contains(&it.offer.published);
        Self {
            action: format!("{path}/card"),
            attempt: payment.state().attempts,
            faults: shown.faults,
            decline: decline.map(|it| language.decline(it.code)),
            brands: shown.catalog.brands.iter().filter(is_accepted).map(BrandShown::from).collect(),
            pay_before: language.moment(payment.expires_at()),
        }
    }
}

impl<'a> From<&'a Brand> for BrandShown<'a> {
    fn from(brand: &'a Brand) -> Self {
        let ranges = brand.ranges.iter().map(|it| format!("{}-{}-{}", it.digits, it.from, it.to));
        Self { name: &brand.offer.display_name, ranges: ranges.collect::<Vec<_>>().join(" ") }
    }
}

impl<'a> Told<'a> {
    fn of(sale: &'a Sale, place: &Place, texts: &'static Texts) -> Self {
        let payment = &sale.payment;
        let (mood, said) = told(sale, texts);
        let decline = match payment.stage() {
            Stage::Declined { decline, .. } => Some(texts.language.decline(decline.code)),
            _ => None,
        };
        let go_on = match payment.stage() {
            Stage::RequiresCustomerAction(Some(it)) => Some(place.path(&format!("/c/{}", it.challenge.link.as_str()))),
            _ => None,
        };
        let has_paid = matches!(payment.status(), PaymentStatus::Succeeded | PaymentStatus::Verifying);
        let card = payment.state().method.as_ref().filter(|_| has_paid);
        let card = card.and_then(|it| {
            Some(CardShown { brand: it.brand.as_deref().unwrap_or_default(), last4: it.last4.as_deref()? })
        });
        // Before the end a payer who leaves might think that the payment is done.
        let is_over = payment.is_terminal() && !is_being_issued(sale);
        let return_url = payment.facts.return_url.as_ref().filter(|_| is_over).map(|it| it.as_str());
        Self { mood, said, detail: decline, go_on, card, return_url }
    }
}

/// Where the payment stands, in the payer's words.
fn told(sale: &Sale, texts: &Texts) -> (&'static str, Said) {
    let payment = &sale.payment;
    let (is_terminal, is_shared) = (payment.is_terminal(), payment.split().is_some());
    match payment.status() {
        PaymentStatus::RequiresCustomerAction if is_shared => ("calm", texts.awaits_shares),
        PaymentStatus::RequiresCustomerAction if payment.stage().attempt().is_some() => ("wait", texts.bank_asks),
        PaymentStatus::RequiresCustomerAction if sale.document.lacks_buyer() => ("calm", texts.buyer_needed),
        PaymentStatus::Processing | PaymentStatus::Capturing => ("wait", texts.processing),
        PaymentStatus::Verifying => ("wait", texts.verifying),
        PaymentStatus::Authorized => ("wait", texts.authorized),
        PaymentStatus::PartiallyAuthorized | PaymentStatus::PartiallyPaid => ("calm", texts.partly),
        PaymentStatus::Releasing => ("wait", texts.releasing),
        PaymentStatus::Succeeded if is_being_issued(sale) => ("wait", texts.issuing),
        PaymentStatus::Succeeded => ("good", texts.succeeded),
        PaymentStatus::Declined if is_terminal => ("bad", texts.declined),
        // Whoever shared the bill may have given it up.
        PaymentStatus::Canceled if is_shared => ("bad", texts.given_up),
        PaymentStatus::Canceled => ("bad", texts.canceled),
        // What is neither takes a card, unless its time is over.
        PaymentStatus::Declined | PaymentStatus::RequiresCustomerAction | PaymentStatus::Expired => {
            ("bad", texts.expired)
        }
    }
}

/// The shares of a bill that several payers share; none of one that is whole.
fn shares(payment: &Payment, texts: &Texts) -> Vec<Share> {
    let parts = payment.split().map(|it| it.parts()).unwrap_or_default();
    let share = |it: &domain::split::Part| Share {
        ordinal: it.ordinal,
        amount: spell(it.share.amount),
        status: texts.language.share(it.status()),
    };
    parts.iter().map(share).collect()
}
