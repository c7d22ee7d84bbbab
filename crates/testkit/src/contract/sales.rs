//! Payments, documents and attempts, and the commit that changes them.

use chrono::TimeDelta;
use domain::{
    Currency, Event, EventKind,
    account::AccountSelector,
    attempt::{Attempt, AttemptState},
    fiscal::{Buyer, DocumentKind, ExchangeRate, GovernmentEligibility, MAX_UNIT_PRICE, TaxId},
    money::AmountLimits,
    payment::{AuthReturn, DeclineCode},
    sale::{Sale, SaleDraft},
    text::{BoundedText, Email, Prose, WebUrl},
};
use ports::Committed;

use super::{Stores, document_stages, payment_stages};
use crate::sample::{self, attempt_id, noon, symbols, tenant};

/// A payment of any stage is stored, both new and changed.
pub async fn every_stage_of_a_payment_comes_back(stores: &Stores) {
    for (n, sale) in (1000..).zip(payment_stages()) {
        comes_back(stores, &sale, n).await;
    }
}

/// A document of any stage is stored, both new and changed.
pub async fn every_stage_of_a_document_comes_back(stores: &Stores) {
    for (n, sale) in (1000..).zip(document_stages()) {
        comes_back(stores, &sale, n).await;
    }
}

/// Unusual texts are stored verbatim.
pub async fn odd_texts_come_back_verbatim(stores: &Stores) {
    let odd = "  ñ «'\"\\» 🍤 e\u{301} %_$1 ?  ";
    let mut draft = sample::draft();
    draft.sale_reference = BoundedText::parse(odd).expect("a line");
    draft.service_label = BoundedText::parse("");
    draft.description = BoundedText::parse(odd);
    draft.return_url = WebUrl::parse("https://tienda.example/vuelta?a=1&b=%20#x");
    draft.metadata = Some(vec![
        ("z".to_owned(), Prose::parse("two\nlines\tand more").expect("prose")),
        (odd.to_owned(), Prose::parse("").expect("prose")),
        ("a".to_owned(), Prose::parse(odd).expect("prose")),
    ]);
    let document = &mut draft.document;
    document.delivery_email = Email::parse("ñandú+1@correo.example");
    document.allowed_kinds = Some(DocumentKind::SALE.to_vec());
    document.kind = DocumentKind::Government;
    document.government = Some(GovernmentEligibility { authority_reference: BoundedText::parse(odd).expect("a line") });
    document.buyer_tax_id = BoundedText::parse("1-01-85004-3");
    document.lines[0].description = BoundedText::parse(odd).expect("a line");
    document.lines[0].group = BoundedText::parse(odd);

    let mut sale = open(draft, 1);
    let mut content = sale.document.content().clone();
    content.buyer = Some(Buyer {
        legal_name: Some("ÑANDÚ & HIJOS, S.R.L.".to_owned()),
        address: BoundedText::parse(odd),
        contact_name: BoundedText::parse(odd),
        email: Email::parse("a@b.do"),
        ..Buyer::new(TaxId::parse("101850043").expect("a registered number"))
    });
    sale.document.change_content(content, noon()).expect("a requested document is changed");

    comes_back(stores, &sale, 1000).await;
}

/// The largest and the smallest amounts are stored exactly.
pub async fn the_largest_amounts_come_back(stores: &Stores) {
    for (n, minor_units) in [(1, MAX_UNIT_PRICE), (2, MAX_UNIT_PRICE - 1), (3, 1)] {
        let mut draft = sample::draft();
        draft.document.lines = vec![sample::line(minor_units)];
        draft.document.lines[0].is_legal_tip_applicable = false;
        let total = domain::fiscal::Breakdown::of(&draft.document.lines, false).expect("a valid line");
        draft.amount.minor_units = total.total_minor_units;
        draft.document.buyer_tax_id = BoundedText::parse("101850043");

        comes_back(stores, &open(draft, n), n + 1000).await;
    }
}

/// A sale in dollars is stored with the rate.
pub async fn a_sale_in_dollars_comes_back(stores: &Stores) {
    let mut context = sample::sale_context();
    context.accounts[0].currencies.push(Currency::Usd);
    let (day, source) = (sample::today(), BoundedText::parse("Banco Central, «venta»").expect("a line"));
    context.rate = ExchangeRate::new(Currency::Usd, 58_1234, day, source, day + TimeDelta::days(6));
    let mut draft = sample::draft();
    draft.amount.currency = "USD".to_owned();
    let (wish, limits) = (AccountSelector::default(), AmountLimits::default());
    let sale = draft.open(sample::sale_ids(1), &context, &wish, &limits, noon()).expect("there is a rate");

    stores.commit(sample::creation(&sale)).await;

    let found = stores.reload(&sale).await.expect("the sale is there");
    assert_eq!(found, sale);
    assert_eq!(found.document.facts.rate, context.rate);
}

/// A sale is found by payment, document, receipt and link.
pub async fn a_sale_is_found_by_each_of_its_names(stores: &Stores) {
    let sale = sample::sale(1);
    stores.create([&sale, &sample::sale(2)]).await;

    let (sales, facts) = (&stores.sales, &sale.payment.facts);
    let found = [
        sales.find(&tenant(), &facts.id).await,
        sales.find_by_document(&tenant(), &facts.document).await,
        sales.find_by_reference(&tenant(), &facts.checkout_reference).await,
        sales.find_by_receipt(&facts.checkout_reference).await,
        sales.find_by_link(&facts.checkout_link).await,
    ];

    for found in found {
        assert_eq!(found.expect("the store answers"), Some(sale.clone()));
    }
}

/// Of two commits based on the same version the second is refused without effect.
pub async fn a_second_decision_on_one_version_is_stale(stores: &Stores) {
    let before = sample::sale(1);
    let (mut canceled, mut submitted) = (before.clone(), before.clone());
    canceled.cancel(noon()).expect("an open sale is canceled");
    submitted.submit(attempt_id(1), sample::card(), noon()).expect("an open sale takes a card");
    stores.commit(sample::creation(&before)).await;

    stores.commit(sample::update(&before, &canceled)).await;
    stores.refuse(sample::update(&before, &submitted)).await;

    assert_eq!(stores.reload(&before).await, Some(canceled));
}

/// A commit of a new payment is refused if the payment exists.
pub async fn a_known_payment_is_not_made_again(stores: &Stores) {
    let paid = sample::paid(1);
    stores.commit(sample::creation(&paid)).await;

    stores.refuse(sample::creation(&sample::sale(1))).await;

    assert_eq!(stores.reload(&paid).await, Some(paid));
}

/// If only the document has changed, the payment is not written either.
pub async fn a_stale_document_refuses_the_whole_commit(stores: &Stores) {
    let before = sample::sale(1);
    let paid = sample::paid(1);
    stores.commit(sample::creation(&before)).await;
    let mut commit = sample::update(&before, &paid);
    for document in &mut commit.documents {
        document.based_on = Some(41);
    }
    commit.attempts = vec![sample::attempt(1)];
    commit.token = Some(sample::token(1));
    commit.events = vec![Event::new(EventKind::PaymentSucceeded)];

    stores.refuse(commit).await;

    assert_eq!(stores.reload(&before).await, Some(before));
    let attempt = stores.sales.find_attempt(&tenant(), &attempt_id(1)).await.expect("the store answers");
    assert_eq!(attempt, None);
    assert_eq!(stores.credentials.find_token(&sample::digest(1)).await.expect("the store answers"), None);
}

/// An attempt is stored with any result.
pub async fn an_attempt_comes_back_resolved(stores: &Stores) {
    let states = [
        AttemptState::Open,
        AttemptState::Unknown,
        AttemptState::Approved,
        AttemptState::Declined(DeclineCode::CardExpired),
        AttemptState::NotSubmitted,
        AttemptState::NotExecuted,
        AttemptState::Reversed,
    ];
    for (n, state) in (1..).zip(states) {
        let sale = sample::sale(n);
        // New payment and attempt in one commit.
        stores.commit(ports::Commit { attempts: vec![sample::attempt(n)], ..sample::creation(&sale) }).await;

        let resolved = sample::attempt(n).resolved(state, Some(format!("reference {n}")), noon());
        stores.commit(ports::Commit { attempts: vec![resolved.clone()], ..sample::empty_commit(&sale) }).await;

        let found = stores.sales.find_attempt(&tenant(), &attempt_id(n)).await.expect("the store answers");
        assert_eq!(found, Some(resolved));
    }
}

/// The secret of a challenge finds its attempt in any state, and every return of the browser is recorded.
pub async fn an_attempt_is_found_by_the_secret_of_its_challenge(stores: &Stores) {
    let sale = sample::sale(1);
    let attempt = Attempt { link: Some(symbols(7)), ..sample::attempt(1) };
    stores.commit(ports::Commit { attempts: vec![attempt.clone()], ..sample::creation(&sale) }).await;
    let resolved = attempt.resolved(AttemptState::NotExecuted, None, noon());
    stores.commit(ports::Commit { attempts: vec![resolved.clone()], ..sample::empty_commit(&sale) }).await;
    for is_applied in [true, false, false] {
        let returned =
            Some(ports::BrowserReturn { attempt: attempt_id(1), kind: AuthReturn::ChallengeDone, is_applied });
        stores.commit(ports::Commit { returned, ..sample::empty_commit(&sale) }).await;
    }

    let found = stores.sales.find_challenged(&symbols(7)).await.expect("the store answers");
    let nothing = stores.sales.find_challenged(&symbols(8)).await.expect("the store answers");

    assert_eq!(found, Some((tenant(), resolved)));
    assert_eq!(nothing, None);
}

/// A payment has at most one open or ambiguous submission.
pub async fn a_payment_has_one_attempt_at_a_time(stores: &Stores) {
    let sale = sample::sale(1);
    let second = domain::attempt::Attempt { id: attempt_id(2), number: 2, ..sample::attempt(1) };
    stores.commit(ports::Commit { attempts: vec![sample::attempt(1)], ..sample::creation(&sale) }).await;

    stores.refuse(ports::Commit { attempts: vec![second.clone()], ..sample::empty_commit(&sale) }).await;
    let first = sample::attempt(1).resolved(AttemptState::Declined(DeclineCode::DoNotHonor), None, noon());
    stores.commit(ports::Commit { attempts: vec![first], ..sample::empty_commit(&sale) }).await;
    stores.commit(ports::Commit { attempts: vec![second], ..sample::empty_commit(&sale) }).await;
}

/// A transaction of the provider approves one attempt: a second approval is `KnownTransaction`.
pub async fn a_transaction_approves_one_attempt(stores: &Stores) {
    for n in [1, 2] {
        stores.commit(ports::Commit { attempts: vec![sample::attempt(n)], ..sample::creation(&sample::sale(n)) }).await;
    }
    let approved = |n| {
        let attempt = sample::attempt(n).resolved(AttemptState::Approved, Some("44772544".to_owned()), noon());
        ports::Commit { attempts: vec![attempt], ..sample::empty_commit(&sample::sale(n)) }
    };

    stores.commit(approved(1)).await;
    let same = stores.sales.commit(approved(1)).await;
    let other = stores.sales.commit(approved(2)).await;

    assert!(matches!(same, Ok(Committed::Done)), "{same:?}");
    assert!(matches!(other, Ok(Committed::KnownTransaction)), "{other:?}");
}

fn open(draft: SaleDraft, n: u32) -> Sale {
    let limits = AmountLimits { dop: (1, i64::MAX), ..AmountLimits::default() };
    draft
        .open(
            sample::sale_ids(n),
            &sample::sale_context(),
            &domain::account::AccountSelector::default(),
            &limits,
            noon(),
        )
        .unwrap_or_else(|refusal| panic!("the draft is valid: {refusal:?}"))
}

/// Commits `sale` as new, and the `n`th sale as new and then changed into a copy of `sale`.
pub(super) async fn comes_back(stores: &Stores, sale: &Sale, n: u32) {
    stores.commit(sample::creation(sale)).await;
    assert_eq!(stores.reload(sale).await.as_ref(), Some(sale));

    let before = sample::sale(n);
    let after = Sale {
        payment: domain::Payment::restore(before.payment.facts.clone(), sale.payment.state().clone()),
        document: domain::FiscalDocument::restore(before.document.facts.clone(), sale.document.state().clone()),
    };
    stores.commit(sample::creation(&before)).await;
    stores.commit(sample::update(&before, &after)).await;
    assert_eq!(stores.reload(&after).await.as_ref(), Some(&after));
}
