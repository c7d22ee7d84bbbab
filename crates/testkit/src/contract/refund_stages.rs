use domain::{
    Currency, Refund,
    account::AccountSelector,
    fiscal::ExchangeRate,
    money::AmountLimits,
    payment::ProviderOutcome,
    refund::{
        LineKey, LinePart, LineSelection, RefundDraft, RefundFacts, RefundFailureCode, RefundOutcome, RefundSelection,
        RefundSettlement, RefundState, RefundedSale,
    },
    sale::Sale,
    split::CaptureOutcome,
    text::{BoundedText, Prose},
};

use crate::sample::{
    self, attempt_id, begin_refund, call_leg, noon, not_refunded, refund_draft, refund_facts, refund_id, refund_of,
};

/// Sales with refunds of every shape; the refunds of the `n`th sale are numbered from 10 n.
pub fn refund_stages() -> Vec<RefundedSale> {
    let whole: [fn(u32) -> RefundedSale; 10] = [
        |n| begun(n, &refund_draft(RefundSelection::All)),
        |n| begun(n, &refund_of(500_00)),
        |n| begun(n, &refund_draft(by_line(LinePart::Net(333_33)))),
        described,
        |n| begun(n, &RefundDraft { settlement: RefundSettlement::Outside, ..refund_of(500_00) }),
        |n| called(n, None),
        |n| called(n, Some(RefundOutcome::Ambiguous)),
        |n| called(n, Some(RefundOutcome::Approved(BoundedText::parse("rrn «1»")))),
        |n| called(n, Some(RefundOutcome::NotSubmitted)),
        retried,
    ];
    let others: [fn(u32) -> RefundedSale; 5] =
        [in_part, found, found_in_excess, attributed_without_document, in_dollars];
    (1..).zip(whole.into_iter().chain(others)).map(|(n, stage)| stage(n)).collect()
}

/// Identifier of the `place`th refund of the `n`th sale.
pub(super) const fn number(n: u32, place: u32) -> u32 {
    10 * n + place
}

fn begun(n: u32, draft: &RefundDraft) -> RefundedSale {
    let mut file = not_refunded(sample::issued(n));
    let facts = RefundFacts { settlement: draft.settlement, ..refund_facts(&file.sale, number(n, 1)) };
    begin_refund(&mut file, number(n, 1), facts, draft);
    file
}

fn by_line(part: LinePart) -> RefundSelection {
    RefundSelection::Lines(vec![LineSelection { line: LineKey::Number(1), part }], None)
}

/// With every optional fact, in unusual texts.
fn described(n: u32) -> RefundedSale {
    let odd = "  ñ «'\"\\» 🍤 e\u{301} %_$1 ?  ";
    let mut file = not_refunded(sample::issued(n));
    let facts = RefundFacts {
        settlement: RefundSettlement::Outside,
        settlement_reference: BoundedText::parse(odd),
        refund_reference: BoundedText::parse(odd),
        metadata: Some(vec![
            ("z".to_owned(), Prose::parse("two\nlines\tand more").expect("prose")),
            (odd.to_owned(), Prose::parse("").expect("prose")),
        ]),
        ..refund_facts(&file.sale, number(n, 1))
    };
    let draft = RefundDraft { settlement: RefundSettlement::Outside, ..refund_of(500_00) };
    begin_refund(&mut file, number(n, 1), facts, &draft);
    let refund = file.refunds.pop().expect("one refund");
    let state = RefundState { description: BoundedText::parse(odd), ..refund.state().clone() };
    file.refunds.push(Refund::restore(refund.facts, state));
    file
}

/// A refund of the whole sale; its call is open or has this outcome.
fn called(n: u32, outcome: Option<RefundOutcome>) -> RefundedSale {
    let mut file = begun(n, &refund_draft(RefundSelection::All));
    let (number, attempt) = (number(n, 1), attempt_id(700 + n));
    call_leg(&mut file, (number, &refund_id(number)), (None, &attempt), outcome);
    file
}

/// A refund that was refused, and its retry.
fn retried(n: u32) -> RefundedSale {
    let mut file = not_refunded(sample::issued(n));
    let id = refund_id(number(n, 1));
    let first = refund_facts(&file.sale, number(n, 1));
    begin_refund(&mut file, number(n, 1), first, &refund_of(500_00));
    let refused = RefundOutcome::Refused(RefundFailureCode::InsufficientMerchantFunds);
    call_leg(&mut file, (number(n, 1), &id), (None, &attempt_id(700 + n)), Some(refused));
    let facts = RefundFacts { retried: Some(id), ..refund_facts(&file.sale, number(n, 2)) };
    begin_refund(&mut file, number(n, 2), facts, &refund_draft(RefundSelection::Retry));
    file
}

/// A split whose completed parts are returned: one leg succeeded, one failed.
fn in_part(n: u32) -> RefundedSale {
    let mut file = not_refunded(captured_split(n));
    let facts = refund_facts(&file.sale, number(n, 1));
    begin_refund(&mut file, number(n, 1), facts, &refund_draft(RefundSelection::All));
    let id = refund_id(number(n, 1));
    let outcomes = [RefundOutcome::Approved(None), RefundOutcome::Refused(RefundFailureCode::WindowElapsed)];
    for (ordinal, outcome) in (1..).zip(outcomes) {
        let attempt = attempt_id(700 + 10 * n + u32::from(ordinal));
        // A refused void is followed by a refund.
        call_leg(&mut file, (number(n, 1), &id), (Some(ordinal), &attempt), Some(outcome.clone()));
        if matches!(outcome, RefundOutcome::Refused(_)) {
            let attempt = attempt_id(800 + 10 * n + u32::from(ordinal));
            call_leg(&mut file, (number(n, 1), &id), (Some(ordinal), &attempt), Some(outcome));
        }
    }
    file
}

/// The `n`th sale, split among two who have both paid at [`noon`].
fn captured_split(n: u32) -> Sale {
    let mut sale = sample::authorized_split(n, 2);
    sale.capture(noon()).expect("reserved funds are captured");
    for ordinal in 1..=2 {
        let attempt = sample::part_attempt_id(n, ordinal, 2);
        sale.begin_call(ordinal, attempt.clone(), noon()).expect("a capture is due");
        sale.apply_capture(&attempt, CaptureOutcome::Captured, noon()).expect("an open call has an outcome");
    }
    sale
}

/// Money that was found at the acquirer.
fn found(n: u32) -> RefundedSale {
    let mut file = not_refunded(sample::issued(n));
    sample::find_return(&mut file, number(n, 1), (None, 640_00), &format!("found {n}"));
    file
}

/// Money that was found at the acquirer beyond the charge.
fn found_in_excess(n: u32) -> RefundedSale {
    let mut file = not_refunded(sample::issued(n));
    sample::find_return(&mut file, number(n, 1), (None, 1_280_01), &format!("found {n}"));
    file
}

/// Money of a payment without document that was found at the acquirer.
fn attributed_without_document(n: u32) -> RefundedSale {
    let mut file = not_refunded(sample::left_in_part(n));
    sample::find_return(&mut file, number(n, 1), (Some(1), 640_00), &format!("found {n}"));
    file
}

/// A sale in dollars, of which a line is returned in part.
fn in_dollars(n: u32) -> RefundedSale {
    let mut context = sample::sale_context();
    context.accounts[0].currencies.push(Currency::Usd);
    let (day, source) = (sample::today(), BoundedText::parse("Banco Central").expect("a line"));
    context.rate = ExchangeRate::new(Currency::Usd, 58_1234, day, source, day);
    let mut draft = sample::draft();
    draft.amount.currency = "USD".to_owned();
    let (selector, limits) = (AccountSelector::default(), AmountLimits::default());
    let mut sale = draft.open(sample::sale_ids(n), &context, &selector, &limits, noon()).expect("there is a rate");
    sale.submit(attempt_id(n), sample::card(), noon()).expect("an open sale takes a card");
    sale.apply_outcome(&attempt_id(n), ProviderOutcome::Approved, noon()).expect("a submitted card has an outcome");
    let mut file = not_refunded(sale);
    let facts = RefundFacts { settlement: RefundSettlement::Outside, ..refund_facts(&file.sale, number(n, 1)) };
    let draft = RefundDraft { settlement: RefundSettlement::Outside, ..refund_draft(by_line(LinePart::Net(333_33))) };
    begin_refund(&mut file, number(n, 1), facts, &draft);
    file
}
