//! Numbers of refused documents: each is reused or annulled, and none is accepted twice.

mod clerk;
mod restored;

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
use clerk::{Clerk, Decision, Fate};

const GOOD: &str = "4222220000000008";
const UNSPENT: Decision = Decision::Refuse { code: DocumentMalformed, is_number_spent: false };

/// A merchant with the scripted authority.
struct Town<'a> {
    world: &'a World,
    clerk: Arc<Clerk>,
    ports: Ports,
}

impl<'a> Town<'a> {
    fn new(world: &'a World, clerk: Clerk) -> Self {
        let clerk = Arc::new(clerk);
        let ports = Ports { authority: clerk.clone(), ..world.ports(None) };
        Self { world, clerk, ports }
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
        let wish = AnnulmentRequest { kind, environment, range: None, from: Some(number), to: None };
        let books = AnnulmentPorts { ledger: &*self.world.stores.ledger, authority: &*self.clerk };
        annul_numbers(&self.ports, books, &self.world.tenant, wish).await
    }

    /// Returns each assigned number, and the report of its range.
    async fn report(&self) -> (Vec<AssignedNumber>, Vec<RangeReport>) {
        let mut given = Vec::new();
        let mut tell = |_: &NumberRange, told: app::operators::VisitedNumbers<'_>| {
            if let app::operators::VisitedNumbers::Assigned(it) = told {
                given.push(it.clone());
            }
            Ok(())
        };
        let report = report_numbers(&*self.world.stores.ledger, &self.world.tenant, None, &mut tell).await.unwrap();
        (given, report.ranges)
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
        let town = Town::new(&world, Clerk::with([UNSPENT, UNSPENT]));
        let payment = town.sell().await;
        let refused = town.document(&payment).await;

        town.reissue(&refused.facts.id).await;
        town.world.clock.advance(TimeDelta::days(1));
        town.reissue(&refused.facts.id).await;

        assert_eq!(refused.status(), DocumentStatus::Rejected);
        let document = town.document(&payment).await;
        assert_eq!(issued(&document), (DocumentStatus::Issued, 3, "E320000000001"));
        let issue_date = document.stage().numbered().unwrap().issue_date;
        assert_eq!(issue_date, sample::today() + TimeDelta::days(1), "it is issued on the day of its correction");
        let (given, ranges) = town.report().await;
        assert_eq!((given.len(), given[0].fate, given[0].numbered.issue_date), (1, NumberFate::Accepted, issue_date));
        assert_eq!(ranges[0].range.next, 2);
    }
}

#[tokio::test]
async fn a_correction_reuses_an_unspent_number() {
    for world in worlds().await {
        let refuse = |is_number_spent| Decision::Refuse { code: UnclassifiedRejection, is_number_spent };
        let town = Town::new(&world, Clerk::with([refuse(false), refuse(true)]));
        let payment = town.sell().await;
        let id = town.document(&payment).await.facts.id;

        town.correct(&id, 1, None).await;
        let second = town.document(&payment).await;
        town.correct(&id, 2, None).await;

        assert_eq!(issued(&second), (DocumentStatus::Rejected, 2, "E320000000001"));
        assert_eq!(issued(&town.document(&payment).await), (DocumentStatus::Issued, 3, "E320000000002"));
    }
}

#[tokio::test]
async fn an_abandoned_number_is_annulled_and_not_used_again() {
    for world in worlds().await {
        let town = Town::new(&world, Clerk::with([UNSPENT]));
        let payment = town.sell().await;
        let id = town.document(&payment).await.facts.id;

        let done = town.annul(DocumentKind::Consumer, 1).await.unwrap();
        let again = town.annul(DocumentKind::Consumer, 1).await;
        town.reissue(&id).await;

        assert_eq!((done.annulment.state, done.annulment.first, done.annulment.last), (AnnulmentState::Annulled, 1, 1));
        assert!(matches!(again, Err(SetupError::Invalid(why)) if why.contains("annulled before")), "{again:?}");
        assert_eq!(issued(&town.document(&payment).await), (DocumentStatus::Issued, 2, "E320000000002"));
        let (given, ranges) = town.report().await;
        let fates: Vec<_> = given.iter().map(|it| it.fate).collect();
        assert_eq!(fates, [NumberFate::Annulled, NumberFate::Accepted]);
        let counted = BTreeMap::from([(NumberFate::Accepted, 1), (NumberFate::Annulled, 1)]);
        assert_eq!((&ranges[0].fates, ranges[0].annulled.len(), ranges[0].skipped), (&counted, 0, 0));
    }
}

#[tokio::test]
async fn a_number_that_a_correction_left_behind_is_annulled() {
    for world in worlds().await {
        let unclassified = Decision::Refuse { code: UnclassifiedRejection, is_number_spent: false };
        let town = Town::new(&world, Clerk::with([unclassified]));
        town.grant_credit().await;
        let payment = town.sell().await;
        let id = town.document(&payment).await.facts.id;

        town.correct(&id, 1, Some("101000007")).await;
        let done = town.annul(DocumentKind::Consumer, 1).await.unwrap();
        let used = town.annul(DocumentKind::FiscalCredit, 1).await;

        assert_eq!(issued(&town.document(&payment).await), (DocumentStatus::Issued, 2, "E310000000001"));
        assert_eq!(done.annulment.state, AnnulmentState::Annulled);
        assert!(matches!(used, Err(SetupError::Invalid(why)) if why.contains("are spent, in use")), "{used:?}");
    }
}

/// The response to the second submission is lost: DGII lists the refusal of the first revision under the number.
#[tokio::test]
async fn the_refusal_of_an_earlier_revision_does_not_count_for_this_one() {
    for world in worlds().await {
        let town = Town::new(&world, Clerk::with([UNSPENT, Decision::Lose]));
        let payment = town.sell().await;
        let id = town.document(&payment).await.facts.id;

        town.reissue(&id).await;
        let waiting = town.document(&payment).await;
        town.pass(TimeDelta::minutes(30)).await;

        assert_eq!(waiting.status(), DocumentStatus::Delayed);
        assert_eq!(issued(&town.document(&payment).await), (DocumentStatus::Issued, 2, "E320000000001"));
        assert_eq!(*town.clerk.sent.lock().unwrap(), ["E320000000001"; 3]);
    }
}

/// Pseudo-random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Every kind of decision: our faults, the merchant's, the set-up's, with a spent or an unspent number.
fn decision(dice: &mut Dice) -> Decision {
    const CODES: [ProblemCode; 5] = [
        DocumentMalformed,
        UnclassifiedRejection,
        TotalsRejected,
        ProblemCode::IssuerNotAuthorized,
        ProblemCode::ClockSkew,
    ];
    match dice.roll(10) {
        0..3 => Decision::Accept,
        3 => Decision::Lose,
        _ => {
            let code = CODES[usize::try_from(dice.roll(5)).unwrap()];
            Decision::Refuse { code, is_number_spent: dice.roll(3) == 0 }
        }
    }
}

/// Every number ends as used, spent or annulled, or its document is still under way. Returns the count of annulled
/// numbers, and of those accepted after a rejection.
async fn no_number_is_stranded(seed: u64) -> (usize, usize) {
    let world = World::new().await;
    let mut of_clerk = Dice(seed ^ 0xC0B0);
    let town = Town::new(&world, Clerk::new(move || decision(&mut of_clerk)));
    town.grant_credit().await;
    let (mut dice, mut sold) = (Dice(seed), Vec::new());

    for step in 0..14 {
        if sold.len() < 3 {
            sold.push(town.sell().await);
        }
        let payment = &sold[usize::try_from(dice.roll(sold.len() as u64)).unwrap()];
        let document = town.document(payment).await;
        let id = document.facts.id.clone();
        match (document.status(), dice.roll(4)) {
            (DocumentStatus::Rejected, 0..3) if document.check_correctable().is_ok() => {
                let buyer = (dice.roll(3) == 0).then_some("101000007");
                town.correct(&id, step, buyer).await;
            }
            (DocumentStatus::Rejected, 0..3) => town.reissue(&id).await,
            _ => town.pass(TimeDelta::hours(2)).await,
        }
    }

    let (given, _) = town.report().await;
    let (mut annulled, mut reused) = (0, 0);
    for it in given {
        let number = it.numbered.number.as_str();
        let document = town.document(&it.payment).await;
        let is_on_its_way = document.stage().issuance().and_then(|it| it.stage.numbered()).map(|it| it.number.as_str())
            == Some(number)
            || matches!(document.status(), DocumentStatus::Issuing | DocumentStatus::Delayed)
                && it.revision == document.state().revision;
        match town.clerk.fate(number) {
            Some(Fate::Accepted) => {
                assert_eq!(issued(&document).2, number, "seed {seed}");
                reused += usize::from(document.state().revision > it.revision);
            }
            Some(Fate::Spent) => {}
            _ if is_on_its_way => {}
            fate => {
                let kind = if number.starts_with("E31") { DocumentKind::FiscalCredit } else { DocumentKind::Consumer };
                let done = town.annul(kind, it.numbered.number.sequence()).await;
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
    assert!(annulled > 3 && reused > 3, "the seeds try both: {annulled} annulled, {reused} reused");
}
