//! A bill that several payers share, as the page shows it: the shares, how far they are, and what its organizer may do.

use chrono::{DateTime, Utc};
use domain::{
    Currency, Money,
    credential::Scope,
    payment::PaymentStatus,
    sale::Sale,
    split::{Part, PartStatus, Split, SplitDraft},
};

use crate::{
    amount::{self, spell},
    page::Shown,
    session::Visit,
    texts::Texts,
};

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
    pub(crate) captures: Option<(String, String)>,
    pub(crate) can_renew: bool,
    /// What giving up would do, and what its button says.
    pub(crate) releases: Option<(&'static str, &'static str)>,
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
    /// No share is less.
    pub(crate) least: String,
    /// What is wrong with the amounts.
    pub(crate) fault: Option<String>,
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
            controls: visit
                .caller
                .holder(&[Scope::Organizer])
                .ok()
                .map(|_| Controls::of(visit, shown))
                .filter(|it| it.has_commands() || it.cut.is_some()),
        })
    }

    /// Whether there is something to command.
    pub(crate) fn has_commands(&self) -> bool {
        self.controls.as_ref().is_some_and(Controls::has_commands)
    }

    /// What a page that is shown already takes in: a line for how far it is, and one for each share.
    pub(crate) fn lines(sale: &Sale, texts: &Texts) -> Option<String> {
        let split = sale.payment.split()?;
        let shares = split.parts().iter().map(|it| texts.language.share(it.status()).to_owned());
        Some(std::iter::once(progress(split, texts)).chain(shares).collect::<Vec<_>>().join("\n"))
    }
}

/// How many shares are ready, or were charged in the end, and what they come to.
fn progress(split: &Split, texts: &Texts) -> String {
    let Some(figures) = split.figures() else { return String::new() };
    if split.is_terminal() {
        let charged = usize::from(figures.captured_count);
        return texts.language.outcome(charged, split.parts().len(), &spell(figures.captured));
    }
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
        let parts = split.map_or(&[][..], Split::parts).iter();
        let refused: Vec<u8> = parts.filter(|it| it.status() == PartStatus::Authorized).map(|it| it.ordinal).collect();
        let hint = match is_begun {
            true => texts.language.not_charged(&refused),
            false => texts.capture_hint.to_owned(),
        };
        let release = match is_begun {
            true => (texts.give_up_rest_hint, texts.give_up_rest),
            false => (texts.give_up_hint, texts.give_up_now),
        };
        Self {
            captures: left.filter(|_| may(|sale, now| sale.capture(now).is_ok())).map(|amount| (amount, hint)),
            can_renew: split.is_some_and(|it| it.is_renewable(shown.now)),
            releases: may(|sale, now| sale.release(now).is_ok()).then_some(release),
            cut: can_recut.then(|| SplitForm::of(sale, shown, texts)),
        }
    }
}

impl Controls {
    const fn has_commands(&self) -> bool {
        self.captures.is_some() || self.can_renew || self.releases.is_some()
    }
}

impl SplitForm {
    pub(crate) fn of(sale: &Sale, shown: &Shown<'_>, texts: &Texts) -> Self {
        let wish = shown.typed.wish.as_ref();
        let currency = sale.payment.facts.amount.currency();
        let (least, _) = match currency {
            Currency::Dop => shown.limits.dop,
            Currency::Usd => shown.limits.usd,
        };
        let least = Money::new(least.max(1), currency);
        let people = wish.map_or(2, |it| it.people);
        let typed = wish.map(|it| if it.typed.is_empty() { equal(sale, shown, people) } else { it.typed.clone() });
        let fields = (1..).zip(typed.unwrap_or_default()).map(|(ordinal, value)| AmountField { ordinal, value });
        Self {
            people,
            total: spell(sale.payment.total_amount()),
            amounts: fields.collect(),
            is_open: wish.is_some(),
            fault: wish.filter(|it| it.is_wrong).map(|it| fault(&it.typed, sale, least, texts)),
            least: spell(least),
        }
    }
}

/// What is wrong with amounts that were typed: the first thing that is.
fn fault(typed: &[String], sale: &Sale, least: Money, texts: &Texts) -> String {
    let amounts: Option<Vec<i64>> = typed.iter().map(|it| amount::read(it)).collect();
    let Some(amounts) = amounts else { return texts.note_wrong_amount.to_owned() };
    if amounts.iter().any(|it| *it < least.minor_units()) {
        return format!("{} {}.", texts.each_at_least, spell(least));
    }
    let spelled = |minor_units| spell(Money::new(minor_units, least.currency()));
    let sum = amounts.iter().fold(0_i64, |sum, it| sum.saturating_add(*it));
    let over = sum.saturating_sub(sale.payment.total_amount().minor_units());
    match over {
        0 => texts.note_wrong_shares.to_owned(),
        _ => {
            let off = texts.language.off(&spelled(sum), &spelled(over.saturating_abs()), over < 0);
            format!("{} {off}", texts.check_shares)
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

#[cfg(test)]
mod tests {
    use testkit::sample;

    use super::*;
    use crate::texts::{ENGLISH, SPANISH};

    #[test]
    fn amounts_that_do_not_come_to_the_total_say_by_how_much_they_are_off_and_what_the_least_is() {
        let (sale, least) = (sample::sale(1), Money::new(10_00, Currency::Dop));
        let said = |typed: [&str; 2], texts| fault(&typed.map(str::to_owned), &sale, least, texts);

        let less = said(["1,000", "200"], &SPANISH);
        assert_eq!(less, "Revise las partes: suman RD$\u{a0}1,200.00 y faltan RD$\u{a0}80.00.");
        assert_eq!(
            said(["1000", "640"], &SPANISH),
            "Revise las partes: suman RD$\u{a0}1,640.00 y sobran RD$\u{a0}360.00."
        );
        let more = said(["1000", "640"], &ENGLISH);
        assert_eq!(more, "Check the shares: they come to RD$\u{a0}1,640.00, which is RD$\u{a0}360.00 too much.");
        assert_eq!(said(["1270.01", "9.99"], &SPANISH), "Cada parte debe ser de al menos RD$\u{a0}10.00.");
        assert_eq!(said(["1280", "a"], &SPANISH), "Escriba el monto con números, como 150.00.");
    }
}
