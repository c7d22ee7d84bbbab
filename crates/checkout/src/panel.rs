//! The side of a page on which something can be done: the form for a card, or how it stands, in the payer's words.

use app::Caller;
use chrono::{DateTime, Utc};
use domain::{
    attempt::CardSummary,
    catalog::{Brand, Catalog},
    credential::Scope,
    payment::{Challenge, Decline, Payment, PaymentStatus, Stage},
    sale::Sale,
    split::{Part, PartStage, PartStatus},
};

use crate::{
    amount::spell,
    extras::wanted,
    form::CardFaults,
    page::{Shown, is_being_issued},
    place::PublicBaseUrl,
    session::Visit,
    texts::{Said, Texts},
};

pub(crate) enum Panel<'a> {
    Card(CardForm<'a>),
    Told(Told<'a>),
}

/// The form that takes a card.
pub(crate) struct CardForm<'a> {
    pub(crate) action: String,
    /// What is charged, or reserved.
    pub(crate) amount: String,
    /// The same, for the form to bring along: nobody is charged what they were not shown.
    pub(crate) minor_units: i64,
    /// Whether it is reserved, for a share.
    pub(crate) is_share: bool,
    /// How many cards were submitted before: one that is sent twice is taken once.
    pub(crate) attempt: u32,
    pub(crate) faults: CardFaults,
    /// Why the last card was declined.
    pub(crate) decline: Option<DeclineShown>,
    /// Whether a card of which nobody knew is known to have cost nothing.
    pub(crate) is_cleared: bool,
    pub(crate) brands: Vec<BrandShown<'a>>,
    pub(crate) wallets: Vec<&'a str>,
    pub(crate) pay_before: String,
}

/// Why a card was declined, and what may be done about it.
pub(crate) struct DeclineShown {
    pub(crate) why: &'static str,
    pub(crate) then: &'static str,
}

pub(crate) struct BrandShown<'a> {
    pub(crate) name: &'a str,
    /// Its number ranges, for the script: digits looked at, from, to.
    pub(crate) ranges: String,
}

/// How it stands, in the payer's words.
pub(crate) struct Told<'a> {
    /// `good`, `bad`, `wait`, `act` or `calm`, for the style.
    pub(crate) mood: &'static str,
    pub(crate) said: Said,
    pub(crate) detail: Option<&'static str>,
    /// What there is to know about a share, or about all of them.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// Where the payer goes on: at the issuer of the card.
    pub(crate) go_on: Option<String>,
    pub(crate) card: Option<CardShown<'a>>,
    pub(crate) return_url: Option<&'a str>,
    /// Whether nobody but the merchant can help.
    pub(crate) is_for_merchant: bool,
}

pub(crate) struct CardShown<'a> {
    pub(crate) brand: &'a str,
    pub(crate) last4: &'a str,
}

impl<'a> Panel<'a> {
    pub(crate) fn of(visit: &'a Visit, shown: &Shown<'a>, path: &str) -> Self {
        match decline_to_mend(visit, shown.now) {
            Some(_) if wanted(&visit.sale, shown).is_some() => {
                let said = visit.texts.document_pending;
                Self::Told(Told { mood: "act", said, detail: None, ..Told::of(visit, shown) })
            }
            Some(decline) => Self::Card(CardForm::of(visit, shown, path, decline)),
            None => Self::Told(Told::of(visit, shown)),
        }
    }

    /// Whether it has news that whoever comes should see before all else.
    pub(crate) fn has_news(&self) -> bool {
        match self {
            Self::Card(form) => form.decline.is_some() || form.is_cleared || form.faults != CardFaults::default(),
            Self::Told(_) => true,
        }
    }

    /// Whether there is nothing to do here but wait.
    pub(crate) fn waits(&self) -> bool {
        matches!(self, Self::Told(told) if told.mood == "wait")
    }
}

/// The part that the payer is at.
fn seat(visit: &Visit) -> Option<&Part> {
    visit.sale.payment.split()?.part(visit.seat?)
}

/// How many cards the payer has tried, for the share or for all of it.
pub(crate) fn attempts(visit: &Visit) -> u32 {
    seat(visit).map_or(visit.sale.payment.state().attempts, |it| it.state().attempts)
}

/// What an issuer wants of the payer now.
pub(crate) fn challenge(sale: &Sale, seat: Option<u8>) -> Option<&Challenge> {
    match sale.payment.stage() {
        Stage::RequiresCustomerAction(Some(it)) => Some(&it.challenge),
        Stage::Split(split) => split.part(seat?)?.challenge(),
        _ => None,
    }
}

/// Whether a card is taken now, and if one was before, why that one was declined.
fn decline_to_mend(visit: &Visit, now: DateTime<Utc>) -> Option<Option<Decline>> {
    let payment = &visit.sale.payment;
    let can_pay = matches!(&visit.caller, Caller::Holder(token) if token.scope != Scope::Receipt);
    if !can_pay || visit.sale.document.lacks_buyer() {
        return None;
    }
    if let Some(split) = payment.split() {
        let part = seat(visit).filter(|it| split.is_payable(it.ordinal, now))?;
        return Some(part.decline().copied());
    }
    match payment.stage() {
        _ if !payment.is_editable(now) => None,
        Stage::Declined { decline, .. } => Some(Some(*decline)),
        _ => Some(None),
    }
}

impl<'a> CardForm<'a> {
    fn of(visit: &'a Visit, shown: &Shown<'a>, path: &str, decline: Option<Decline>) -> Self {
        let (payment, language) = (&visit.sale.payment, visit.texts.language);
        let display = &payment.facts.display;
        let is_accepted = |it: &&Brand| display.card_brands.contains(&it.offer.published);
        let part = seat(visit);
        let amount = part.map_or_else(|| payment.total_amount(), |it| it.share.amount);
        // What is wrong with this card is news; what was with the last one no longer is, nor is it beside another note.
        let is_first_said = shown.typed.faults == CardFaults::default() && shown.note.is_none();
        let said = |it: Decline| DeclineShown { why: language.decline(it.code), then: language.after_decline(it.code) };
        Self {
            // Whoever comes back to this address without the form is led to the same share.
            action: format!("{path}/card{}", visit.seat.map_or_else(String::new, |it| format!("?part={it}"))),
            amount: spell(amount),
            minor_units: amount.minor_units(),
            is_share: part.is_some(),
            attempt: attempts(visit),
            faults: shown.typed.faults,
            is_cleared: decline.is_none() && attempts(visit) > 0 && is_first_said,
            decline: decline.filter(|_| shown.typed.faults == CardFaults::default()).map(said),
            brands: shown.catalog.brands.iter().filter(is_accepted).map(BrandShown::from).collect(),
            wallets: wallets(shown.catalog, &display.wallets),
            pay_before: language.moment(payment.expires_at()),
        }
    }
}

/// What people call the wallets that the account lists.
fn wallets<'a>(catalog: &'a Catalog, listed: &[String]) -> Vec<&'a str> {
    let is_listed = |it: &&domain::catalog::Offer| listed.contains(&it.published);
    catalog.wallets.iter().filter(is_listed).map(|it| it.display_name.as_str()).collect()
}

impl<'a> From<&'a Brand> for BrandShown<'a> {
    fn from(brand: &'a Brand) -> Self {
        let ranges = brand.ranges.iter().map(|it| format!("{}-{}-{}", it.digits, it.from, it.to));
        Self { name: &brand.offer.display_name, ranges: ranges.collect::<Vec<_>>().join(" ") }
    }
}

impl<'a> Told<'a> {
    fn of(visit: &'a Visit, shown: &Shown<'a>) -> Self {
        let (sale, texts) = (&visit.sale, visit.texts);
        let payment = &sale.payment;
        let part = seat(visit);
        let (mood, said) = match part {
            Some(part) => told_of_part(sale, part, texts, shown.now),
            None => told(sale, texts, shown.now),
        };
        // Who is to charge what is reserved does not wait for anybody.
        let is_due = payment.status() == PaymentStatus::Authorized && visit.caller.holder(&[Scope::Organizer]).is_ok();
        let (mood, said) = if is_due && part.is_none() { ("act", texts.authorized_here) } else { (mood, said) };
        let decline = match payment.stage() {
            Stage::Declined { decline, .. } => Some(decline),
            _ => part.and_then(Part::decline),
        };
        let has_paid = matches!(payment.status(), PaymentStatus::Succeeded | PaymentStatus::Verifying);
        let whole = payment.state().method.as_ref().filter(|_| has_paid);
        let card = part.map_or(whole, |it| it.state().method.as_ref().filter(|_| is_charged(it.status())));
        // Before the end a payer who leaves might think that the payment is done.
        let is_over = payment.is_terminal() && !is_being_issued(sale);
        Self {
            mood,
            said,
            detail: decline.map(|it| texts.language.decline(it.code)),
            facts: part.map_or_else(|| facts_of_all(payment, texts), |it| facts(it, payment.expires_at(), texts)),
            go_on: challenge(sale, visit.seat).map(|it| go_on(shown.place, it)),
            card: card.and_then(|it| CardShown::of(it, shown.catalog)),
            is_for_merchant: payment.is_left_in_part(),
            return_url: payment.facts.return_url.as_ref().filter(|_| is_over).map(|it| it.as_str()),
        }
    }
}

impl<'a> CardShown<'a> {
    /// By the name that people know, where the catalog still has the brand.
    fn of(card: &'a CardSummary, catalog: &'a Catalog) -> Option<Self> {
        let name = card.brand.as_deref().unwrap_or_default();
        let known = catalog.brands.iter().find(|it| it.offer.name == name);
        Some(Self { brand: known.map_or(name, |it| &it.offer.display_name), last4: card.last4.as_deref()? })
    }
}

fn go_on(place: &PublicBaseUrl, challenge: &Challenge) -> String {
    place.path(&format!("/c/{}", challenge.link.as_str()))
}

/// Whether the card of a share has something to do with how it stands.
const fn is_charged(status: PartStatus) -> bool {
    use PartStatus as S;
    matches!(status, S::Authorized | S::Capturing | S::Verifying | S::Succeeded)
}

/// The receipt of one payer of several: until when the share is kept in a window that closes then, or what was taken.
fn facts(part: &Part, closes_at: DateTime<Utc>, texts: &Texts) -> Vec<(&'static str, String)> {
    match part.stage() {
        PartStage::Authorized(hold) => {
            vec![(texts.charged_by, texts.language.moment(hold.valid_until.min(closes_at)))]
        }
        PartStage::Succeeded { at, .. } => vec![
            (texts.your_share, spell(part.share.amount)),
            (texts.itbis_within, spell(part.share.allocated_itbis)),
            (texts.paid_at, texts.language.moment(*at)),
        ],
        _ => Vec::new(),
    }
}

/// What whoever looks at a shared bill has to know: by when it is to be charged, or what was where that is the end of it.
fn facts_of_all(payment: &Payment, texts: &Texts) -> Vec<(&'static str, String)> {
    let Some(split) = payment.split() else { return Vec::new() };
    if payment.is_left_in_part() {
        let charged = split.parts().iter().filter(|it| it.status() == PartStatus::Succeeded);
        let named =
            |it: &Part| (texts.was_charged, format!("{} {}: {}", texts.share, it.ordinal, spell(it.share.amount)));
        return charged.map(named).collect();
    }
    use PaymentStatus as S;
    match payment.status() {
        S::RequiresCustomerAction | S::PartiallyAuthorized | S::Authorized | S::PartiallyPaid => {
            vec![(texts.deadline, texts.language.moment(payment.expires_at()))]
        }
        _ => Vec::new(),
    }
}

/// Where the payment stands, in the payer's words.
fn told(sale: &Sale, texts: &Texts, now: DateTime<Utc>) -> (&'static str, Said) {
    let payment = &sale.payment;
    let (is_terminal, is_shared) = (payment.is_terminal(), payment.split().is_some());
    match payment.status() {
        PaymentStatus::RequiresCustomerAction if is_shared && now >= payment.expires_at() => ("wait", texts.processing),
        PaymentStatus::RequiresCustomerAction if sale.document.lacks_buyer() => ("calm", buyer_missing(sale, texts)),
        PaymentStatus::RequiresCustomerAction if is_shared => ("calm", texts.awaits_shares),
        PaymentStatus::RequiresCustomerAction if payment.stage().attempt().is_some() => ("act", texts.bank_asks),
        PaymentStatus::Processing | PaymentStatus::Capturing => ("wait", texts.processing),
        PaymentStatus::Verifying => ("wait", texts.verifying),
        PaymentStatus::Authorized => ("wait", texts.authorized),
        PaymentStatus::PartiallyAuthorized => ("calm", missing(sale, texts)),
        PaymentStatus::PartiallyPaid if payment.is_left_in_part() => ("bad", texts.left_in_part),
        PaymentStatus::PartiallyPaid => ("calm", texts.partly_paid),
        PaymentStatus::Releasing => ("wait", texts.releasing),
        PaymentStatus::Succeeded if is_being_issued(sale) => ("wait", texts.issuing),
        PaymentStatus::Succeeded => ("good", texts.succeeded),
        PaymentStatus::Declined if is_terminal => ("bad", texts.declined),
        // Whoever shared the bill may have given it up.
        PaymentStatus::Canceled if is_shared => ("bad", texts.given_up),
        PaymentStatus::Canceled => ("bad", texts.canceled),
        PaymentStatus::Expired if is_renewable(sale, now) => ("bad", texts.split_expired),
        // What is neither takes a card, unless its time is over.
        PaymentStatus::Declined | PaymentStatus::RequiresCustomerAction | PaymentStatus::Expired => {
            ("bad", texts.expired)
        }
    }
}

/// Where one share stands, in the words of whoever pays it.
fn told_of_part(sale: &Sale, part: &Part, texts: &Texts, now: DateTime<Utc>) -> (&'static str, Said) {
    match part.status() {
        PartStatus::Unpaid | PartStatus::Declined if sale.document.lacks_buyer() => {
            ("calm", buyer_missing(sale, texts))
        }
        PartStatus::Declined => ("bad", texts.share_declined),
        PartStatus::Processing if part.challenge().is_some() => ("act", texts.bank_asks),
        PartStatus::Processing => ("wait", texts.processing),
        PartStatus::Verifying => ("wait", texts.verifying),
        PartStatus::Authorized => ("good", texts.share_reserved),
        PartStatus::Capturing => ("wait", texts.share_captured),
        PartStatus::Releasing => ("wait", texts.releasing),
        PartStatus::Released => ("bad", texts.share_released),
        PartStatus::Succeeded if sale.payment.is_left_in_part() => ("bad", texts.share_left),
        PartStatus::Succeeded if sale.payment.status() != PaymentStatus::Succeeded => ("good", texts.share_paid),
        PartStatus::Succeeded if is_being_issued(sale) => ("wait", texts.issuing),
        PartStatus::Succeeded => ("good", texts.succeeded),
        PartStatus::Expired if is_renewable(sale, now) => ("bad", texts.split_expired),
        PartStatus::Unpaid | PartStatus::Expired => ("bad", texts.expired),
    }
}

/// Of a bill some of whose shares are reserved: whether one is missing, or more.
fn missing(sale: &Sale, texts: &Texts) -> Said {
    let is_ready = |it: &&Part| is_charged(it.status());
    let split = sale.payment.split();
    let count = split.map_or(0, |it| it.parts().len() - it.parts().iter().filter(is_ready).count());
    if count > 1 { texts.partly_more } else { texts.partly }
}

/// Whoever pays writes it where the page takes it.
fn buyer_missing(sale: &Sale, texts: &Texts) -> Said {
    if sale.document.facts.is_buyer_locked { texts.buyer_locked } else { texts.buyer_needed }
}

fn is_renewable(sale: &Sale, now: DateTime<Utc>) -> bool {
    sale.payment.split().is_some_and(|it| it.is_renewable(now))
}
