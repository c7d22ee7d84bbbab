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

pub(super) use {first_due, insert, only, postpone};

/// Returns the key of a row of a tenant.
pub(super) fn key(tenant: &Tenant, id: &impl ToString) -> (String, &'static str, String) {
    (tenant.merchant.to_string(), tenant.mode.as_str(), id.to_string())
}
