//! Numbers of refused documents: each is reused or annulled, and none is accepted twice.

mod restored;
mod scripted_authority;

use std::{collections::BTreeMap, sync::Arc};

use app::{
    Ports, correct_fiscal_document,
    operators::{
        AnnulmentOutcome, AnnulmentPorts, AnnulmentRequest, RangeReport, SetupError, annul_numbers, reissue_document,
        report_numbers,
    },
    submit_card,
};
use chrono::TimeDelta;
use domain::{
    FiscalDocument, FiscalDocumentId, PaymentId,
    fiscal::{
        AnnulmentState, AssignedNumber, DocumentKind, DocumentStatus, Environment, NumberFate, NumberRange,
        ProblemCode::{self, DocumentMalformed, TotalsRejected, UnclassifiedRejection},
    },
    sale::Correction,
    text::BoundedText,
};
use testkit::sample;

use crate::{
    crashes::{command, world::World},
    races::worlds,
    support::render,
};
use scripted_authority::{Decision, Fate, ScriptedAuthority};

const GOOD: &str = "4222220000000008";
const UNSPENT: Decision = Decision::Refuse { code: DocumentMalformed, is_number_spent: false };

/// Merchant with a scripted authority.
struct TestMerchant<'a> {
    world: &'a World,
    authority: Arc<ScriptedAuthority>,
    ports: Ports,
}

impl<'a> TestMerchant<'a> {
    fn new(world: &'a World, authority: ScriptedAuthority) -> Self {
        let authority = Arc::new(authority);
        let ports = Ports { authority: authority.clone(), ..world.ports(None) };
        Self { world, authority, ports }
    }

    /// Makes a sale, and runs the issuance for a minute.
    async fn sell(&self) -> PaymentId {
        let (payment, payer) = self.world.open_sale().await;
        let keyed = self.world.keyed_as(format!("{}-card", payment.as_str()));
        submit_card(&self.ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
        self.pass(TimeDelta::minutes(1)).await;
        payment
    }

    async fn pass(&self, time: TimeDelta) {
        World::pass(&self.world.clock, &self.ports, time).await;
    }

    async fn document(&self, payment: &PaymentId) -> FiscalDocument {
        self.world.sale(payment).await.document
    }

    async fn reissue(&self, id: &FiscalDocumentId) {
        reissue_document(&self.ports, &self.world.tenant, id).await.unwrap();
        self.pass(TimeDelta::minutes(1)).await;
    }

    /// The merchant's correction; a named buyer changes the kind of document.
    async fn correct(&self, id: &FiscalDocumentId, revision: u32, buyer: Option<&str>) {
        let draft = sample::draft().document;
        let correction = Correction {
            kind: if buyer.is_some() { DocumentKind::FiscalCredit } else { DocumentKind::Consumer },
            merchant_invoice_number: draft.merchant_invoice_number,
            merchant_order_number: draft.merchant_order_number,
            lines: draft.lines,
            buyer_tax_id: buyer.and_then(BoundedText::parse),
            listed_buyer: None,
            government: None,
        };
        let keyed = self.world.keyed_as(format!("{id}-correction-{revision}"));
        let caller = self.world.merchant();
        correct_fiscal_document(&self.ports, &caller, &keyed, id.as_str(), correction, &render).await.unwrap();
        self.pass(TimeDelta::minutes(1)).await;
    }

    async fn annul(&self, kind: DocumentKind, number: u64) -> Result<AnnulmentOutcome, SetupError> {
        let environment = Environment::PreCertification;
        let request = AnnulmentRequest { kind, environment, range: None, from: Some(number), to: None };
        let ports = AnnulmentPorts { ledger: &*self.world.stores.ledger, authority: &*self.authority };
        annul_numbers(&self.ports, ports, &self.world.tenant, request).await
    }

    /// Returns each assigned number, and the report of its range.
    async fn report(&self) -> (Vec<AssignedNumber>, Vec<RangeReport>) {
        let mut assigned = Vec::new();
        let mut visit = |_: &NumberRange, visited: app::operators::VisitedNumbers<'_>| {
            if let app::operators::VisitedNumbers::Assigned(it) = visited {
                assigned.push(it.clone());
            }
            Ok(())
        };
        let report = report_numbers(&*self.world.stores.ledger, &self.world.tenant, None, &mut visit).await.unwrap();
        (assigned, report.ranges)
    }

    async fn grant_credit(&self) {
        let grant = app::operators::Grant {
            kind: DocumentKind::FiscalCredit,
            first: 1,
            last: 100,
            valid_until: Some(sample::today() + TimeDelta::days(300)),
            environment: Environment::PreCertification,
        };
        app::operators::add_sequence(&self.ports, &self.world.tenant, grant).await.unwrap();
    }
}

fn issued(document: &FiscalDocument) -> (DocumentStatus, u32, &str) {
    let number = document.stage().numbered().map_or("", |it| it.number.as_str());
    (document.status(), document.state().revision, number)
}

#[tokio::test]
async fn a_document_is_reissued_under_its_unspent_number() {
    for world in worlds().await {
        let merchant = TestMerchant::new(&world, ScriptedAuthority::with([UNSPENT, UNSPENT]));
        let payment = merchant.sell().await;
        let refused = merchant.document(&payment).await;

        merchant.reissue(&refused.facts.id).await;
        merchant.world.clock.advance(TimeDelta::days(1));
        merchant.reissue(&refused.facts.id).await;

        assert_eq!(refused.status(), DocumentStatus::Rejected);
        let document = merchant.document(&payment).await;
        assert_eq!(issued(&document), (DocumentStatus::Issued, 3, "E320000000001"));
        let issue_date = document.stage().numbered().unwrap().issue_date;
        assert_eq!(issue_date, sample::today() + TimeDelta::days(1), "the issue date is the day of the correction");
        let (assigned, ranges) = merchant.report().await;
        assert_eq!(
            (assigned.len(), assigned[0].fate, assigned[0].numbered.issue_date),
            (1, NumberFate::Accepted, issue_date)
        );
        assert_eq!(ranges[0].range.next, 2);
    }
}

#[tokio::test]
async fn a_correction_reuses_an_unspent_number() {
    for world in worlds().await {
        let refuse = |is_number_spent| Decision::Refuse { code: UnclassifiedRejection, is_number_spent };
        let merchant = TestMerchant::new(&world, ScriptedAuthority::with([refuse(false), refuse(true)]));
        let payment = merchant.sell().await;
        let id = merchant.document(&payment).await.facts.id;

        merchant.correct(&id, 1, None).await;
        let second = merchant.document(&payment).await;
        merchant.correct(&id, 2, None).await;

        assert_eq!(issued(&second), (DocumentStatus::Rejected, 2, "E320000000001"));
        assert_eq!(issued(&merchant.document(&payment).await), (DocumentStatus::Issued, 3, "E320000000002"));
    }
}

#[tokio::test]
async fn an_abandoned_number_is_annulled_and_not_used_again() {
    for world in worlds().await {
        let merchant = TestMerchant::new(&world, ScriptedAuthority::with([UNSPENT]));
        let payment = merchant.sell().await;
        let id = merchant.document(&payment).await.facts.id;

        let done = merchant.annul(DocumentKind::Consumer, 1).await.unwrap();
        let again = merchant.annul(DocumentKind::Consumer, 1).await;
        merchant.reissue(&id).await;

        assert_eq!((done.annulment.state, done.annulment.first, done.annulment.last), (AnnulmentState::Annulled, 1, 1));
        assert!(matches!(again, Err(SetupError::Invalid(why)) if why.contains("annulled before")), "{again:?}");
        assert_eq!(issued(&merchant.document(&payment).await), (DocumentStatus::Issued, 2, "E320000000002"));
        let (assigned, ranges) = merchant.report().await;
        let fates: Vec<_> = assigned.iter().map(|it| it.fate).collect();
        assert_eq!(fates, [NumberFate::Annulled, NumberFate::Accepted]);
        let counted = BTreeMap::from([(NumberFate::Accepted, 1), (NumberFate::Annulled, 1)]);
        assert_eq!((&ranges[0].fates, ranges[0].annulled.len(), ranges[0].skipped), (&counted, 0, 0));
    }
}

#[tokio::test]
async fn a_number_that_a_correction_left_behind_is_annulled() {
    for world in worlds().await {
        let unclassified = Decision::Refuse { code: UnclassifiedRejection, is_number_spent: false };
        let merchant = TestMerchant::new(&world, ScriptedAuthority::with([unclassified]));
        merchant.grant_credit().await;
        let payment = merchant.sell().await;
        let id = merchant.document(&payment).await.facts.id;

        merchant.correct(&id, 1, Some("101000007")).await;
        let done = merchant.annul(DocumentKind::Consumer, 1).await.unwrap();
        let used = merchant.annul(DocumentKind::FiscalCredit, 1).await;

        assert_eq!(issued(&merchant.document(&payment).await), (DocumentStatus::Issued, 2, "E310000000001"));
        assert_eq!(done.annulment.state, AnnulmentState::Annulled);
        assert!(matches!(used, Err(SetupError::Invalid(why)) if why.contains("are spent, in use")), "{used:?}");
    }
}

/// The response to the second submission is lost: DGII lists the refusal of the first revision under the number.
#[tokio::test]
async fn the_refusal_of_an_earlier_revision_does_not_count_for_this_one() {
    for world in worlds().await {
        let merchant = TestMerchant::new(&world, ScriptedAuthority::with([UNSPENT, Decision::Lose]));
        let payment = merchant.sell().await;
        let id = merchant.document(&payment).await.facts.id;

        merchant.reissue(&id).await;
        let waiting = merchant.document(&payment).await;
        merchant.pass(TimeDelta::minutes(30)).await;

        assert_eq!(waiting.status(), DocumentStatus::Delayed);
        assert_eq!(issued(&merchant.document(&payment).await), (DocumentStatus::Issued, 2, "E320000000001"));
        assert_eq!(*merchant.authority.sent.lock().unwrap(), ["E320000000001"; 3]);
    }
}

/// Pseudo-random numbers from a seed.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Every kind of decision: our faults, the merchant's, the set-up's, with a spent or an unspent number.
fn decision(random: &mut RandomNumbers) -> Decision {
    const CODES: [ProblemCode; 5] = [
        DocumentMalformed,
        UnclassifiedRejection,
        TotalsRejected,
        ProblemCode::IssuerNotAuthorized,
        ProblemCode::ClockSkew,
    ];
    match random.below(10) {
        0..3 => Decision::Accept,
        3 => Decision::Lose,
        _ => {
            let code = CODES[usize::try_from(random.below(5)).unwrap()];
            Decision::Refuse { code, is_number_spent: random.below(3) == 0 }
        }
    }
}

/// Every number ends as used, spent or annulled, or its document is still under way. Returns the count of annulled
/// numbers, and of those accepted after a rejection.
async fn no_number_is_stranded(seed: u64) -> (usize, usize) {
    let world = World::new().await;
    let mut of_authority = RandomNumbers(seed ^ 0xC0B0);
    let merchant = TestMerchant::new(&world, ScriptedAuthority::new(move || decision(&mut of_authority)));
    merchant.grant_credit().await;
    let (mut random, mut sold) = (RandomNumbers(seed), Vec::new());

    for step in 0..14 {
        if sold.len() < 3 {
            sold.push(merchant.sell().await);
        }
        let payment = &sold[usize::try_from(random.below(sold.len() as u64)).unwrap()];
        let document = merchant.document(payment).await;
        let id = document.facts.id.clone();
        match (document.status(), random.below(4)) {
            (DocumentStatus::Rejected, 0..3) if document.check_correctable().is_ok() => {
                let buyer = (random.below(3) == 0).then_some("101000007");
                merchant.correct(&id, step, buyer).await;
            }
            (DocumentStatus::Rejected, 0..3) => merchant.reissue(&id).await,
            _ => merchant.pass(TimeDelta::hours(2)).await,
        }
    }

    let (assigned, _) = merchant.report().await;
    let (mut annulled, mut reused) = (0, 0);
    for it in assigned {
        let number = it.numbered.number.as_str();
        let document = merchant.document(&it.payment).await;
        let is_on_its_way = document.stage().issuance().and_then(|it| it.stage.numbered()).map(|it| it.number.as_str())
            == Some(number)
            || matches!(document.status(), DocumentStatus::Issuing | DocumentStatus::Delayed)
                && it.revision == document.state().revision;
        match merchant.authority.fate(number) {
            Some(Fate::Accepted) => {
                assert_eq!(issued(&document).2, number, "seed {seed}");
                reused += usize::from(document.state().revision > it.revision);
            }
            Some(Fate::Spent) => {}
            _ if is_on_its_way => {}
            fate => {
                let kind = if number.starts_with("E31") { DocumentKind::FiscalCredit } else { DocumentKind::Consumer };
                let done = merchant.annul(kind, it.numbered.number.sequence()).await;
                let state = done.as_ref().map(|it| it.annulment.state);
                assert!(
                    matches!(state, Ok(AnnulmentState::Annulled)),
                    "seed {seed}: {number} is stranded: {fate:?} {done:?} {document:?}"
                );
                annulled += 1;
            }
        }
    }
    (annulled, reused)
}

#[tokio::test]
async fn no_decision_of_the_authority_strands_a_number_or_accepts_it_twice() {
    let (mut annulled, mut reused) = (0, 0);
    for seed in 1..=12 {
        let (of_seed, reused_in_seed) = no_number_is_stranded(seed).await;
        annulled += of_seed;
        reused += reused_in_seed;
    }
    assert!(annulled > 3 && reused > 3, "too few cases: {annulled} annulled, {reused} reused");
}
