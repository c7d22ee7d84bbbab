//! Content and indices of the registry.

use std::{collections::BTreeMap, ops::RangeInclusive};

use chrono::{DateTime, Utc};
use domain::fiscal::{DocumentKind, Environment, FiscalNumber, ProblemCode, TaxId, Verdict};
use ports::{Inquiry, Submission};

use super::{
    annulment::{AnnulmentRefusal, AnnulmentRequest},
    balance_rules::OriginalFacts,
    reception::Reception,
    record::Entry,
    ruling::Ruling,
    trigger::is_note,
};

/// Receptions, and indices over them.
#[derive(Default)]
pub(crate) struct RegistryIndex {
    receptions: Vec<Reception>,
    by_number: BTreeMap<(Environment, String, FiscalNumber), Vec<usize>>,
    invoices: BTreeMap<InvoiceKey, Invoice>,
    /// Sum of the accepted credit notes by the number that they modify.
    credited: BTreeMap<(Environment, String, String), i64>,
    /// By issuer.
    grants: BTreeMap<String, Vec<Grant>>,
    /// Annulled numbers, by issuer.
    annulled: BTreeMap<String, Vec<Grant>>,
    /// Number of queries of each reception.
    questions: BTreeMap<usize, u32>,
}

/// Environment, issuer, invoice number, and whether the documents are credit notes.
type InvoiceKey = (Environment, String, String, bool);

/// Documents of one invoice number of a merchant; credit notes are counted separately.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Invoice {
    pub(crate) received: u32,
    pub(crate) turned_away: u32,
}

/// Numbers granted to an issuer.
struct Grant {
    environment: Environment,
    numbers: RangeInclusive<FiscalNumber>,
}

impl RegistryIndex {
    /// Number of attempts that fail under a requested outage.
    pub(crate) const DOWN_FOR: u32 = 3;

    pub(crate) fn read(&mut self, entry: Entry) -> Option<()> {
        match entry {
            Entry::Received(received) => {
                let reception = received.read()?;
                self.add(Reception { xml: Vec::new(), ..reception });
            }
            Entry::Annulled { environment, issuer, ranges, .. } => {
                self.annul(&AnnulmentRequest::read(&environment, &issuer, &ranges)?)
            }
            Entry::TurnedAway { environment, issuer, merchant_invoice_number, is_note, .. } => {
                let key = (Environment::from_code(&environment)?, issuer, merchant_invoice_number, is_note);
                let invoice = self.invoices.entry(key).or_default();
                invoice.turned_away = invoice.turned_away.saturating_add(1);
            }
        }
        Some(())
    }

    pub(crate) fn add(&mut self, reception: Reception) {
        let Reception { environment, issuer, number, merchant_invoice_number, .. } = &reception;
        let issuer = issuer.as_str().to_owned();
        let key = (*environment, issuer.clone(), merchant_invoice_number.clone(), is_note(number));
        let invoice = self.invoices.entry(key).or_default();
        invoice.received = invoice.received.saturating_add(1);
        if let Some(modified) = modified_by(&reception) {
            let sum = self.credited.entry((*environment, issuer.clone(), modified.to_owned())).or_default();
            *sum = sum.saturating_add(reception.total_minor_units.unwrap_or_default());
        }
        self.by_number.entry((*environment, issuer, number.clone())).or_default().push(self.receptions.len());
        self.receptions.push(reception);
    }

    pub(crate) fn receptions(&self) -> &[Reception] {
        &self.receptions
    }

    pub(crate) fn invoice(&self, of: &Submission) -> Invoice {
        self.invoices.get(&invoice_key(of)).copied().unwrap_or_default()
    }

    pub(crate) fn turn_away(&mut self, submission: &Submission) {
        let invoice = self.invoices.entry(invoice_key(submission)).or_default();
        invoice.turned_away = invoice.turned_away.saturating_add(1);
    }

    /// Grants a range of numbers to an issuer. An issuer without grants may use any number.
    pub(crate) fn grant(&mut self, issuer: &TaxId, environment: Environment, kind: DocumentKind, range: (u64, u64)) {
        let grants = self.grants.entry(issuer.as_str().to_owned()).or_default();
        let (first, last) = (range.0.max(1), range.1.min(FiscalNumber::MAX_SEQUENCE));
        if let (Some(first), Some(last)) = (FiscalNumber::new(kind, first), FiscalNumber::new(kind, last)) {
            grants.push(Grant { environment, numbers: first..=last });
        }
    }

    pub(crate) fn is_granted(&self, environment: Environment, issuer: &TaxId, number: &FiscalNumber) -> bool {
        let has =
            |ranges: &Vec<Grant>| ranges.iter().any(|it| it.environment == environment && it.numbers.contains(number));
        let is_annulled = self.annulled.get(issuer.as_str()).is_some_and(has);
        !is_annulled && self.grants.get(issuer.as_str()).is_none_or(has)
    }

    /// Returns an error if one of the numbers is used or annulled.
    pub(crate) fn check_untouched(&self, request: &AnnulmentRequest) -> Result<(), AnnulmentRefusal> {
        let AnnulmentRequest { environment, issuer, ranges } = request;
        let annulled = self.annulled.get(issuer.as_str()).map(Vec::as_slice).unwrap_or_default();
        for range in ranges {
            let overlaps = |it: &Grant| it.numbers.start() <= range.end() && range.start() <= it.numbers.end();
            if annulled.iter().any(|it| it.environment == *environment && overlaps(it)) {
                return Err(AnnulmentRefusal::Annulled);
            }
            let key = |number: &FiscalNumber| (*environment, issuer.as_str().to_owned(), number.clone());
            // A number without a final refusal or acceptance counts as unused.
            let mut received = self.by_number.range(key(range.start())..=key(range.end())).flat_map(|(_, it)| it);
            let is_spent = |index: &usize| self.receptions.get(*index).is_some_and(|it| it.ruling.spends_the_number());
            if received.any(is_spent) {
                return Err(AnnulmentRefusal::Used);
            }
            let are_granted = [range.start(), range.end()].map(|it| self.is_granted(*environment, issuer, it));
            if are_granted != [true, true] {
                return Err(AnnulmentRefusal::NotGranted);
            }
        }
        Ok(())
    }

    pub(crate) fn annul(&mut self, request: &AnnulmentRequest) {
        let annulled = self.annulled.entry(request.issuer.as_str().to_owned()).or_default();
        let numbers = request.ranges.iter().map(|it| Grant { environment: request.environment, numbers: it.clone() });
        annulled.extend(numbers);
    }

    /// Whether the number is no longer available.
    pub(crate) fn is_spent(&self, environment: Environment, issuer: &TaxId, number: &FiscalNumber) -> bool {
        self.under(environment, issuer, number).any(|(_, it)| it.ruling.spends_the_number())
    }

    /// Returns the verdict for a query. The security code distinguishes documents of one number: under another code a
    /// used number is lost for the sender.
    pub(crate) fn answer(&mut self, inquiry: &Inquiry, now: DateTime<Utc>) -> Verdict {
        let visible = |it: &(usize, &Reception)| it.1.visible_at <= now;
        let found = self.under(inquiry.environment, &inquiry.issuer, &inquiry.number).filter(visible);
        let (mut ours, mut is_spent_on_another) = (None, false);
        for (index, reception) in found {
            if reception.security_code.as_ref() == Some(&inquiry.security_code) {
                ours = Some(index);
            } else {
                is_spent_on_another |= reception.ruling.spends_the_number();
            }
        }
        match ours.and_then(|index| Some((index, self.receptions.get(index)?))) {
            Some((index, reception)) => {
                let earlier = self.questions.entry(index).or_default();
                let verdict = reception.verdict(*earlier, now);
                *earlier = earlier.saturating_add(1);
                verdict
            }
            None if is_spent_on_another => Verdict::Rejected {
                code: ProblemCode::DuplicateNumber,
                is_number_spent: true,
                authority_messages: Vec::new(),
            },
            None => Verdict::NotFound,
        }
    }

    /// Hides the receptions under a number until `until`. Restarts forget the delay.
    pub(crate) fn hide(&mut self, inquiry: &Inquiry, until: DateTime<Utc>) {
        let key = (inquiry.environment, inquiry.issuer.as_str().to_owned(), inquiry.number.clone());
        for &index in self.by_number.get(&key).into_iter().flatten() {
            if let Some(reception) = self.receptions.get_mut(index) {
                reception.visible_at = until;
            }
        }
    }

    /// Returns the accepted document that a credit note modifies, with the sum of its accepted notes. A document without
    /// a final verdict for its issuer counts as accepted. No note modifies another note.
    pub(crate) fn original(&self, environment: Environment, issuer: &TaxId, number: &str) -> Option<OriginalFacts> {
        let number = FiscalNumber::parse(number).filter(|number| !is_note(number))?;
        let is_accepted = |it: &Reception| matches!(it.ruling, Ruling::Accepted { .. });
        let (_, original) = self.under(environment, issuer, &number).find(|(_, it)| is_accepted(it))?;
        let stated = original.stated.as_ref()?;
        let credited = self.credited.get(&(environment, issuer.as_str().to_owned(), number.as_str().to_owned()));
        Some(OriginalFacts {
            issue_date: stated.issue_date,
            buyer: stated.buyer.clone(),
            total: original.total_minor_units?,
            credited: credited.copied().unwrap_or_default(),
            has_notes: credited.is_some(),
        })
    }

    fn under(
        &self,
        environment: Environment,
        issuer: &TaxId,
        number: &FiscalNumber,
    ) -> impl Iterator<Item = (usize, &Reception)> {
        let key = (environment, issuer.as_str().to_owned(), number.clone());
        let indices = self.by_number.get(&key).into_iter().flatten();
        indices.filter_map(|&index| Some((index, self.receptions.get(index)?)))
    }
}

/// Returns the number that an accepted credit note modifies.
fn modified_by(reception: &Reception) -> Option<&str> {
    let is_accepted = matches!(reception.ruling, Ruling::Accepted { .. });
    reception.stated.as_ref().filter(|_| is_accepted)?.modified.as_deref()
}

fn invoice_key(of: &Submission) -> InvoiceKey {
    (of.environment, of.issuer.as_str().to_owned(), of.merchant_invoice_number.clone(), is_note(&of.number))
}
