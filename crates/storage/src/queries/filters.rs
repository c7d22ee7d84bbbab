//! Parts of statements about the rows of one tenant.

use ports::Tenant;

/// Filter on the rows of a tenant with these values in further columns.
macro_rules! only {
    ($table:ident, $tenant:expr $(, $column:ident = $value:expr)* $(,)?) => {
        $table::merchant
            .eq($tenant.merchant.to_string())
            .and($table::mode.eq($tenant.mode.as_str()))
            $(.and($table::$column.eq($value)))*
    };
}

/// Inserts a row, unless a row with this key exists.
macro_rules! insert {
    ($table:ident, $row:expr) => {
        diesel::insert_into($table::table).values($row).on_conflict_do_nothing()
    };
}

/// Earliest due time of rows without a lease, and earliest end of a lease of due rows.
macro_rules! first_due {
    ($table:ident) => {{
        let due = $table::table.filter($table::due_at.is_not_null());
        let later = diesel::dsl::case_when($table::lease_until.gt($table::due_at), $table::lease_until)
            .otherwise($table::due_at);
        due.filter($table::lease_until.is_null())
            .select(diesel::dsl::min($table::due_at))
            .union_all(due.filter($table::lease_until.is_not_null()).select(diesel::dsl::min(later)))
    }};
}

/// Sets the end of the lease of a row that is due some time.
macro_rules! postpone {
    ($table:ident, $key:expr, $until:expr) => {
        diesel::update($table::table.find($key))
            .filter($table::due_at.is_not_null())
            .set($table::lease_until.eq(millis($until)))
    };
}

/// Restricts the list `$query` to a page, by the columns with the time and the identifier of a sale or a refund.
macro_rules! page {
    ($query:ident, $search:ident, $page:ident, $created_at:path, $id:path as $name:ident) => {{
        if let Some(first) = $search.created_after {
            $query = $query.filter($created_at.ge($crate::time::bound(first)));
        }
        if let Some(end) = $search.created_before {
            $query = $query.filter($created_at.lt($crate::time::bound(end)));
        }
        if let Some(after) = &$page.after {
            let created_at = $crate::time::millis(after.created_at);
            // The plain bound is redundant, but lets the scan of the index start there.
            $query = $query.filter($created_at.le(created_at));
            // The position before the first row has no identifier.
            if let Some(id) = $name::parse(&after.id) {
                $query = $query.filter($created_at.lt(created_at).or($id.lt(id.to_string())));
            }
        }
        $query.order(($created_at.desc(), $id.desc())).limit($page.limit.into())
    }};
}

pub(super) use {first_due, insert, only, page, postpone};

/// Returns the key of a row of a tenant.
pub(super) fn key(tenant: &Tenant, id: &impl ToString) -> (String, &'static str, String) {
    (tenant.merchant.to_string(), tenant.mode.as_str(), id.to_string())
}
