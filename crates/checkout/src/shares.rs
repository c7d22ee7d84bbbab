//! Shares of a split, its progress, and the commands of the organizer.

use chrono::{DateTime, Utc};
use domain::{
    Currency, Money,
    credential::Scope,
    payment::PaymentStatus,
    sale::Sale,
    split::{Part, PartStatus, Split, SplitDraft},
};

use crate::{
    amount::{format_amount, parse_amount},
    note::Note,
    session::CheckoutPageContext,
    texts::Texts,
    view::{SplitInput, ViewInput},
};

/// Overview of a split, for each of its payers.
pub(crate) struct Shares {
    pub(crate) progress: String,
    pub(crate) rows: Vec<ShareRow>,
    pub(crate) controls: Option<Controls>,
}

pub(crate) struct ShareRow {
    pub(crate) ordinal: u8,
    pub(crate) amount: String,
    pub(crate) status: &'static str,
    pub(crate) is_here: bool,
    /// Path of the page that pays the share.
    pub(crate) payment_url: Option<String>,
    /// Path of the page with the link for its payer.
    pub(crate) link_url: Option<String>,
}

/// Commands that the organizer may run now.
pub(crate) struct Controls {
    /// Amount to capture, and a hint.
    pub(crate) capture: Option<(String, String)>,
    pub(crate) can_renew: bool,
    /// Hint and button of the release.
    pub(crate) release: Option<(&'static str, &'static str)>,
    /// Form that changes the shares.
    pub(crate) split: Option<SplitForm>,
}

/// Form that splits the payment: into equal shares, or by amounts.
pub(crate) struct SplitForm {
    pub(crate) people: u8,
    pub(crate) total: String,
    /// Empty until the payer chooses amounts.
    pub(crate) amounts: Vec<AmountField>,
    pub(crate) is_open: bool,
    /// Minimum of a share.
    pub(crate) minimum: String,
    pub(crate) fault: Option<String>,
}

pub(crate) struct AmountField {
    pub(crate) ordinal: u8,
    pub(crate) value: String,
}

/// Parses the number of payers.
pub(crate) fn parse_people(text: &str) -> Option<u8> {
    let count: u8 = text.trim().parse().ok()?;
    Split::PART_COUNTS.contains(&usize::from(count)).then_some(count)
}

impl Shares {
    pub(crate) fn of(context: &CheckoutPageContext, input: &ViewInput<'_>) -> Option<Self> {
        let split = context.sale.payment.split()?;
        let may_pay = context.caller.holder(&[Scope::Pay, Scope::Organizer]).is_ok();
        let path = input.base_url.path(&context.path());
        let share = |it: &Part| {
            let is_here = context.part_ordinal == Some(it.ordinal);
            let is_payable = may_pay && split.is_payable(it.ordinal, input.now);
            ShareRow {
                ordinal: it.ordinal,
                amount: format_amount(it.share.amount),
                status: context.texts.language.part_status(it.status()),
                is_here,
                payment_url: (is_payable && !is_here).then(|| format!("{path}?part={}", it.ordinal)),
                link_url: is_payable.then(|| format!("{path}/share/{}", it.ordinal)),
            }
        };
        Some(Self {
            progress: progress(split, context.texts),
            rows: split.parts().iter().map(share).collect(),
            controls: context
                .caller
                .holder(&[Scope::Organizer])
                .ok()
                .map(|_| Controls::of(context, input))
                .filter(|it| it.has_commands() || it.split.is_some()),
        })
    }

    pub(crate) fn has_commands(&self) -> bool {
        self.controls.as_ref().is_some_and(Controls::has_commands)
    }

    /// State for the script of an open page: a line for the progress, and one for each share.
    pub(crate) fn state_lines(sale: &Sale, texts: &Texts) -> Option<String> {
        let split = sale.payment.split()?;
        let shares = split.parts().iter().map(|it| texts.language.part_status(it.status()).to_owned());
        Some(std::iter::once(progress(split, texts)).chain(shares).collect::<Vec<_>>().join("\n"))
    }
}

fn progress(split: &Split, texts: &Texts) -> String {
    let Some(figures) = split.figures() else { return String::new() };
    if split.is_terminal() {
        let charged = usize::from(figures.captured_count);
        return texts.language.charged_shares(charged, split.parts().len(), &format_amount(figures.captured));
    }
    let ready = figures.authorized_count.saturating_add(figures.captured_count);
    let sum = figures.authorized.checked_add(figures.captured).map(format_amount).unwrap_or_default();
    texts.language.ready_shares(ready, split.parts().len(), &sum)
}

impl Controls {
    /// Tries each command on a copy of the sale.
    fn of(CheckoutPageContext { sale, texts, .. }: &CheckoutPageContext, input: &ViewInput<'_>) -> Self {
        let may = |command: fn(&mut Sale, DateTime<Utc>) -> bool| command(&mut sale.clone(), input.now);
        let can_change = may(|sale, now| sale.delete_split(now).is_ok());
        let split = sale.payment.split();
        let left = split.and_then(Split::figures).map(|it| format_amount(it.remaining_to_capture));
        let is_begun = sale.payment.status() == PaymentStatus::PartiallyPaid;
        let parts = split.map_or(&[][..], Split::parts).iter();
        let uncharged: Vec<u8> =
            parts.filter(|it| it.status() == PartStatus::Authorized).map(|it| it.ordinal).collect();
        let hint = match is_begun {
            true => texts.language.not_charged(&uncharged),
            false => texts.capture_hint.to_owned(),
        };
        let release = match is_begun {
            true => (texts.release_rest_hint, texts.release_rest),
            false => (texts.release_hint, texts.release_all),
        };
        Self {
            capture: left.filter(|_| may(|sale, now| sale.capture(now).is_ok())).map(|amount| (amount, hint)),
            can_renew: split.is_some_and(|it| it.is_renewable(input.now)),
            release: may(|sale, now| sale.release(now).is_ok()).then_some(release),
            split: can_change.then(|| SplitForm::of(sale, input, texts)),
        }
    }

    const fn has_commands(&self) -> bool {
        self.capture.is_some() || self.can_renew || self.release.is_some()
    }
}

impl SplitForm {
    pub(crate) fn of(sale: &Sale, input: &ViewInput<'_>, texts: &Texts) -> Self {
        let split = input.form.split.as_ref();
        let currency = sale.payment.facts.amount.currency();
        let (minimum, _) = match currency {
            Currency::Dop => input.limits.dop,
            Currency::Usd => input.limits.usd,
        };
        let minimum = Money::new(minimum.max(1), currency);
        let people = split.map_or(2, |it| it.people);
        let amounts = |it: &SplitInput| match it.amounts.as_slice() {
            [] => equal_amounts(sale, input, people),
            amounts => amounts.to_vec(),
        };
        let amounts = split.map(amounts).unwrap_or_default();
        let fields = (1..).zip(amounts).map(|(ordinal, value)| AmountField { ordinal, value });
        Self {
            people,
            total: format_amount(sale.payment.total_amount()),
            amounts: fields.collect(),
            is_open: split.is_some(),
            fault: split.filter(|it| it.is_wrong).map(|it| fault(&it.amounts, sale, minimum, texts)),
            minimum: format_amount(minimum),
        }
    }
}

/// Text for the first fault of the typed amounts.
fn fault(typed: &[String], sale: &Sale, minimum: Money, texts: &Texts) -> String {
    let amounts: Option<Vec<i64>> = typed.iter().map(|it| parse_amount(it)).collect();
    let Some(amounts) = amounts else { return Note::WrongAmount.text(texts).to_owned() };
    if amounts.iter().any(|it| *it < minimum.minor_units()) {
        return format!("{} {}.", texts.each_at_least, format_amount(minimum));
    }
    let format = |minor_units| format_amount(Money::new(minor_units, minimum.currency()));
    let sum = amounts.iter().fold(0_i64, |sum, it| sum.saturating_add(*it));
    let over = sum.saturating_sub(sale.payment.total_amount().minor_units());
    match over {
        0 => Note::WrongShares.text(texts).to_owned(),
        _ => {
            let difference = texts.language.sum_differs(&format(sum), &format(over.saturating_abs()), over < 0);
            format!("{} {difference}", texts.check_shares)
        }
    }
}

/// Initial amounts: equal shares, or blanks if they are below the minimum.
fn equal_amounts(sale: &Sale, input: &ViewInput<'_>, people: u8) -> Vec<String> {
    let payment = &sale.payment;
    let itbis = Money::new(payment.facts.breakdown.taxes_minor_units, payment.facts.amount.currency());
    let shares = SplitDraft::Equal { part_count: people.into() }.allocate(payment.total_amount(), itbis, input.limits);
    match shares {
        Ok(shares) => shares.iter().map(|it| it.amount.grouped_text()).collect(),
        Err(_) => vec![String::new(); people.into()],
    }
}

#[cfg(test)]
mod tests {
    use testkit::sample;

    use super::*;
    use crate::language::Language;

    #[test]
    fn a_fault_names_the_difference_from_the_total_or_the_minimum() {
        let (sale, minimum) = (sample::sale(1), Money::new(10_00, Currency::Dop));
        let fault_of =
            |typed: [&str; 2], language: Language| fault(&typed.map(str::to_owned), &sale, minimum, language.texts());

        let less = fault_of(["1,000", "200"], Language::Spanish);
        assert_eq!(less, "Revise las partes: suman RD$\u{a0}1,200.00 y faltan RD$\u{a0}80.00.");
        assert_eq!(
            fault_of(["1000", "640"], Language::Spanish),
            "Revise las partes: suman RD$\u{a0}1,640.00 y sobran RD$\u{a0}360.00."
        );
        let more = fault_of(["1000", "640"], Language::English);
        assert_eq!(more, "Check the shares: their sum is RD$\u{a0}1,640.00, RD$\u{a0}360.00 too much.");
        assert_eq!(fault_of(["1270.01", "9.99"], Language::Spanish), "Cada parte debe ser de al menos RD$\u{a0}10.00.");
        assert_eq!(fault_of(["1280", "a"], Language::Spanish), "Escriba el monto con números, como 150.00.");
    }
}
