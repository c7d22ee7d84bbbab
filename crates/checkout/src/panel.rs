//! Part of the page for the next action: the card form, or the status of the payment.

use app::Caller;
use chrono::{DateTime, Utc};
use domain::{
    attempt::CardSummary,
    catalog::{Brand, Catalog, Offer},
    credential::Scope,
    payment::{Challenge, Decline, Payment, PaymentStatus, Stage},
    refund::RefundSummary,
    sale::Sale,
    split::{Part, PartStage, PartStatus},
};

use crate::{
    amount::format_amount,
    form::CardFaults,
    paths::part_query,
    session::CheckoutPageContext,
    texts::{Message, Texts},
    view::{ViewInput, incomplete_kind, is_being_issued},
};

pub(crate) enum Panel<'a> {
    Card(CardForm<'a>),
    Status(StatusPanel<'a>),
}

pub(crate) struct CardForm<'a> {
    pub(crate) action: String,
    pub(crate) amount: String,
    /// Amount in the form: a card is charged only this amount.
    pub(crate) minor_units: i64,
    /// Whether the card pays a share, which is reserved and not charged.
    pub(crate) is_share: bool,
    /// Number of earlier attempts: a repeated form is processed once.
    pub(crate) attempt: u32,
    pub(crate) faults: CardFaults,
    pub(crate) decline: Option<DeclineView>,
    /// Whether an earlier attempt with an unknown outcome was not charged.
    pub(crate) is_cleared: bool,
    pub(crate) brands: Vec<BrandView<'a>>,
    pub(crate) wallets: Vec<&'a str>,
    pub(crate) pay_before: String,
}

pub(crate) struct DeclineView {
    pub(crate) reason: &'static str,
    pub(crate) advice: &'static str,
}

pub(crate) struct BrandView<'a> {
    pub(crate) name: &'a str,
    /// Number ranges for the script: number of digits, first and last prefix.
    pub(crate) ranges: String,
}

/// Colors of a status panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatusTone {
    /// The payer must act.
    ActionRequired,
    /// The payer can only wait.
    Pending,
    /// Information without urgency.
    Neutral,
    Success,
    Failure,
}

impl StatusTone {
    /// Returns the CSS class.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::ActionRequired => "act",
            Self::Pending => "wait",
            Self::Neutral => "calm",
            Self::Success => "good",
            Self::Failure => "bad",
        }
    }
}

pub(crate) struct StatusPanel<'a> {
    pub(crate) tone: StatusTone,
    pub(crate) message: Message,
    pub(crate) detail: Option<&'static str>,
    /// Labels and values about a share, or about the whole split.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// Path of the challenge page, if the issuer requires the payer.
    pub(crate) challenge_path: Option<String>,
    pub(crate) card: Option<CardView<'a>>,
    pub(crate) return_url: Option<&'a str>,
    /// Whether only the merchant can help.
    pub(crate) needs_merchant: bool,
}

pub(crate) struct CardView<'a> {
    pub(crate) brand: &'a str,
    pub(crate) last4: &'a str,
}

impl<'a> Panel<'a> {
    pub(crate) fn of(context: &'a CheckoutPageContext, input: &ViewInput<'a>, path: &str) -> Self {
        match payable(context, input.now) {
            Some(_) if incomplete_kind(&context.sale, input).is_some() => {
                let message = context.texts.document_pending;
                let status = StatusPanel::of(context, input);
                Self::Status(StatusPanel { tone: StatusTone::ActionRequired, message, detail: None, ..status })
            }
            Some(decline) => Self::Card(CardForm::of(context, input, path, decline)),
            None => Self::Status(StatusPanel::of(context, input)),
        }
    }

    /// Whether a narrow screen shows the panel above the summary.
    pub(crate) fn has_news(&self) -> bool {
        match self {
            Self::Card(form) => form.decline.is_some() || form.is_cleared || form.faults != CardFaults::default(),
            Self::Status(_) => true,
        }
    }

    /// Whether the payer can only wait.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Self::Status(status) if status.tone == StatusTone::Pending)
    }
}

/// Returns the part that the page is about.
fn current_part(context: &CheckoutPageContext) -> Option<&Part> {
    context.sale.payment.split()?.part(context.part_ordinal?)
}

/// Returns the number of cards that were submitted for the part or the payment.
pub(crate) fn attempts(context: &CheckoutPageContext) -> u32 {
    current_part(context).map_or(context.sale.payment.state().attempts, |it| it.state().attempts)
}

/// Returns the pending challenge of the payment or the part.
pub(crate) fn pending_challenge(sale: &Sale, part_ordinal: Option<u8>) -> Option<&Challenge> {
    match sale.payment.stage() {
        Stage::RequiresCustomerAction(Some(it)) => Some(&it.challenge),
        Stage::Split(split) => split.part(part_ordinal?)?.challenge(),
        _ => None,
    }
}

/// Returns the last decline if the page accepts a card now; the outer `None` if it does not.
fn payable(context: &CheckoutPageContext, now: DateTime<Utc>) -> Option<Option<Decline>> {
    let payment = &context.sale.payment;
    let can_pay = matches!(&context.caller, Caller::Holder(token) if token.scope != Scope::Receipt);
    if !can_pay || context.sale.document.lacks_buyer() {
        return None;
    }
    if let Some(split) = payment.split() {
        let part = current_part(context).filter(|it| split.is_payable(it.ordinal, now))?;
        return Some(part.decline().copied());
    }
    match payment.stage() {
        _ if !payment.is_editable(now) => None,
        Stage::Declined { decline, .. } => Some(Some(*decline)),
        _ => Some(None),
    }
}

impl<'a> CardForm<'a> {
    fn of(context: &'a CheckoutPageContext, input: &ViewInput<'a>, path: &str, decline: Option<Decline>) -> Self {
        let (payment, language) = (&context.sale.payment, context.texts.language);
        let display = &payment.facts.display;
        let is_accepted = |it: &&Brand| display.card_brands.contains(&it.offer.published);
        let part = current_part(context);
        let amount = part.map_or_else(|| payment.total_amount(), |it| it.share.amount);
        let has_no_faults = input.form.faults == CardFaults::default();
        let view =
            |it: Decline| DeclineView { reason: language.decline(it.code), advice: language.after_decline(it.code) };
        Self {
            action: format!("{path}/card{}", part_query(context.part_ordinal)),
            amount: format_amount(amount),
            minor_units: amount.minor_units(),
            is_share: part.is_some(),
            attempt: attempts(context),
            faults: input.form.faults,
            is_cleared: decline.is_none() && attempts(context) > 0 && has_no_faults && input.note.is_none(),
            decline: decline.filter(|_| has_no_faults).map(view),
            brands: input.catalog.brands.iter().filter(is_accepted).map(BrandView::from).collect(),
            wallets: wallet_names(input.catalog, &display.wallets),
            pay_before: language.moment(payment.expires_at()),
        }
    }
}

fn wallet_names<'a>(catalog: &'a Catalog, listed: &[String]) -> Vec<&'a str> {
    let is_listed = |it: &&Offer| listed.contains(&it.published);
    catalog.wallets.iter().filter(is_listed).map(|it| it.display_name.as_str()).collect()
}

impl<'a> From<&'a Brand> for BrandView<'a> {
    fn from(brand: &'a Brand) -> Self {
        let ranges = brand.ranges.iter().map(|it| format!("{}-{}-{}", it.digits, it.from, it.to));
        Self { name: &brand.offer.display_name, ranges: ranges.collect::<Vec<_>>().join(" ") }
    }
}

impl<'a> StatusPanel<'a> {
    fn of(context: &'a CheckoutPageContext, input: &ViewInput<'a>) -> Self {
        let (sale, texts) = (&context.sale, context.texts);
        let payment = &sale.payment;
        let part = current_part(context);
        let (tone, message) = match part {
            Some(part) => part_status(sale, part, texts, input.now),
            None => payment_status(sale, texts, input.now),
        };
        let can_capture =
            payment.status() == PaymentStatus::Authorized && context.caller.holder(&[Scope::Organizer]).is_ok();
        let (tone, message) = if can_capture && part.is_none() {
            (StatusTone::ActionRequired, texts.authorized_here)
        } else {
            (tone, message)
        };
        let decline = match payment.stage() {
            Stage::Declined { decline, .. } => Some(decline),
            _ => part.and_then(Part::decline),
        };
        let has_paid = matches!(payment.status(), PaymentStatus::Succeeded | PaymentStatus::Verifying);
        let whole = payment.state().method.as_ref().filter(|_| has_paid);
        let card = part.map_or(whole, |it| it.state().method.as_ref().filter(|_| is_authorized(it.status())));
        // A link back before the end would suggest that the payment is complete.
        let is_over = payment.is_terminal() && !is_being_issued(sale);
        let challenge = pending_challenge(sale, context.part_ordinal);
        Self {
            tone,
            message,
            detail: decline.map(|it| texts.language.decline(it.code)),
            facts: part.map_or_else(|| split_facts(payment, texts), |it| part_facts(it, payment.expires_at(), texts)),
            challenge_path: challenge.map(|it| input.base_url.path(&format!("/c/{}", it.link.as_str()))),
            card: card.and_then(|it| CardView::of(it, input.catalog)),
            needs_merchant: payment.is_left_in_part() && !is_left_and_returned(payment),
            return_url: payment.facts.return_url.as_ref().filter(|_| is_over).map(|it| it.as_str()),
        }
    }
}

impl<'a> CardView<'a> {
    /// Uses the display name of the brand while the catalog has the brand.
    fn of(card: &'a CardSummary, catalog: &'a Catalog) -> Option<Self> {
        let name = card.brand.as_deref().unwrap_or_default();
        let known = catalog.brands.iter().find(|it| it.offer.name == name);
        Some(Self { brand: known.map_or(name, |it| &it.offer.display_name), last4: card.last4.as_deref()? })
    }
}

/// Whether the card of a part holds or has paid the share, or may have.
const fn is_authorized(status: PartStatus) -> bool {
    use PartStatus as S;
    matches!(status, S::Authorized | S::Capturing | S::Verifying | S::Succeeded)
}

/// Facts for the payer of a part: the end of the reservation, or the receipt.
fn part_facts(part: &Part, closes_at: DateTime<Utc>, texts: &Texts) -> Vec<(&'static str, String)> {
    match part.stage() {
        PartStage::Authorized(hold) => {
            vec![(texts.charged_by, texts.language.moment(hold.valid_until.min(closes_at)))]
        }
        PartStage::Succeeded { at, .. } => vec![
            (texts.your_share, format_amount(part.share.amount)),
            (texts.itbis_included, format_amount(part.share.allocated_itbis)),
            (texts.paid_at, texts.language.moment(*at)),
        ],
        _ => Vec::new(),
    }
}

/// Facts about a split: its deadline, or the charged shares if the sale ended incomplete.
fn split_facts(payment: &Payment, texts: &Texts) -> Vec<(&'static str, String)> {
    use PaymentStatus as S;
    let Some(split) = payment.split() else { return Vec::new() };
    if payment.is_left_in_part() {
        let charged = split.parts().iter().filter(|it| it.status() == PartStatus::Succeeded);
        let share = |it: &Part| format!("{} {}: {}", texts.share, it.ordinal, format_amount(it.share.amount));
        return charged.map(|it| (texts.charged, share(it))).collect();
    }
    match payment.status() {
        S::RequiresCustomerAction | S::PartiallyAuthorized | S::Authorized | S::PartiallyPaid => {
            vec![(texts.deadline, texts.language.moment(payment.expires_at()))]
        }
        _ => Vec::new(),
    }
}

fn payment_status(sale: &Sale, texts: &Texts, now: DateTime<Utc>) -> (StatusTone, Message) {
    use StatusTone as T;
    let payment = &sale.payment;
    let (is_terminal, is_split) = (payment.is_terminal(), payment.split().is_some());
    match payment.status() {
        PaymentStatus::RequiresCustomerAction if is_split && now >= payment.expires_at() => {
            (T::Pending, texts.processing)
        }
        PaymentStatus::RequiresCustomerAction if sale.document.lacks_buyer() => {
            (T::Neutral, buyer_missing(sale, texts))
        }
        PaymentStatus::RequiresCustomerAction if is_split => (T::Neutral, texts.awaits_shares),
        PaymentStatus::RequiresCustomerAction if payment.stage().attempt().is_some() => {
            (T::ActionRequired, texts.bank_asks)
        }
        PaymentStatus::Processing | PaymentStatus::Capturing => (T::Pending, texts.processing),
        PaymentStatus::Verifying => (T::Pending, texts.verifying),
        PaymentStatus::Authorized => (T::Pending, texts.authorized),
        PaymentStatus::PartiallyAuthorized => (T::Neutral, missing_parts(sale, texts)),
        PaymentStatus::PartiallyPaid if is_left_and_returned(payment) => (T::Failure, texts.left_and_returned),
        PaymentStatus::PartiallyPaid if payment.is_left_in_part() => (T::Failure, texts.left_in_part),
        PaymentStatus::PartiallyPaid => (T::Neutral, texts.partly_paid),
        PaymentStatus::Releasing => (T::Pending, texts.releasing),
        PaymentStatus::Succeeded if is_being_issued(sale) => (T::Pending, texts.issuing),
        PaymentStatus::Succeeded => (T::Success, texts.succeeded),
        PaymentStatus::Declined if is_terminal => (T::Failure, texts.declined),
        // Either the merchant or the organizer may have canceled a split.
        PaymentStatus::Canceled if is_split => (T::Failure, texts.split_canceled),
        PaymentStatus::Canceled => (T::Failure, texts.canceled),
        PaymentStatus::Expired if is_renewable(sale, now) => (T::Failure, texts.split_expired),
        // In these statuses the page has the card form until the payment expires.
        PaymentStatus::Declined | PaymentStatus::RequiresCustomerAction | PaymentStatus::Expired => {
            (T::Failure, texts.expired)
        }
    }
}

fn part_status(sale: &Sale, part: &Part, texts: &Texts, now: DateTime<Utc>) -> (StatusTone, Message) {
    use StatusTone as T;
    match part.status() {
        PartStatus::Unpaid | PartStatus::Declined if sale.document.lacks_buyer() => {
            (T::Neutral, buyer_missing(sale, texts))
        }
        PartStatus::Declined => (T::Failure, texts.share_declined),
        PartStatus::Processing if part.challenge().is_some() => (T::ActionRequired, texts.bank_asks),
        PartStatus::Processing => (T::Pending, texts.processing),
        PartStatus::Verifying => (T::Pending, texts.verifying),
        PartStatus::Authorized => (T::Success, texts.share_reserved),
        PartStatus::Capturing => (T::Pending, texts.share_captured),
        PartStatus::Releasing => (T::Pending, texts.releasing),
        PartStatus::Released => (T::Failure, texts.share_released),
        PartStatus::Succeeded if is_left_and_returned(&sale.payment) => (T::Failure, texts.left_and_returned),
        PartStatus::Succeeded if sale.payment.is_left_in_part() => (T::Failure, texts.share_left),
        PartStatus::Succeeded if sale.payment.status() != PaymentStatus::Succeeded => (T::Success, texts.share_paid),
        PartStatus::Succeeded if is_being_issued(sale) => (T::Pending, texts.issuing),
        PartStatus::Succeeded => (T::Success, texts.succeeded),
        PartStatus::Expired if is_renewable(sale, now) => (T::Failure, texts.split_expired),
        PartStatus::Unpaid | PartStatus::Expired => (T::Failure, texts.expired),
    }
}

/// Message for one missing part, or for several.
fn missing_parts(sale: &Sale, texts: &Texts) -> Message {
    let is_ready = |it: &&Part| is_authorized(it.status());
    let split = sale.payment.split();
    let count = split.map_or(0, |it| it.parts().len() - it.parts().iter().filter(is_ready).count());
    if count > 1 { texts.partly_more } else { texts.partly }
}

fn buyer_missing(sale: &Sale, texts: &Texts) -> Message {
    if sale.document.facts.is_buyer_locked { texts.buyer_locked } else { texts.buyer_needed }
}

/// Whether a bill was left in part, and everything that was charged was returned.
fn is_left_and_returned(payment: &Payment) -> bool {
    let is_returned = |it: RefundSummary| it.refundable.minor_units() == 0 && it.pending.minor_units() == 0;
    payment.is_left_in_part() && payment.refund_summary().is_some_and(is_returned)
}

fn is_renewable(sale: &Sale, now: DateTime<Utc>) -> bool {
    sale.payment.split().is_some_and(|it| it.is_renewable(now))
}
