use async_trait::async_trait;
use diesel::{
    dsl::{auto_type, sql},
    prelude::*,
    query_builder::AsChangeset,
    sql_types::Bool,
};
use domain::{
    AnnulmentId, FiscalDocument,
    fiscal::{Annulment, AssignedNumber, IssuerSetupChange, NumberRange, ProblemCode},
};
use ports::{Committed, NumberLedger, Tenant, Unavailable, Withdrawal};

use super::{
    Backend, Store,
    commit::write_document,
    filters::{key, only},
    registry::retry,
};
use crate::{
    column::Column,
    failure::{Refused, committed, unavailable},
    rows::{AnnulmentRow, AssignedNumberRow, DocumentRow, RangeRow, StoredRow},
    schema::{annulments, fiscal_documents, fiscal_numbers, number_ranges},
    scope::Scope,
    time::millis,
    write::{Counter, CounterFromCte, Update, Write},
};

/// Age of the shortened range, which is also that of the new range beyond the withdrawn numbers.
const SHORTENED: Counter = Counter { name: "shortened_range", column: "created_at" };

#[async_trait]
impl NumberLedger for Store {
    async fn ranges(&self, tenant: &Tenant) -> Result<Vec<NumberRange>, Unavailable> {
        let query = number_ranges::table
            .filter(only!(number_ranges, tenant))
            .order((number_ranges::created_at, number_ranges::environment, number_ranges::kind, number_ranges::first))
            .select(RangeRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn assigned(
        &self,
        tenant: &Tenant,
        range: &NumberRange,
        from: u64,
        limit: u16,
    ) -> Result<Vec<AssignedNumber>, Unavailable> {
        let query = numbers_with_documents()
            .filter(only!(fiscal_numbers, tenant, issuer = range.issuer.as_str().to_owned()))
            .filter(fiscal_numbers::environment.eq(range.environment.as_str()))
            .filter(fiscal_numbers::kind.eq(range.kind.as_str()))
            .filter(fiscal_numbers::sequence.between(bound(from.max(range.first)), bound(range.last)))
            .order(fiscal_numbers::sequence)
            .limit(limit.into())
            .select((
                fiscal_numbers::kind,
                fiscal_numbers::sequence,
                fiscal_numbers::valid_until,
                fiscal_numbers::issue_date,
                fiscal_numbers::document,
                fiscal_numbers::revision,
                fiscal_numbers::assigned_at,
                fiscal_documents::payment,
                fiscal_documents::revision,
                fiscal_documents::status,
                fiscal_documents::stage,
            ));
        self.all::<AssignedNumberRow, _>(Scope::of(tenant), query).await
    }

    async fn withdraw(&self, withdrawal: Withdrawal) -> Result<Committed, Unavailable> {
        let scope = Scope::of(&withdrawal.tenant);
        // Documents that wait for a range get their numbers from another range now.
        let retry = retry(&withdrawal.tenant, IssuerSetupChange::Range, withdrawal.annulment.intended_at);
        let mut writes = writes(withdrawal);
        writes.extend(retry);
        committed(self.apply(scope, writes).await)
    }

    async fn step(&self, tenant: &Tenant, from: &NumberRange, to: &NumberRange) -> Result<Committed, Unavailable> {
        committed(self.apply(Scope::of(tenant), vec![move_range(from, to)]).await)
    }

    async fn contested(&self, tenant: &Tenant, limit: u16) -> Result<Vec<FiscalDocument>, Unavailable> {
        let of_tenant = || fiscal_documents::table.filter(only!(fiscal_documents, tenant));
        let refused = of_tenant()
            // Literal values, to match the partial index.
            .filter(sql::<Bool>("fiscal_documents.status = 'rejected'"))
            .filter(fiscal_documents::stage.like(format!("%\"{}\"%", ProblemCode::DuplicateNumber.as_str())))
            .order((fiscal_documents::created_at, fiscal_documents::id))
            .limit(limit.into())
            .select(DocumentRow::as_select());
        let doubted = of_tenant()
            .filter(fiscal_documents::problem.is_not_null())
            .filter(fiscal_documents::problem.eq(ProblemCode::AuthorityResultUnknown.as_str()))
            .filter(fiscal_documents::stage.not_like("%\"duplicates\":0,%"))
            .order((fiscal_documents::created_at, fiscal_documents::id))
            .limit(limit.into())
            .select(DocumentRow::as_select());
        let rows: (Vec<DocumentRow>, Vec<DocumentRow>) = self.load_two(Scope::of(tenant), refused, doubted).await?;
        let documents: Result<Vec<_>, _> = rows.0.into_iter().chain(rows.1).map(DocumentRow::restore).collect();
        let mut documents = documents.map_err(unavailable)?;
        documents.retain(|it| it.contested_number().is_some());
        documents.sort_by(|one, other| {
            (one.facts.created_at, &one.facts.id).cmp(&(other.facts.created_at, &other.facts.id))
        });
        documents.truncate(limit.into());
        Ok(documents)
    }

    async fn annulments(&self, tenant: &Tenant) -> Result<Vec<Annulment>, Unavailable> {
        let query = annulments::table
            .filter(only!(annulments, tenant))
            .order((annulments::requested_at, annulments::id))
            .select(AnnulmentRow::as_select());
        self.all(Scope::of(tenant), query).await
    }

    async fn annulment(&self, tenant: &Tenant, id: &AnnulmentId) -> Result<Option<(Annulment, Vec<u8>)>, Unavailable> {
        let query = annulments::table.find(key(tenant, id)).select((AnnulmentRow::as_select(), annulments::xml));
        self.one::<(AnnulmentRow, Vec<u8>), _>(Scope::of(tenant), query).await
    }

    async fn settle(&self, tenant: &Tenant, to: &Annulment) -> Result<(), Unavailable> {
        let set = (
            annulments::state.eq(to.state.as_str()),
            annulments::resolved_at.eq(to.settled_at.map(millis)),
            annulments::authority_messages.eq(to.authority_messages.store()),
        );
        let settle = diesel::update(annulments::table.find(key(tenant, &to.id))).set(set);
        self.execute(Scope::of(tenant), settle).await.map(drop)
    }
}

/// Shortens the range, unless it has changed since, stores the numbers beyond as a new range, and stores the annulment.
///
/// The new range reads the age of the shortened one, and so is inserted after it: until then both would overlap.
fn writes(Withdrawal { tenant, from, to, documents, annulment, xml }: Withdrawal) -> Vec<Write<Backend>> {
    let row = (AnnulmentRow::from((&tenant, &annulment)), annulments::xml.eq(xml));
    let mut writes = vec![
        move_range(&from, &to.range).moving(SHORTENED),
        Write::or(Refused::Stale, diesel::insert_into(annulments::table).values(row)),
    ];
    writes.extend(documents.iter().map(write_document));
    if let Some(beyond) = to.beyond {
        let current = number_ranges::table.filter(is_range(&from)).select(number_ranges::created_at);
        let age = number_ranges::created_at.eq(CounterFromCte { counter: SHORTENED, back: 0, current });
        let row = (RangeRow::from((&tenant, &beyond)), age);
        writes.push(Write::or(Refused::Stale, diesel::insert_into(number_ranges::table).values(row)));
    }
    writes
}

/// Moves a range to `to`, if the stored range is the one that was read.
fn move_range(from: &NumberRange, to: &NumberRange) -> Write<Backend> {
    let is_as_read = number_ranges::next.eq(bound(from.next)).and(number_ranges::last.eq(bound(from.last)));
    let set = (number_ranges::next.eq(bound(to.next)), number_ranges::last.eq(bound(to.last)));
    let only = is_range(from).and(is_as_read);
    Write::or(Refused::Stale, Update { table: "number_ranges", set: set.as_changeset(), only })
}

#[auto_type(no_type_alias)]
fn is_range(range: &NumberRange) -> _ {
    let issuer: String = range.issuer.as_str().to_owned();
    let environment: &'static str = range.environment.as_str();
    let kind: &'static str = range.kind.as_str();
    let first: i64 = bound(range.first);
    number_ranges::issuer
        .eq(issuer)
        .and(number_ranges::environment.eq(environment))
        .and(number_ranges::kind.eq(kind))
        .and(number_ranges::first.eq(first))
}

/// Converts a number. No stored number is as large as the maximum.
fn bound(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}

/// Joins each assigned number with its document.
#[auto_type(no_type_alias)]
pub(super) fn numbers_with_documents() -> _ {
    let same_document = fiscal_documents::merchant
        .eq(fiscal_numbers::merchant)
        .and(fiscal_documents::mode.eq(fiscal_numbers::mode))
        .and(fiscal_documents::id.eq(fiscal_numbers::document));
    fiscal_numbers::table.inner_join(fiscal_documents::table.on(same_document))
}
