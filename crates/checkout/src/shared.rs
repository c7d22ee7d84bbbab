//! A bill that several payers share, as the page shows it: the shares, how far they are, and what its organizer may do.

use chrono::{DateTime, Utc};
use domain::{
    Money,
    credential::Scope,
    payment::PaymentStatus,
    sale::Sale,
    split::{Part, Split, SplitDraft},
};

use crate::{amount::spell, page::Shown, session::Visit, texts::Texts};

/// What everybody sees who pays a part of it.
pub(crate) struct Shared {
    pub(crate) progress: String,
    pub(crate) shares: Vec<Share>,
    /// What whoever is here may do about all of it.
    pub(crate) controls: Option<Controls>,
}

/// What one payer of several owes, and how far that is.
pub(crate) struct Share {
    pub(crate) ordinal: u8,
    pub(crate) amount: String,
    pub(crate) status: &'static str,
    pub(crate) is_here: bool,
    /// The page on which it is paid.
    pub(crate) pays_at: Option<String>,
    /// The page that hands it to its payer.
    pub(crate) handed_at: Option<String>,
}

/// What the organizer may do now.
pub(crate) struct Controls {
    /// What would be charged, and why that may be done now.
    pub(crate) captures: Option<(String, &'static str)>,
    pub(crate) can_renew: bool,
    pub(crate) can_release: bool,
    /// How the bill may be cut anew, or made whole.
    pub(crate) cut: Option<SplitForm>,
}

/// How a bill is to be shared: by so many equally, or by amounts.
pub(crate) struct SplitForm {
    pub(crate) people: u8,
    pub(crate) total: String,
    /// Filled in once the payer wishes to choose amounts.
    pub(crate) amounts: Vec<AmountField>,
    pub(crate) is_open: bool,
    pub(crate) is_wrong: bool,
}

pub(crate) struct AmountField {
    pub(crate) ordinal: u8,
    pub(crate) value: String,
}

/// What a payer has said so far about how to share a bill.
pub(crate) struct SplitWish {
    pub(crate) people: u8,
    /// As they were typed; nothing, if none were yet.
    pub(crate) typed: Vec<String>,
    pub(crate) is_wrong: bool,
}

/// As many as this may share a bill.
pub(crate) fn people(text: &str) -> Option<u8> {
    let count: u8 = text.trim().parse().ok()?;
    Split::PART_COUNTS.contains(&usize::from(count)).then_some(count)
}

impl Shared {
    /// Of a payment that is shared.
    pub(crate) fn of(visit: &Visit, shown: &Shown<'_>) -> Option<Self> {
        let split = visit.sale.payment.split()?;
        let may_pay = visit.caller.holder(&[Scope::Pay, Scope::Organizer]).is_ok();
        let path = shown.place.path(&visit.path());
        let share = |it: &Part| {
            let is_here = visit.seat == Some(it.ordinal);
            let is_payable = may_pay && split.is_payable(it.ordinal, shown.now);
            Share {
                ordinal: it.ordinal,
                amount: spell(it.share.amount),
                status: visit.texts.language.share(it.status()),
                is_here,
                pays_at: (is_payable && !is_here).then(|| format!("{path}?part={}", it.ordinal)),
                handed_at: is_payable.then(|| format!("{path}/share/{}", it.ordinal)),
            }
        };
        Some(Self {
            progress: progress(split, visit.texts),
            shares: split.parts().iter().map(share).collect(),
            controls: visit.caller.holder(&[Scope::Organizer]).ok().map(|_| Controls::of(visit, shown)),
        })
    }

    /// Whether there is something to command.
    pub(crate) fn has_commands(&self) -> bool {
        self.controls.as_ref().is_some_and(|it| it.captures.is_some() || it.can_renew || it.can_release)
    }

    /// What a page that is shown already takes in: a line for how far it is, and one for each share.
    pub(crate) fn lines(sale: &Sale, texts: &Texts) -> Option<String> {
        let split = sale.payment.split()?;
        let shares = split.parts().iter().map(|it| texts.language.share(it.status()).to_owned());
        Some(std::iter::once(progress(split, texts)).chain(shares).collect::<Vec<_>>().join("\n"))
    }
}

/// How many shares are ready, and what they come to.
fn progress(split: &Split, texts: &Texts) -> String {
    let Some(figures) = split.figures() else { return String::new() };
    let ready = figures.authorized_count.saturating_add(figures.captured_count);
    let sum = figures.authorized.checked_add(figures.captured).map(spell).unwrap_or_default();
    texts.language.progress(ready, split.parts().len(), &sum)
}

impl Controls {
    /// What the sale would take from its organizer: each is tried on a copy.
    fn of(Visit { sale, texts, .. }: &Visit, shown: &Shown<'_>) -> Self {
        let may = |command: fn(&mut Sale, DateTime<Utc>) -> bool| command(&mut sale.clone(), shown.now);
        let can_recut = may(|sale, now| sale.delete_split(now).is_ok());
        let split = sale.payment.split();
        let left = split.and_then(Split::figures).map(|it| spell(it.remaining_to_capture));
        let is_begun = sale.payment.status() == PaymentStatus::PartiallyPaid;
        let hint = if is_begun { texts.capture_rest_hint } else { texts.capture_hint };
        Self {
            captures: left.filter(|_| may(|sale, now| sale.capture(now).is_ok())).map(|amount| (amount, hint)),
            can_renew: split.is_some_and(|it| it.is_renewable(shown.now)),
            can_release: may(|sale, now| sale.release(now).is_ok()),
            cut: can_recut.then(|| SplitForm::of(sale, shown)),
        }
    }
}

impl SplitForm {
    pub(crate) fn of(sale: &Sale, shown: &Shown<'_>) -> Self {
        let wish = shown.wish.as_ref();
        let people = wish.map_or(2, |it| it.people);
        let typed = wish.map(|it| if it.typed.is_empty() { equal(sale, shown, people) } else { it.typed.clone() });
        let fields = (1..).zip(typed.unwrap_or_default()).map(|(ordinal, value)| AmountField { ordinal, value });
        Self {
            people,
            total: spell(sale.payment.total_amount()),
            amounts: fields.collect(),
            is_open: wish.is_some(),
            is_wrong: wish.is_some_and(|it| it.is_wrong),
        }
    }
}

/// What each would pay if all paid the same, to begin with; blanks, if that is too little.
fn equal(sale: &Sale, shown: &Shown<'_>, people: u8) -> Vec<String> {
    let payment = &sale.payment;
    let itbis = Money::new(payment.facts.breakdown.taxes_minor_units, payment.facts.amount.currency());
    let cut = SplitDraft::Equal { part_count: people.into() }.cut(payment.total_amount(), itbis, shown.limits);
    match cut {
        Ok(shares) => shares.iter().map(|it| it.amount.grouped_text()).collect(),
        Err(_) => vec![String::new(); people.into()],
    }
}
