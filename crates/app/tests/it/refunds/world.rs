//! A store of one sale behind the mocked ports, and an acquirer with scripted responses.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard},
};

use app::{Caller, CreateRefund, Error, Ports, Rendered, Response};
use chrono::TimeDelta;
use domain::{
    AttemptId, FiscalDocument, Payment, PaymentId, Refund,
    attempt::{Attempt, AttemptState},
    credential::Role,
    fiscal::DocumentKind,
    refund::{
        AcquirerReference, LegStatus, RefundDraft, RefundFailureCode, RefundReason, RefundRecord, RefundSelection,
        RefundSettlement, RefundStatus, RefundTerms, RefundedSale,
    },
    sale::Sale,
};
use ports::{RefundLookup, RefundResponse, ReturnMethod, Setup};
use testkit::{memory::TestClock, sample};

use super::rows::{Refusal, Rows};
use crate::support::{Mocks, keyed};

pub(crate) const TERMS: RefundTerms =
    RefundTerms { void_window: TimeDelta::minutes(19), refund_days: 180, allows_multiple: true };

pub(crate) struct World {
    rows: Arc<Mutex<Rows>>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) ports: Ports,
}

impl World {
    pub(crate) fn of(sale: Sale) -> Self {
        Self::with(sale, |_| {})
    }

    /// A world with further expectations of its mocks.
    pub(crate) fn with(sale: Sale, prepare: impl FnOnce(&mut Mocks)) -> Self {
        let attempts = charges_of(&sale);
        let rows = Rows {
            sale: RefundedSale { sale, refunds: Vec::new(), notes: Vec::new() },
            attempts,
            key: None,
            commits: Vec::new(),
            refusals: VecDeque::new(),
            responses: VecDeque::new(),
            look_ups: VecDeque::new(),
            requests: Vec::new(),
            listed: Vec::new(),
            swept: Vec::new(),
        };
        let rows = Arc::new(Mutex::new(rows));
        let mut mocks = Mocks::default();
        prepare(&mut mocks);
        expect_setup(&mut mocks);
        expect_store(&mut mocks, &rows);
        expect_acquirer(&mut mocks, &rows);
        let clock = mocks.clock.clone();
        Self { rows, clock, ports: mocks.into_ports() }
    }

    pub(crate) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap()
    }

    /// The acquirer responds so, in this order.
    pub(crate) fn responds(&self, responses: impl IntoIterator<Item = RefundResponse>) -> &Self {
        self.rows().responses.extend(responses);
        self
    }

    pub(crate) fn finds(&self, look_ups: impl IntoIterator<Item = RefundLookup>) -> &Self {
        self.rows().look_ups.extend(look_ups);
        self
    }

    /// The commit after so many others is refused.
    pub(crate) fn refuses(&self, after: usize, refusal: Refusal) -> &Self {
        let mut refusals: VecDeque<_> = std::iter::repeat_n(None, after).collect();
        refusals.push_back(Some(refusal));
        self.rows().refusals = refusals;
        self
    }

    pub(crate) async fn create(&self, draft: RefundDraft) -> Result<Response, Error> {
        self.send(command(draft)).await
    }

    pub(crate) async fn send(&self, command: CreateRefund) -> Result<Response, Error> {
        app::create_refund(&self.ports, &admin(), &keyed(), command, &render).await
    }

    /// Runs the due steps of the `n`th refund after so many seconds.
    pub(crate) async fn settle(&self, n: usize, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
        let id = self.refund(n).facts.id.clone();
        self.rows().commits.clear();
        self.run(ports::Work::Refund(sample::tenant(), id)).await;
    }

    /// Runs one item of due work.
    pub(crate) async fn run(&self, work: ports::Work) {
        let mut queue = ports::MockWorkQueue::new();
        queue.expect_claim().return_once(move |_, _, _| Ok(vec![work]));
        queue.expect_due_renders().returning(|_, _, _| Ok(Vec::new()));
        queue.expect_head_of_queue().returning(|_, _| Ok(None));
        let postponed = Arc::new(Mutex::new(0));
        let counted = postponed.clone();
        queue.expect_postpone().returning(move |_, _| {
            *counted.lock().unwrap() += 1;
            Ok(())
        });
        let ports = Ports { work: Arc::new(queue), ..self.ports.clone() };
        app::run_due_work(&ports, 20).await.unwrap();
        assert_eq!(*postponed.lock().unwrap(), 0, "the step failed");
    }

    pub(crate) fn refund(&self, n: usize) -> Refund {
        self.rows().sale.refunds[n - 1].clone()
    }

    pub(crate) fn status(&self, n: usize) -> RefundStatus {
        self.refund(n).status()
    }

    pub(crate) fn legs(&self, n: usize) -> Vec<LegStatus> {
        self.refund(n).legs().iter().map(|leg| leg.status()).collect()
    }

    pub(crate) fn note(&self, n: usize) -> Option<FiscalDocument> {
        let rows = self.rows();
        let id = rows.sale.refunds[n - 1].facts.id.clone();
        rows.sale.note_of(&id).cloned()
    }

    /// Events of all commits, in order.
    pub(crate) fn events(&self) -> Vec<&'static str> {
        self.rows().commits.iter().flat_map(|commit| &commit.events).map(|event| event.kind.as_str()).collect()
    }

    /// Kind and state of each void and refund attempt, in order.
    pub(crate) fn attempts(&self) -> Vec<(&'static str, &'static str)> {
        let rows = self.rows();
        let own = rows.attempts.iter().filter(|attempt| attempt.refund.is_some());
        own.map(|attempt| (attempt.kind.as_str(), attempt.state.as_str())).collect()
    }

    pub(crate) fn methods(&self) -> Vec<ReturnMethod> {
        self.rows().requests.iter().map(|request| request.method).collect()
    }

    pub(crate) fn commits(&self) -> usize {
        self.rows().commits.len()
    }

    /// Number of requests that reached the acquirer.
    pub(crate) fn requests(&self) -> usize {
        self.rows().requests.len()
    }

    pub(crate) fn refunds(&self) -> usize {
        self.rows().sale.refunds.len()
    }

    /// Refunded, pending and refundable money.
    pub(crate) fn sums(&self) -> (i64, i64, i64) {
        let summary = self.rows().sale.sale.payment.refund_summary().unwrap();
        (summary.refunded.minor_units(), summary.pending.minor_units(), summary.refundable.minor_units())
    }
}

/// Returns the approved attempts of the sale: the sale, or holds and captures.
fn charges_of(sale: &Sale) -> Vec<Attempt> {
    let approved =
        |attempt: Attempt, reference: String| attempt.resolved(AttemptState::Approved, Some(reference), sample::noon());
    match sale.payment.split() {
        None => vec![approved(sample::attempt(1), "sale-1".to_owned())],
        Some(split) => split
            .parts()
            .iter()
            .flat_map(|part| {
                let of = |place, kind| Attempt {
                    amount: part.share.amount,
                    ..sample::part_attempt(1, part.ordinal, place, kind)
                };
                let hold =
                    approved(of(1, domain::attempt::AttemptKind::Authorization), format!("hold-{}", part.ordinal));
                let capture =
                    approved(of(2, domain::attempt::AttemptKind::Capture), format!("capture-{}", part.ordinal));
                [hold, capture]
            })
            .collect(),
    }
}

fn expect_setup(mocks: &mut Mocks) {
    mocks.merchants.expect_setup().returning(|_| {
        let domain::sale::SaleContext { profile, accounts, mut issuer, .. } = sample::sale_context();
        issuer.ranges.push(sample::range(DocumentKind::CreditNote));
        Ok(Setup { profile: Some(profile), accounts, issuer, ..Setup::default() })
    });
}

fn expect_store(mocks: &mut Mocks, rows: &Arc<Mutex<Rows>>) {
    let shared = || rows.clone();
    let of = shared();
    mocks.sales.expect_find_attempt().returning(move |_, id| Ok(attempt_of(&of.lock().unwrap(), id)));
    let of = shared();
    mocks.sales.expect_commit().returning(move |commit| of.lock().unwrap().commit(commit));
    let of = shared();
    mocks.sales.expect_find_by_document().returning(move |_, id| {
        let rows = of.lock().unwrap();
        let sale = &rows.sale.sale;
        let mut documents = std::iter::once(&sale.document).chain(&rows.sale.notes);
        let found = documents.find(|document| document.facts.id == *id);
        Ok(found.map(|document| Sale { payment: sale.payment.clone(), document: document.clone() }))
    });
    let of = shared();
    mocks.refunds.expect_find().returning(move |_, id| Ok(of.lock().unwrap().sale.record(id)));
    let of = shared();
    mocks.refunds.expect_refunded_sale().returning(move |_, id| {
        let rows = of.lock().unwrap();
        Ok((rows.sale.sale.payment.facts.id == *id).then(|| rows.sale.clone()))
    });
    let of = shared();
    mocks.refunds.expect_charges().returning(move |_, _: &PaymentId| {
        use domain::attempt::AttemptKind::{Capture, Sale};
        let is_charge = |attempt: &&Attempt| matches!(attempt.kind, Capture | Sale);
        Ok(of.lock().unwrap().attempts.iter().filter(is_charge).cloned().collect())
    });
    let of = shared();
    mocks.refunds.expect_attempts().returning(move |_, id| {
        let of_refund = |attempt: &&Attempt| attempt.refund.as_ref() == Some(id);
        Ok(of.lock().unwrap().attempts.iter().filter(of_refund).cloned().collect())
    });
    let of = shared();
    mocks.refunds.expect_attempts_matching().returning(move |_, _, clues| {
        let rows = of.lock().unwrap();
        let is_named = |attempt: &&Attempt| attempt.id.as_str() == clues.attempt;
        Ok(rows.attempts.iter().filter(is_named).cloned().collect())
    });
    let of = shared();
    mocks.refunds.expect_accounts_to_sweep().returning(move |claim| {
        let rows = of.lock().unwrap();
        let account = ports::SweptAccount {
            tenant: sample::tenant(),
            account: sample::account_id(1),
            provider: domain::account::Provider::Simulator,
            from: rows.swept.last().copied(),
        };
        Ok((rows.swept.last() != Some(&claim.day)).then_some(account).into_iter().collect())
    });
    let of = shared();
    mocks.refunds.expect_swept().returning(move |_, before| {
        of.lock().unwrap().swept.push(before);
        Ok(())
    });
    let of = shared();
    mocks.idempotency.expect_find().returning(move |_, _| Ok(of.lock().unwrap().key.clone()));
}

fn attempt_of(rows: &Rows, id: &AttemptId) -> Option<Attempt> {
    rows.attempts.iter().find(|attempt| attempt.id == *id).cloned()
}

fn expect_acquirer(mocks: &mut Mocks, rows: &Arc<Mutex<Rows>>) {
    mocks.provider.expect_refund_terms().returning(|_| TERMS);
    let of = rows.clone();
    mocks.provider.expect_refund().returning(move |request| {
        let mut rows = of.lock().unwrap();
        let attempt = attempt_of(&rows, &request.attempt.attempt).expect("the attempt is durable before its request");
        assert_eq!((attempt.state, attempt.amount), (AttemptState::Open, request.amount));
        assert!(rows.requests.iter().all(|earlier| earlier.attempt != request.attempt), "each attempt is sent once");
        rows.requests.push(request);
        rows.responses.pop_front().expect("the test scripts every response")
    });
    let of = rows.clone();
    mocks.provider.expect_look_up_refund().returning(move |_| {
        let mut rows = of.lock().unwrap();
        let next = rows.look_ups.front().cloned().expect("the test scripts the look-ups");
        if rows.look_ups.len() > 1 {
            rows.look_ups.pop_front();
        }
        next
    });
    let of = rows.clone();
    mocks.provider.expect_list_returns().returning(move |_, day| {
        let is_first_day = domain::fiscal::local_date(sample::noon()) == day;
        Ok(if is_first_day { of.lock().unwrap().listed.clone() } else { Vec::new() })
    });
}

pub(crate) fn admin() -> Caller {
    let key = domain::credential::MerchantKey { role: Role::Admin, ..sample::merchant_key(1) };
    Caller::Merchant { key, is_live_enabled: false }
}

pub(crate) fn draft(selection: RefundSelection) -> RefundDraft {
    RefundDraft { selection, settlement: RefundSettlement::Acquirer, parts: None, acknowledges_itbis_loss: false }
}

pub(crate) fn all() -> RefundDraft {
    draft(RefundSelection::All)
}

pub(crate) fn amount(minor_units: i64) -> RefundDraft {
    draft(RefundSelection::Amount(pesos(minor_units), None))
}

pub(crate) const fn pesos(minor_units: i64) -> domain::Money {
    domain::Money::new(minor_units, domain::Currency::Dop)
}

pub(crate) fn command(draft: RefundDraft) -> CreateRefund {
    CreateRefund {
        payment: sample::payment_id(1),
        draft,
        retried: None,
        purpose: RefundReason::Returned.into(),
        refund_reference: None,
        settlement_reference: None,
        metadata: None,
    }
}

/// Status of the refund, as the body.
pub(crate) fn render(_: &Payment, record: &RefundRecord) -> Rendered {
    let status = record.refund.status().as_str();
    Rendered { status: 201, etag: None, body: status.as_bytes().to_vec() }
}

pub(crate) fn approved(method: ReturnMethod) -> RefundResponse {
    RefundResponse::Approved { method, reference: reference("return-1") }
}

pub(crate) fn reference(text: &str) -> Option<AcquirerReference> {
    AcquirerReference::parse(text)
}

pub(crate) const DECLINED: RefundResponse = RefundResponse::Refused(RefundFailureCode::DeclinedByProvider);
