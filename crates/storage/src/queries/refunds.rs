use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::{
    dsl::{AsSelect, auto_type, sql},
    prelude::*,
    sql_types::Bool,
};
use domain::{
    MerchantAccountId, PaymentId, RefundId,
    account::Provider,
    attempt::{Attempt, AttemptKind},
    refund::{RefundRecord, RefundedSale},
    sale::Sale,
};
use ports::{AttemptClues, Page, RefundFilter, RefundStore, SweepClaim, SweptAccount, Tenant, Unavailable};

use super::{
    Backend, Store,
    filters::{key, only, page},
    sales::{of, sales},
};
use crate::{
    column::Column,
    failure::unavailable,
    rows::{AttemptRow, DocumentRow, Key, RefundRow, SaleRow, StoredRow, restore_key},
    schema::{accounts, attempts, fiscal_documents, payments, refunds},
    scope::Scope,
    time::{date, day, millis},
};

/// A refund with the credit note.
type Row = (RefundRow, Option<DocumentRow>);

/// Maximum number of reads of a sale with its refunds. A read is repeated if a commit ran between its two statements.
const READS: usize = 8;
/// Maximum number of attempts that match clues.
const MATCHING: usize = 20;

#[async_trait]
impl RefundStore for Store {
    async fn find(&self, tenant: &Tenant, id: &RefundId) -> Result<Option<RefundRecord>, Unavailable> {
        let query = refunds_with_notes().filter(only!(refunds, tenant, id = id.to_string()));
        self.one::<Row, _>(Scope::of(tenant), query).await
    }

    async fn refunded_sale(&self, tenant: &Tenant, payment: &PaymentId) -> Result<Option<RefundedSale>, Unavailable> {
        for _ in 0..READS {
            let sale = sales().filter(of(tenant)).filter(payments::id.eq(payment.to_string()));
            let refunds = refunds_with_notes()
                .filter(only!(refunds, tenant, payment = payment.to_string()))
                .order((refunds::created_at, refunds::id));
            let (mut sales, rows): (Vec<SaleRow>, Vec<Row>) = self.load_two(Scope::of(tenant), sale, refunds).await?;
            let Some(sale) = sales.pop() else { return Ok(None) };
            let records = rows.into_iter().map(Row::restore).collect::<Result<Vec<_>, _>>().map_err(unavailable)?;
            let sale = refunded_sale(sale.restore().map_err(unavailable)?, records);
            // Sale and refunds are read by two statements, and another process may commit between them.
            if sale.sale.payment.state().refunds.agrees_with(&sale.refunds) {
                return Ok(Some(sale));
            }
        }
        Err(unavailable(format!("the refunds of {payment} contradict its balance")))
    }

    async fn search(
        &self,
        tenant: &Tenant,
        search: &RefundFilter,
        page: &Page,
    ) -> Result<Vec<RefundRecord>, Unavailable> {
        let mut query = refunds_with_notes().filter(only!(refunds, tenant)).into_boxed::<Backend>();
        if !search.accounts.is_empty() {
            let accounts: Vec<String> = search.accounts.iter().map(ToString::to_string).collect();
            query = query.filter(refunds::account.eq_any(accounts));
        }
        if let Some(payment) = &search.payment {
            query = query.filter(refunds::payment.eq(payment.to_string()));
        }
        if let Some(status) = search.status {
            query = query.filter(refunds::status.eq(status.as_str()));
        }
        if let Some(reference) = &search.refund_reference {
            query = query.filter(refunds::refund_reference.eq(reference.as_str().to_owned()));
        }
        let query = page!(query, search, page, refunds::created_at, refunds::id as RefundId);
        self.all::<Row, _>(Scope::of(tenant), query).await
    }

    async fn charges(&self, tenant: &Tenant, payment: &PaymentId) -> Result<Vec<Attempt>, Unavailable> {
        let query = attempts::table
            .filter(only!(attempts, tenant, payment = payment.to_string()))
            // Literal values, to match the partial index.
            .filter(sql::<Bool>("attempts.state = 'approved' AND attempts.kind IN ('sale', 'capture')"))
            .order(attempts::part)
            .select(AttemptRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn attempts(&self, tenant: &Tenant, id: &RefundId) -> Result<Vec<Attempt>, Unavailable> {
        let query = attempts::table
            .filter(only!(attempts, tenant, refund = id.to_string()))
            .order((attempts::started_at, attempts::id))
            .select(AttemptRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn attempts_matching(
        &self,
        tenant: &Tenant,
        account: &MerchantAccountId,
        clues: &AttemptClues,
    ) -> Result<Vec<Attempt>, Unavailable> {
        let of_account = || only!(attempts, tenant, account = account.to_string());
        let by_id = attempts::table
            .filter(of_account().and(attempts::id.eq(clues.attempt.clone())))
            .select(AttemptRow::as_select());
        // Every kind, because the index begins with it.
        let kinds = AttemptKind::ALL.iter().map(|kind| kind.as_str());
        let by_reference = attempts::table
            .filter(of_account().and(attempts::kind.eq_any(kinds.collect::<Vec<_>>())))
            .filter(attempts::provider_reference.eq(clues.reference.clone()))
            .limit(i64::try_from(MATCHING).unwrap_or(i64::MAX))
            .select(AttemptRow::as_select());
        let (by_id, by_reference): (Vec<AttemptRow>, Vec<AttemptRow>) =
            self.load_two(Scope::of(tenant), by_id, by_reference).await?;
        let has_id = !by_id.is_empty();
        let found = by_id.into_iter().chain(by_reference).map(AttemptRow::restore);
        let mut found: Vec<Attempt> = found.collect::<Result<_, _>>().map_err(unavailable)?;
        // A full ID leaves no doubt, and a search for an ending reads every attempt of the account.
        if !has_id {
            found.extend(self.attempts_ending(tenant, account, &clues.endings).await?);
        }
        let distinct: BTreeMap<_, _> = found.into_iter().map(|attempt| (attempt.id.clone(), attempt)).collect();
        Ok(distinct.into_values().take(MATCHING).collect())
    }

    async fn accounts_to_sweep(&self, sweep: SweepClaim) -> Result<Vec<SweptAccount>, Unavailable> {
        let (today, now) = (day(sweep.day), millis(sweep.now));
        let is_due = || {
            let is_free = accounts::returns_lease_until.is_null().or(accounts::returns_lease_until.le(now));
            accounts::returns_listed_before.lt(today.clone()).and(is_free)
        };
        // Literal values: an account without credentials has no list, and a closed one none any more.
        let has_list = sql::<Bool>("accounts.lifecycle IN ('active', 'suspended')");
        let query = accounts::table
            .filter(is_due())
            .filter(has_list)
            .filter(accounts::created_at.lt(millis(sweep.created_before)))
            .order(accounts::returns_listed_before)
            .limit(sweep.limit.into())
            .select((
                (accounts::merchant, accounts::mode, accounts::id),
                accounts::provider,
                accounts::returns_listed_before,
            ));
        let rows: Vec<(Key, String, String)> = self.load(Scope::WORK, query).await?;
        let mut claimed = Vec::new();
        for row in rows {
            let account = restore_swept(row)?;
            let lease = diesel::update(accounts::table.find(key(&account.tenant, &account.account)))
                .filter(is_due())
                .set(accounts::returns_lease_until.eq(millis(sweep.lease_until)));
            // Only one of several concurrent claims sets the lease.
            let is_claimed = self.execute(Scope::of(&account.tenant), lease).await? == 1;
            claimed.extend(is_claimed.then_some(account));
        }
        Ok(claimed)
    }

    async fn swept(&self, account: &SweptAccount, before: NaiveDate) -> Result<(), Unavailable> {
        let listed = diesel::update(accounts::table.find(key(&account.tenant, &account.account)))
            .filter(accounts::returns_listed_before.lt(day(before)))
            .set((accounts::returns_listed_before.eq(day(before)), accounts::returns_lease_until.eq(None::<i64>)));
        self.execute(Scope::of(&account.tenant), listed).await.map(drop)
    }
}

impl Store {
    /// Returns attempts of the account whose IDs have one of these endings.
    async fn attempts_ending(
        &self,
        tenant: &Tenant,
        account: &MerchantAccountId,
        endings: &[String],
    ) -> Result<Vec<Attempt>, Unavailable> {
        let mut found = Vec::new();
        // Other symbols would be wildcards.
        let is_ending =
            |ending: &&String| !ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let mut endings = endings.iter().filter(is_ending).map(|ending| format!("%{ending}"));
        if let Some(first) = endings.next() {
            // The same statement for one ending and for two.
            let second = endings.next().unwrap_or_else(|| first.clone());
            let query = attempts::table
                .filter(only!(attempts, tenant, account = account.to_string()))
                .filter(attempts::id.like(first).or(attempts::id.like(second)))
                .limit(i64::try_from(MATCHING).unwrap_or(i64::MAX))
                .select(AttemptRow::as_select());
            found = self.all(Scope::of(tenant), query).await?;
        }
        Ok(found)
    }
}

/// Refunds with their credit notes.
#[auto_type(no_type_alias)]
fn refunds_with_notes() -> _ {
    let its_note = fiscal_documents::merchant
        .eq(refunds::merchant)
        .and(fiscal_documents::mode.eq(refunds::mode))
        .and(fiscal_documents::refund.eq(refunds::id.nullable()));
    let columns: (AsSelect<RefundRow, Backend>, AsSelect<Option<DocumentRow>, Backend>) =
        (RefundRow::as_select(), Option::<DocumentRow>::as_select());
    refunds::table.left_join(fiscal_documents::table.on(its_note)).select(columns)
}

fn refunded_sale(sale: Sale, records: Vec<RefundRecord>) -> RefundedSale {
    let (refunds, notes): (Vec<_>, Vec<_>) = records.into_iter().map(|record| (record.refund, record.note)).unzip();
    RefundedSale { sale, refunds, notes: notes.into_iter().flatten().collect() }
}

fn restore_swept((row, provider, listed_before): (Key, String, String)) -> Result<SweptAccount, Unavailable> {
    let illegal = |column: &str| unavailable(format!("accounts.{column} of {} is inconsistent", row.2));
    let provider = Provider::load(provider, "provider").map_err(illegal)?;
    let from = match listed_before.as_str() {
        "" => None,
        before => Some(date(before).ok_or_else(|| illegal("returns_listed_before"))?),
    };
    let (tenant, account) = restore_key("accounts", row.clone()).map_err(unavailable)?;
    Ok(SweptAccount { tenant, account, provider, from })
}
