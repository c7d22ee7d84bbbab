//! A document with a lost submission, after a crash of the worker.

use std::sync::Arc;

use app::{Ports, issue_document};
use chrono::TimeDelta;
use domain::{
    FiscalDocumentId, PaymentId,
    fiscal::{DocumentStatus, Issuance},
};
use ports::TaxAuthority;

use super::{AuthorityLink, LinkState, sell, statuses, with_link};
use crate::{
    crashes::{
        crash_trigger::{CrashTrigger, CrashingPort, survives},
        world::World,
    },
    races::worlds,
};

/// Queue of documents; the submission of the head is in doubt.
struct DocumentQueue {
    world: World,
    link: Arc<AuthorityLink>,
    ports: Ports,
    /// The payments of the documents. The head, with a submission in doubt, comes first.
    sold: Vec<PaymentId>,
}

impl DocumentQueue {
    async fn of(world: World) -> Self {
        let (link, ports) = with_link(&world);
        Self { world, link, ports, sold: Vec::new() }
    }

    async fn sell(&mut self, state: LinkState, then: TimeDelta) {
        self.link.set_state(state);
        self.sold.push(sell(&self.world, &self.ports, then).await);
    }

    async fn document(&self, payment: &PaymentId) -> FiscalDocumentId {
        self.world.sale(payment).await.document.facts.id
    }

    async fn oldest(&self) -> Issuance {
        let sale = self.world.sale(&self.sold[0]).await;
        sale.document.stage().issuance().expect("the document is not issued yet").clone()
    }

    /// A worker continues with the head, and crashes at that effect.
    async fn continue_until_crash(&self, trigger: &CrashTrigger) {
        let authority: Arc<dyn TaxAuthority> = self.link.clone();
        let authority = Arc::new(CrashingPort { port: authority, trigger: trigger.clone() });
        let ports = Ports { authority, ..self.world.ports(Some(trigger)) };
        let (tenant, oldest) = (self.world.tenant.clone(), self.document(&self.sold[0]).await);
        survives(async move { issue_document(&ports, &tenant, &oldest).await.unwrap() }).await;
    }

    /// A worker crashes after it found that the submission of the head never arrived, and other workers run the
    /// younger documents first.
    async fn check_order(self) {
        let submissions = self.oldest().await.submissions;
        self.link.set_state(LinkState::Up);
        self.world.clock.advance(TimeDelta::minutes(20));
        let mut point = 0;
        while self.oldest().await.stage.awaits_verdict() {
            point += 1;
            self.continue_until_crash(&CrashTrigger::at_effect(point)).await;
        }
        assert_eq!(self.oldest().await.submissions, submissions, "the loss is known, and there is no resubmission yet");

        for younger in self.sold[1..].iter().rev() {
            let younger = self.document(younger).await;
            issue_document(&self.ports, &self.world.tenant, &younger).await.unwrap();
        }
        assert_eq!(*self.link.arrived.lock().unwrap(), [], "younger documents wait for the oldest");
        World::pass(&self.world.clock, &self.ports, TimeDelta::minutes(40)).await;

        assert_eq!(statuses(&self.world, &self.sold).await, vec![DocumentStatus::Issued; self.sold.len()]);
        assert_eq!(*self.link.arrived.lock().unwrap(), super::numbers(self.sold.len()));
    }
}

/// The head was already queued, and its worker crashed during the submission.
#[tokio::test]
async fn a_queued_document_that_never_arrived_keeps_its_place() {
    for world in worlds().await {
        let mut queue = DocumentQueue::of(world).await;
        for _ in 0..3 {
            queue.sell(LinkState::Down, TimeDelta::seconds(30)).await;
        }
        queue.link.set_state(LinkState::Up);
        queue.world.clock.advance(TimeDelta::minutes(10));
        // The third effect is the call to the authority. The effect before commits the intent.
        queue.continue_until_crash(&CrashTrigger::at_effect(3)).await;
        assert!(queue.oldest().await.stage.awaits_verdict());

        queue.check_order().await;
    }
}

/// The submission was lost while the queue was empty. Others are queued by the time the loss is known.
#[tokio::test]
async fn a_lost_submission_is_queued_before_younger_documents() {
    for world in worlds().await {
        let mut queue = DocumentQueue::of(world).await;
        queue.sell(LinkState::Silent, TimeDelta::seconds(10)).await;
        queue.link.set_state(LinkState::Up);
        World::pass(&queue.world.clock, &queue.ports, TimeDelta::minutes(5)).await;
        for _ in 0..2 {
            queue.sell(LinkState::Down, TimeDelta::seconds(30)).await;
        }
        assert!(queue.oldest().await.stage.awaits_verdict());

        queue.check_order().await;
    }
}
