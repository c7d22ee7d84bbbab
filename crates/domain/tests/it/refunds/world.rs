//! A paid sale and the refunds that it has had.

use chrono::{DateTime, Utc};
use cobro_domain::{
    AttemptId, Currency, MerchantAccountId, MerchantId, Mode, Money, PaymentId, Refund, RefundId,
    fiscal::{Breakdown, ExchangeRate, FiscalLine, local_date},
    refund::{
        AccountState, Balance, CapturedCharge, CreditNote, LegResult, LineCredit, OriginalDocument,
        PaymentRefundability, RefundContext, RefundDraft, RefundEnd, RefundFacts, RefundFailureCode, RefundOrigin,
        RefundOutcome, RefundPlan, RefundReason, RefundRefusal, RefundSelection, RefundSettlement, RefundTerms,
        RefundTotals, Remaining, RemainingLines,
    },
    text::BoundedText,
};

use crate::support::{attempt, noon, symbols};

/// A sale with the sums of its refunds.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) currency: Currency,
    pub(crate) rate: Option<ExchangeRate>,
    pub(crate) lines: Vec<FiscalLine>,
    pub(crate) original: Breakdown,
    pub(crate) charges: Vec<CapturedCharge>,
    pub(crate) tip: i64,
    pub(crate) undocumented: i64,
    pub(crate) credits: Vec<LineCredit>,
    pub(crate) notes: Vec<CreditNote>,
    pub(crate) refunds: Vec<Refund>,
    pub(crate) retried: Vec<usize>,
    pub(crate) balance: Balance,
    pub(crate) now: DateTime<Utc>,
}

pub(crate) const TERMS: RefundTerms =
    RefundTerms { void_window: chrono::TimeDelta::minutes(19), refund_days: 180, allows_multiple: true };

pub(crate) fn rate(ratio: u32) -> ExchangeRate {
    let day = local_date(noon());
    ExchangeRate::new(Currency::Usd, ratio, day, BoundedText::parse("Banco Central").unwrap(), day).unwrap()
}

impl World {
    /// A sale in one charge, or in parts of these amounts.
    pub(crate) fn new(lines: Vec<FiscalLine>, rate: Option<ExchangeRate>, tip: i64, parts: &[i64]) -> Self {
        let original = Breakdown::of(&lines, true).unwrap();
        let currency = if rate.is_some() { Currency::Usd } else { Currency::Dop };
        let captured = original.total_minor_units + tip;
        let charges = match parts {
            [] => vec![CapturedCharge::new(None, captured, noon())],
            _ => (1..).zip(parts).map(|(ordinal, part)| CapturedCharge::new(Some(ordinal), *part, noon())).collect(),
        };
        assert_eq!(charges.iter().map(|charge| charge.captured).sum::<i64>(), captured);
        Self {
            currency,
            rate,
            lines,
            original,
            charges,
            tip,
            undocumented: 0,
            credits: Vec::new(),
            notes: Vec::new(),
            refunds: Vec::new(),
            retried: Vec::new(),
            balance: Balance::restore(Money::new(captured, currency), tip, RefundTotals::default()).unwrap(),
            now: noon(),
        }
    }

    pub(crate) fn money(&self, minor_units: i64) -> Money {
        Money::new(minor_units, self.currency)
    }

    pub(crate) fn remaining(&self) -> Remaining<'_> {
        Remaining {
            currency: self.currency,
            document: RemainingLines::of(&self.lines, self.rate.as_ref(), &self.credits),
            voluntary_tip: self.tip,
            undocumented: self.undocumented,
            charges: self.charges.clone(),
        }
    }

    /// The state before a refund, which may retry an earlier one.
    pub(crate) fn context(&self, retried: Option<usize>) -> RefundContext<'_> {
        let retried = retried.filter(|index| !self.retried.contains(index));
        RefundContext {
            remaining: self.remaining(),
            payment: PaymentRefundability::Refundable,
            blocking: None,
            original: Some(OriginalDocument {
                total: self.original.total_minor_units,
                is_rejected: false,
                issued_on: Some(local_date(noon())),
                has_notes: !self.notes.is_empty(),
            }),
            retried: retried.and_then(|index| self.refunds.get(index)?.retryable()),
            terms: TERMS,
            account: AccountState { can_issue_notes: true, can_use_acquirer: true },
            now: self.now,
        }
    }

    pub(crate) fn facts(&self, settlement: RefundSettlement) -> RefundFacts {
        let number = u32::try_from(self.refunds.len()).unwrap() + 1;
        RefundFacts {
            id: RefundId::new(&symbols(number)),
            payment: PaymentId::new(&symbols(1)),
            merchant: MerchantId::new(&symbols(1)),
            mode: Mode::Test,
            account: MerchantAccountId::new(&symbols(1)),
            currency: self.currency,
            origin: RefundOrigin::Merchant,
            settlement,
            settlement_reference: None,
            refund_reference: None,
            retried: None,
            metadata: None,
            original_issued_on: None,
            created_at: self.now,
        }
    }

    /// Decides, moves the money of each leg, and ends. The acquirer refuses the legs of `failing`.
    pub(crate) fn refund(
        &mut self,
        request: &RefundDraft,
        retried: Option<usize>,
        failing: &[u8],
    ) -> Result<(RefundPlan, RefundEnd), RefundRefusal> {
        let plan = RefundPlan::decide(request, &self.context(retried))?;
        let facts = self.facts(request.settlement);
        let (mut refund, _) = Refund::begin(facts, plan.clone(), RefundReason::Other.into(), |_| None);
        self.balance = self.balance.begin(plan.requested).unwrap();
        for ordinal in refund.legs().iter().map(|leg| leg.ordinal).collect::<Vec<_>>() {
            let is_failing = failing.contains(&ordinal.unwrap_or(1));
            self.move_money(&mut refund, ordinal, is_failing);
        }
        let lines = RemainingLines::of(&self.lines, self.rate.as_ref(), &self.credits);
        let end = refund.end(lines.as_ref(), self.now).unwrap();
        self.balance = self.balance.end(plan.requested, end.returned, end.undocumented).unwrap();
        self.tip -= end.returned.voluntary_tip;
        self.undocumented = end.undocumented;
        self.credits.extend(end.note.iter().flat_map(|note| note.lines.clone()));
        self.notes.extend(end.note.clone());
        self.refunds.push(refund);
        if request.selection == RefundSelection::Retry {
            self.retried.extend(retried);
        }
        Ok((plan, end))
    }

    fn move_money(&mut self, refund: &mut Refund, ordinal: Option<u8>, is_failing: bool) {
        let name: AttemptId = attempt(1000 + u32::from(ordinal.unwrap_or(0)));
        let charge = self.charges.iter_mut().find(|charge| charge.ordinal == ordinal).unwrap();
        refund.open_call(charge, name.clone(), &TERMS, self.now).unwrap();
        let outcome = match is_failing {
            true => RefundOutcome::Refused(RefundFailureCode::DeclinedByProvider),
            false => RefundOutcome::Approved(None),
        };
        refund.apply_outcome(ordinal, &name, outcome.clone(), self.now).unwrap();
        // A refused void is followed by a refund.
        if refund.open_call(charge, name.clone(), &TERMS, self.now).is_some() {
            refund.apply_outcome(ordinal, &name, outcome, self.now).unwrap();
        }
        let leg = refund.leg(ordinal).unwrap();
        let result = if is_failing { LegResult::NotReturned } else { LegResult::Returned };
        self.balance = self.balance.end_leg(leg.amount, result).unwrap();
        if !is_failing {
            charge.returned += leg.amount;
            charge.is_refunded_at_provider = true;
        }
    }
}

pub(crate) fn request(selection: RefundSelection) -> RefundDraft {
    RefundDraft { selection, settlement: RefundSettlement::Acquirer, parts: None, acknowledges_itbis_loss: false }
}
