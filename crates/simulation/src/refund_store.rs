//! Store of refunds, as a process sees it.

use async_trait::async_trait;
use chrono::NaiveDate;
use domain::{
    MerchantAccountId, PaymentId, RefundId,
    account::Provider,
    attempt::Attempt,
    refund::{RefundRecord, RefundedSale},
};
use ports::{AttemptClues, Page, RefundFilter, RefundStore, SweepClaim, SweptAccount, Tenant, Unavailable};
use testkit::sample;

use crate::{bug::Bug, node::Node, refund_bugs, tables::Tables};

#[async_trait]
impl RefundStore for Node {
    async fn find(&self, _: &Tenant, id: &RefundId) -> Result<Option<RefundRecord>, Unavailable> {
        self.world.ask(self.process, "find_refund", |tables| tables.refund_record(id)).await
    }

    async fn refunded_sale(&self, _: &Tenant, payment: &PaymentId) -> Result<Option<RefundedSale>, Unavailable> {
        let sale = self.world.ask(self.process, "refunded_sale", |tables| tables.refunded_sale(payment)).await?;
        Ok(sale.map(|sale| refund_bugs::shown(self.world.bug, sale, self.since)))
    }

    async fn search(&self, _: &Tenant, _: &RefundFilter, _: &Page) -> Result<Vec<RefundRecord>, Unavailable> {
        unreachable!("lists are not simulated")
    }

    async fn charges(&self, _: &Tenant, payment: &PaymentId) -> Result<Vec<Attempt>, Unavailable> {
        self.world.ask(self.process, "charges", |tables| tables.charges(payment)).await
    }

    async fn attempts(&self, _: &Tenant, refund: &RefundId) -> Result<Vec<Attempt>, Unavailable> {
        let attempts = |tables: &mut Tables| {
            let of_refund = tables.attempts.values().filter(|it| it.refund.as_ref() == Some(refund));
            let mut attempts: Vec<Attempt> = of_refund.cloned().collect();
            attempts.sort_by_key(|attempt| attempt.started_at);
            attempts
        };
        self.world.ask(self.process, "attempts", attempts).await
    }

    async fn attempts_matching(
        &self,
        _: &Tenant,
        _: &MerchantAccountId,
        clues: &AttemptClues,
    ) -> Result<Vec<Attempt>, Unavailable> {
        let named = self.world.ask(self.process, "attempts_matching", |tables| tables.attempts_matching(clues)).await?;
        let is_known = |it: &Attempt| self.world.bug != Some(Bug::CountsOwnRefunds) || it.refund.is_none();
        Ok(named.into_iter().filter(is_known).collect())
    }

    async fn accounts_to_sweep(&self, claim: SweepClaim) -> Result<Vec<SweptAccount>, Unavailable> {
        let lease = |tables: &mut Tables| {
            let refunds = &mut tables.refunds;
            let is_swept = refunds.swept_until.is_some_and(|day| day >= claim.day);
            if is_swept || refunds.sweep_lease.is_some_and(|until| until > claim.now) {
                return Vec::new();
            }
            refunds.sweep_lease = Some(claim.lease_until);
            let (tenant, account, provider) = (sample::tenant(), sample::account_id(1), Provider::Simulator);
            vec![SweptAccount { tenant, account, provider, from: refunds.swept_until }]
        };
        self.world.ask(self.process, "accounts_to_sweep", lease).await
    }

    async fn swept(&self, _: &SweptAccount, day: NaiveDate) -> Result<(), Unavailable> {
        self.world
            .ask(self.process, "swept", |tables| {
                tables.refunds.swept_until = Some(day);
                tables.refunds.sweep_lease = None;
            })
            .await
    }
}
