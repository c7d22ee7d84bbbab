//! Rows that are made of columns, and read back.

use super::Inconsistent;

/// A row of a query that holds one value.
pub(crate) trait StoredRow: Sized {
    type Value;

    /// # Errors
    ///
    /// The column that has no legal value.
    fn restore(self) -> Result<Self::Value, Inconsistent>;
}

/// Declares a row of a table, and converts a value of the domain to the row and back.
///
/// First come the columns, by their Rust types; `(a: A, b: B) as field` are columns that store one field together. Then
/// comes the value, with the name of its column for each field: this is the pattern of the value when it is stored, and
/// the expression when it is read. The columns after `by` name the row in errors.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $row:ident in $table:ident by $($key:ident)* {
            $($(#[$attribute:meta])* $column:ident: $stored:ty,)*
            $(($($part:ident: $part_stored:ty),+) as $field:ident,)*
        }
        $value:ident $fields:tt $(of $owner:ident $tenant:tt)?
    ) => {
        $(#[$meta])*
        #[derive(diesel::Queryable, diesel::Selectable, diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(crate) struct $row {
            $($(#[$attribute])* pub(crate) $column: $stored,)*
            $($(pub(crate) $part: $part_stored,)+)*
        }

        impl From<($(&$owner,)? &$value)> for $row {
            fn from(($($owner $tenant,)? $value $fields): ($(&$owner,)? &$value)) -> Self {
                $(let ($($part),+) = $crate::column::Column::store($field);)*
                Self { $($column: $crate::column::Column::store($column),)* $($($part,)+)* }
            }
        }

        impl $crate::rows::StoredRow for $row {
            type Value = $value;

            fn restore(self) -> Result<$value, $crate::rows::Inconsistent> {
                let key = Vec::<String>::from([$(self.$key.to_string()),*]).join(" ");
                self.read().map_err($crate::rows::Inconsistent::of(stringify!($table), &key))
            }
        }

        impl $row {
            /// # Errors
            ///
            /// The column that has no legal value.
            fn read(self) -> Result<$value, &'static str> {
                $(let $column = $crate::column::Column::load(self.$column, stringify!($column))?;)*
                $(
                    let stored = ($(self.$part),+);
                    let $field = $crate::column::Column::load(stored, stringify!($field))?;
                )*
                $(let _ = $owner $tenant;)?
                Ok($value $fields)
            }
        }
    };
}
pub(crate) use row;
