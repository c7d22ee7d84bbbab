//! A document with a lost submission, after a crash of the worker.

use std::sync::Arc;

use app::{Ports, issue_document};
use chrono::TimeDelta;
use domain::{
    FiscalDocumentId, PaymentId,
    fiscal::{DocumentStatus, Issuance},
};
use ports::TaxAuthority;

use super::{Road, Weather, on_the_road, sell, statuses};
use crate::{
    crashes::{
        fuse::{Fuse, Fused, survives},
        world::World,
    },
    races::worlds,
};

/// Documents that are older and younger, while one is in doubt.
struct Line {
    world: World,
    road: Arc<Road>,
    ports: Ports,
    /// The payments of the documents. The head, with a submission in doubt, comes first.
    sold: Vec<PaymentId>,
}

impl Line {
    async fn of(world: World) -> Self {
        let (road, ports) = on_the_road(&world);
        Self { world, road, ports, sold: Vec::new() }
    }

    async fn sell(&mut self, weather: Weather, then: TimeDelta) {
        self.road.turns(weather);
        self.sold.push(sell(&self.world, &self.ports, then).await);
    }

    async fn document(&self, payment: &PaymentId) -> FiscalDocumentId {
        self.world.sale(payment).await.document.facts.id
    }

    async fn oldest(&self) -> Issuance {
        let sale = self.world.sale(&self.sold[0]).await;
        sale.document.stage().issuance().expect("it is on its way").clone()
    }

    /// A worker continues with the head, and crashes at that effect.
    async fn goes_on_until(&self, fuse: &Fuse) {
        let authority: Arc<dyn TaxAuthority> = self.road.clone();
        let authority = Arc::new(Fused { port: authority, fuse: fuse.clone() });
        let ports = Ports { authority, ..self.world.ports(Some(fuse)) };
        let (tenant, oldest) = (self.world.tenant.clone(), self.document(&self.sold[0]).await);
        survives(async move { issue_document(&ports, &tenant, &oldest).await.unwrap() }).await;
    }

    /// A worker crashes after it found that the submission of the head never arrived, and other workers run the
    /// younger documents first.
    async fn lets_none_overtake(self) {
        let submissions = self.oldest().await.submissions;
        self.road.turns(Weather::Fair);
        self.world.clock.advance(TimeDelta::minutes(20));
        let mut point = 0;
        while self.oldest().await.stage.awaits_verdict() {
            point += 1;
            self.goes_on_until(&Fuse::burning_at(point)).await;
        }
        assert_eq!(self.oldest().await.submissions, submissions, "it is known, and not sent again yet");

        for younger in self.sold[1..].iter().rev() {
            let younger = self.document(younger).await;
            issue_document(&self.ports, &self.world.tenant, &younger).await.unwrap();
        }
        assert_eq!(*self.road.arrived.lock().unwrap(), [], "the oldest is before them");
        World::pass(&self.world.clock, &self.ports, TimeDelta::minutes(40)).await;

        assert_eq!(statuses(&self.world, &self.sold).await, vec![DocumentStatus::Issued; self.sold.len()]);
        assert_eq!(*self.road.arrived.lock().unwrap(), super::numbers(self.sold.len()));
    }
}

/// The head was already queued, and its worker crashed during the submission.
#[tokio::test]
async fn a_queued_document_that_never_arrived_keeps_its_place() {
    for world in worlds().await {
        let mut line = Line::of(world).await;
        for _ in 0..3 {
            line.sell(Weather::Closed, TimeDelta::seconds(30)).await;
        }
        line.road.turns(Weather::Fair);
        line.world.clock.advance(TimeDelta::minutes(10));
        // The third effect is the call to the authority. The effect before commits the intent.
        line.goes_on_until(&Fuse::burning_at(3)).await;
        assert!(line.oldest().await.stage.awaits_verdict());

        line.lets_none_overtake().await;
    }
}

/// It was submitted while the queue was empty. Others are queued by the time its loss is known.
#[tokio::test]
async fn a_lost_submission_is_queued_before_younger_documents() {
    for world in worlds().await {
        let mut line = Line::of(world).await;
        line.sell(Weather::Silent, TimeDelta::seconds(10)).await;
        line.road.turns(Weather::Fair);
        World::pass(&line.world.clock, &line.ports, TimeDelta::minutes(5)).await;
        for _ in 0..2 {
            line.sell(Weather::Closed, TimeDelta::seconds(30)).await;
        }
        assert!(line.oldest().await.stage.awaits_verdict());

        line.lets_none_overtake().await;
    }
}
