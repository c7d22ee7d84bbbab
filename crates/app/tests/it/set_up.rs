//! Documents with a setup rejection are resubmitted automatically after the correction.

use std::sync::Arc;

use app::{
    Ports,
    operators::{self, VisitedNumbers, report_numbers},
    submit_card,
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    PaymentId,
    fiscal::{DocumentKind, DocumentStage, DocumentStatus, Environment, NumberFate, NumberRange, ProblemCode},
};
use ports::{Clock, Page};
use testkit::{contract::done, contract::number_ledger::withdrawal, sample};

use crate::{
    contingency::authority_link::{AuthorityLink, LinkState},
    crashes::{command, world::World},
    races::worlds,
    support::render,
};

const GOOD: &str = "4222220000000008";
const WHERE: Environment = Environment::PreCertification;
const KIND: DocumentKind = DocumentKind::Consumer;

async fn sell(world: &World, ports: &Ports, then: TimeDelta) -> PaymentId {
    let (payment, payer) = world.open_sale().await;
    let keyed = world.keyed_as(format!("{}-card", payment.as_str()));
    submit_card(ports, &payer, &keyed, command(&payment, GOOD), &render).await.unwrap();
    World::pass(&world.clock, ports, then).await;
    payment
}

/// The reason for which the document waits, and until when.
async fn waits(world: &World, payment: &PaymentId) -> (ProblemCode, DateTime<Utc>) {
    let document = world.sale(payment).await.document;
    let DocumentStage::Delayed(issuance, problem) = document.stage() else { panic!("{document:?}") };
    (problem.code, issuance.next_attempt_at)
}

/// Each assigned number, with its revision and its fate.
async fn report(world: &World) -> Vec<(u64, u32, NumberFate)> {
    let mut numbers = Vec::new();
    let mut visit = |_: &NumberRange, visited: VisitedNumbers<'_>| {
        if let VisitedNumbers::Assigned(it) = visited {
            numbers.push((it.numbered.number.sequence(), it.revision, it.fate));
        }
        Ok(())
    };
    report_numbers(&*world.stores.ledger, &world.tenant, None, &mut visit).await.unwrap();
    numbers
}

/// The number, the revision, and how many documents of the sale's merchant the authority accepted.
async fn issued(world: &World, payment: &PaymentId) -> (u64, u32, usize) {
    let document = world.sale(payment).await.document;
    assert_eq!(document.status(), DocumentStatus::Issued, "{document:?}");
    let accepted = world.authority.documents().await.unwrap().iter().filter(|it| it.status == "accepted").count();
    (document.stage().numbered().unwrap().number.sequence(), document.state().revision, accepted)
}

/// Every rejected revision, unchanged.
async fn refused(world: &World, payment: &PaymentId) -> Vec<(u32, bool)> {
    let document = world.sale(payment).await.document.facts.id;
    let page = Page { after: None, limit: 50 };
    let revisions = world.stores.search.revisions(&world.tenant, &document, &page).await.unwrap();
    let was = |it: &ports::Revision| match it.document.stage() {
        DocumentStage::Rejected(rejection) => (it.document.state().revision, rejection.is_number_spent),
        other => panic!("{other:?}"),
    };
    revisions.iter().map(was).collect()
}

async fn import_certificate(world: &World, ports: &Ports, life: TimeDelta) {
    let (from, until) = (world.clock.now() - TimeDelta::days(1), world.clock.now() + life);
    let made = xml_signer::self_signed_certificate("Rosa Prueba", "IDCDO-00113918205", from, until).unwrap();
    let opened = xml_signer::read_pkcs12(&made.pkcs12, &made.password).unwrap();
    let offered = opened.into_iter().map(xml_signer::Pkcs12::into_offer).collect();
    operators::import_certificates(ports, &world.tenant, offered).await.unwrap();
}

/// The authority sends no notification of a new range: the next attempt succeeds.
#[tokio::test]
async fn a_range_that_is_authorized_later_is_used_unchanged() {
    for world in worlds().await {
        let ports = world.ports(None);
        let issuer = &sample::profile().rnc.unwrap();
        world.authority.grant(issuer, WHERE, KIND, 5000, 5000);

        let payment = sell(&world, &ports, TimeDelta::hours(5)).await;
        let (problem, due) = waits(&world, &payment).await;
        assert_eq!(problem, ProblemCode::IssuerNotAuthorized);
        assert!(due - world.clock.now() <= TimeDelta::hours(1), "{due}");
        assert_eq!(report(&world).await, [(1, 1, NumberFate::Pending)]);
        world.authority.grant(issuer, WHERE, KIND, 1, 1000);
        World::pass(&world.clock, &ports, TimeDelta::hours(1)).await;

        assert_eq!(issued(&world, &payment).await, (1, 1, 1));
        assert_eq!(report(&world).await, [(1, 1, NumberFate::Accepted)]);
        assert_eq!(refused(&world, &payment).await, []);
    }
}

/// The first range was not authorised for the issuer. With the right range the documents are issued at once, and the
/// report explains each number.
#[tokio::test]
async fn a_new_range_is_used_at_once() {
    for world in worlds().await {
        let ports = world.ports(None);
        world.authority.grant(&sample::profile().rnc.unwrap(), WHERE, KIND, 5000, 5009);
        let payments =
            [sell(&world, &ports, TimeDelta::hours(1)).await, sell(&world, &ports, TimeDelta::hours(4)).await];
        let grant = operators::Grant { kind: KIND, first: 5000, last: 5009, valid_until: None, environment: WHERE };
        operators::add_sequence(&ports, &world.tenant, grant).await.unwrap();
        World::pass(&world.clock, &ports, TimeDelta::minutes(1)).await;
        assert!(waits(&world, &payments[1]).await.1 > world.clock.now() + TimeDelta::minutes(1));

        // The older range still had numbers: only now the next number is of the other range.
        let ranges = world.stores.ledger.ranges(&world.tenant).await.unwrap();
        let cut = withdrawal(1, &ranges[0], 3, 1000);
        let cut = ports::Withdrawal { tenant: world.tenant.clone(), ..cut };
        done(world.stores.ledger.withdraw(cut).await, "the range is as it was read");
        World::pass(&world.clock, &ports, TimeDelta::seconds(1)).await;

        // Both are due at the same moment, so their order is open.
        let mut numbers = [issued(&world, &payments[0]).await, issued(&world, &payments[1]).await];
        numbers.sort_unstable();
        assert_eq!(numbers, [(5000, 2, 2), (5001, 2, 2)]);
        let (corrected, accepted) = (NumberFate::Corrected, NumberFate::Accepted);
        let expected = [(1, 1, corrected), (2, 1, corrected), (5000, 2, accepted), (5001, 2, accepted)];
        assert_eq!(report(&world).await, expected);
        assert_eq!(refused(&world, &payments[0]).await, [(1, false)]);
    }
}

/// Signed in time, but the authority was unreachable until the certificate had expired.
#[tokio::test]
async fn a_new_certificate_signs_the_same_number_again() {
    for world in worlds().await {
        let ports = world.ports(None);
        let link = Arc::new(AuthorityLink::to(ports.authority.clone()));
        let ports = Ports { authority: link.clone(), ..ports };
        import_certificate(&world, &ports, TimeDelta::days(1)).await;
        link.set_state(LinkState::Down);
        let payment = sell(&world, &ports, TimeDelta::hours(30)).await;
        link.set_state(LinkState::Up);
        World::pass(&world.clock, &ports, TimeDelta::hours(6)).await;
        let (problem, due) = waits(&world, &payment).await;
        assert_eq!(problem, ProblemCode::CertificateInvalid);
        assert!(due > world.clock.now() + TimeDelta::minutes(1), "{due}");

        import_certificate(&world, &ports, TimeDelta::days(365)).await;
        World::pass(&world.clock, &ports, TimeDelta::seconds(1)).await;

        assert_eq!(issued(&world, &payment).await, (1, 2, 1));
        assert_eq!(report(&world).await, [(1, 1, NumberFate::Accepted)]);
        assert_eq!(refused(&world, &payment).await, [(1, false)]);
    }
}

/// Each try costs a number where the authority spends them: fewer are made, and each is explained.
#[tokio::test]
async fn a_spent_number_is_followed_by_another_a_day_later_at_most() {
    for world in worlds().await {
        let ports = world.ports(None);
        let link = Arc::new(AuthorityLink::to(ports.authority.clone()));
        link.spends.store(true, std::sync::atomic::Ordering::Relaxed);
        let ports = Ports { authority: link.clone(), ..ports };
        let payment = sell(&world, &ports, TimeDelta::hours(40)).await;
        link.spends.store(false, std::sync::atomic::Ordering::Relaxed);
        World::pass(&world.clock, &ports, TimeDelta::hours(24)).await;

        assert_eq!(issued(&world, &payment).await, (5, 5, 1));
        let fates: Vec<_> = report(&world).await.into_iter().map(|(number, _, fate)| (number, fate)).collect();
        let corrected = NumberFate::Corrected;
        let expected = [(1, corrected), (2, corrected), (3, corrected), (4, corrected), (5, NumberFate::Accepted)];
        assert_eq!(fates, expected);
        assert_eq!(refused(&world, &payment).await, [(4, true), (3, true), (2, true), (1, true)]);
    }
}
