use chrono::TimeDelta;
use domain::{
    AttemptId, Currency, Event, FiscalDocument, FiscalDocumentId, Money, Refund, RefundId,
    refund::{
        AccountState, FoundMoney, LegMethod, RefundConditions, RefundDraft, RefundFacts, RefundOrigin, RefundOutcome,
        RefundPlan, RefundReason, RefundSelection, RefundSettlement, RefundTerms, RefundedSale,
    },
    sale::Sale,
    text::BoundedText,
};
use ports::{Change, Commit};

use super::{card, document_id, empty_commit, noon, refund_id};

/// Conditions of an account that may refund through the acquirer, with numbers for credit notes.
const CONDITIONS: RefundConditions =
    RefundConditions { terms: refund_terms(), account: AccountState { can_issue_notes: true, can_use_acquirer: true } };

/// Terms of an acquirer that takes several refunds of a charge.
pub const fn refund_terms() -> RefundTerms {
    RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 180, allows_multiple: true }
}

/// A request through the acquirer.
pub const fn refund_draft(selection: RefundSelection) -> RefundDraft {
    RefundDraft { selection, settlement: RefundSettlement::Acquirer, parts: None, acknowledges_itbis_loss: false }
}

/// A request for this amount of the document, in pesos.
pub fn refund_of(minor_units: i64) -> RefundDraft {
    refund_draft(RefundSelection::Amount(Money::new(minor_units, Currency::Dop), None))
}

/// Facts of the `n`th refund of a sale, created at [`noon`].
pub fn refund_facts(sale: &Sale, n: u32) -> RefundFacts {
    let payment = &sale.payment.facts;
    RefundFacts {
        id: refund_id(n),
        payment: payment.id.clone(),
        merchant: payment.merchant.clone(),
        mode: payment.mode,
        account: payment.account.clone(),
        currency: payment.amount.currency(),
        origin: RefundOrigin::Merchant,
        settlement: RefundSettlement::Acquirer,
        settlement_reference: None,
        refund_reference: None,
        retried: None,
        metadata: None,
        original_issued_on: sale.document.stage().numbered().map(|numbered| numbered.issue_date),
        created_at: noon(),
    }
}

/// ID of the credit note of the `n`th refund.
pub fn note_id(n: u32) -> FiscalDocumentId {
    document_id(500_000 + n)
}

/// A sale without refunds.
pub const fn not_refunded(sale: Sale) -> RefundedSale {
    RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() }
}

/// Begins a refund of these facts; `n` is the number of the credit note.
pub fn begin_refund(file: &mut RefundedSale, n: u32, facts: RefundFacts, draft: &RefundDraft) -> Vec<Event> {
    let context = file.context(None, facts.retried.as_ref(), CONDITIONS, facts.created_at);
    let context = context.expect("the refunds agree with the sale");
    let plan = RefundPlan::decide(draft, &context).unwrap_or_else(|refusal| panic!("the sample is valid: {refusal:?}"));
    let now = facts.created_at;
    let begun = Refund::begin(facts, plan, RefundReason::Returned.into(), |_| Some(card()));
    file.begin(begun, note_id(n), now).expect("the money remains")
}

/// Opens the call of a leg, and applies an outcome, if there is one. `n` is the number of the credit note.
pub fn call_leg(
    file: &mut RefundedSale,
    (n, id): (u32, &RefundId),
    (ordinal, attempt): (Option<u8>, &AttemptId),
    outcome: Option<RefundOutcome>,
) -> Vec<Event> {
    let charges = file.charges(Some(id));
    let charge = charges.iter().find(|charge| charge.ordinal == ordinal).expect("a charge of that part");
    let before = file.refund(id).expect("a refund with that ID").clone();
    let refund = file.refund_mut(id).expect("a refund with that ID");
    refund.open_call(charge, attempt.clone(), &refund_terms(), noon()).expect("the call is due");
    let mut events: Vec<Event> = Vec::new();
    if let Some(outcome) = outcome {
        let progress = refund.apply_outcome(ordinal, attempt, outcome, noon()).expect("an open call has an outcome");
        events.extend(progress.events);
    }
    events.extend(file.settle_legs(&before, note_id(n), noon()).expect("the legs agree with the balance"));
    events
}

/// Records money that was found at the acquirer as the `n`th refund.
pub fn find_return(
    file: &mut RefundedSale,
    n: u32,
    (ordinal, amount): (Option<u8>, i64),
    reference: &str,
) -> Vec<Event> {
    let facts = RefundFacts { origin: RefundOrigin::Provider, ..refund_facts(&file.sale, n) };
    let money = FoundMoney {
        ordinal,
        amount,
        method: LegMethod::Refund,
        reference: BoundedText::parse(reference).expect("a reference"),
        late: None,
    };
    file.record_found(facts, money, note_id(n), CONDITIONS, noon()).expect("the payment has the charge")
}

/// A commit that changes `before` to `after`, in which one refund was created or changed.
pub fn refund_change(before: &RefundedSale, after: &RefundedSale, id: &RefundId, events: Vec<Event>) -> Commit {
    let payment = &after.sale.payment;
    let refund = after.refund(id).expect("a refund with that ID");
    let based_on = |was: Option<&FiscalDocument>| was.map(FiscalDocument::version);
    let documents = std::iter::once(&after.sale.document).chain(&after.notes).filter_map(|document| {
        let all = || std::iter::once(&before.sale.document).chain(&before.notes);
        let was = all().find(|was| was.facts.id == document.facts.id);
        let change = Change { to: document.clone(), based_on: based_on(was), lease_until: None };
        (was != Some(document)).then_some(change)
    });
    Commit {
        payment: Some(Change { to: payment.clone(), based_on: Some(before.sale.payment.version()), lease_until: None }),
        refund: Some(Change {
            to: refund.clone(),
            based_on: before.refund(id).map(|was| was.state().version),
            lease_until: None,
        }),
        documents: documents.collect(),
        events,
        ..empty_commit(&after.sale)
    }
}
