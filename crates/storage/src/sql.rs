//! Statements in `.sql` files with named parameters.
//!
//! The files are in `sql/`: one folder for each database, and files for both. `:name` is a parameter, and a line
//! that starts with `--` is a comment. The compiler checks that a use has exactly the names of the file. A
//! statement is sent without comments and on one line; the text is always the same, and so prepared once.

use std::marker::PhantomData;

use diesel::{
    QueryResult,
    backend::Backend,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    result::Error::QueryBuilderError,
    sql_types::{Array, BigInt, Bool, Nullable, Text},
    sqlite::Sqlite,
};

use crate::query::AnyStatement;

/// Value of a named parameter.
pub(crate) enum Bind<DB: Backend> {
    Integer(i64),
    Text(String),
    Bool(bool),
    Integers(Vec<i64>),
    OptionalIntegers(Vec<Option<i64>>),
    Texts(Vec<String>),
    /// A part of the statement itself: the name of a function.
    Sql(&'static str),
    /// A part of the statement itself, with parameters.
    Fragment(AnyStatement<DB>),
}

/// A statement of an `.sql` file with values of the parameters; see the macro `sql_file`.
pub(crate) struct SqlFile<DB: Backend> {
    pub(crate) text: &'static str,
    pub(crate) binds: Vec<(&'static str, Bind<DB>)>,
}

/// A statement that returns rows of the SQL type `ST`.
pub(crate) struct SqlQuery<DB: Backend, ST>(SqlFile<DB>, PhantomData<ST>);

/// Makes a [`SqlFile`] from the path of a file in `sql/`, without the extension, and values of the parameters.
macro_rules! sql_file {
    ($path:literal $(, $name:ident: $value:expr)* $(,)?) => {{
        const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $path, ".sql"));
        const { assert!($crate::sql::has_parameters(TEXT, &[$(stringify!($name)),*]), "the names differ") };
        $crate::sql::SqlFile { text: TEXT, binds: vec![$((stringify!($name), $value.into())),*] }
    }};
}
pub(crate) use sql_file;

impl<DB: Backend> SqlFile<DB> {
    pub(crate) const fn returning<ST>(self) -> SqlQuery<DB, ST> {
        SqlQuery(self, PhantomData)
    }
}

impl<DB: Backend> QueryId for SqlFile<DB> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<DB: Backend> QueryFragment<DB> for SqlFile<DB>
where
    Bind<DB>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let lines = self.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("--"));
        for (index, mut line) in lines.enumerate() {
            if index > 0 {
                out.push_sql(" ");
            }
            while let Some(start) = parameter(line.as_bytes(), 0) {
                let end = name_end(line.as_bytes(), start);
                out.push_sql(&line[..start - 1]);
                let bind = self.binds.iter().find(|(name, _)| *name == &line[start..end]);
                let (_, bind) = bind.ok_or_else(|| QueryBuilderError("unknown parameter".into()))?;
                bind.walk_ast(out.reborrow())?;
                line = &line[end..];
            }
            out.push_sql(line);
        }
        Ok(())
    }
}

impl<DB: Backend, ST> Query for SqlQuery<DB, ST> {
    type SqlType = ST;
}

impl<DB: Backend, ST> QueryFragment<DB> for SqlQuery<DB, ST>
where
    Bind<DB>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }
}

impl QueryFragment<Pg> for Bind<Pg> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        match self {
            Self::Integer(value) => out.push_bind_param::<BigInt, _>(value),
            Self::Text(value) => out.push_bind_param::<Text, _>(value),
            Self::Bool(value) => out.push_bind_param::<Bool, _>(value),
            Self::Integers(values) => out.push_bind_param::<Array<BigInt>, _>(values),
            Self::OptionalIntegers(values) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(values),
            Self::Texts(values) => out.push_bind_param::<Array<Text>, _>(values),
            Self::Sql(text) => {
                out.push_sql(text);
                Ok(())
            }
            Self::Fragment(fragment) => fragment.walk_ast(out),
        }
    }
}

impl QueryFragment<Sqlite> for Bind<Sqlite> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        match self {
            Self::Integer(value) => out.push_bind_param::<BigInt, _>(value),
            Self::Text(value) => out.push_bind_param::<Text, _>(value),
            Self::Bool(value) => out.push_bind_param::<Bool, _>(value),
            Self::Integers(_) | Self::OptionalIntegers(_) | Self::Texts(_) => {
                Err(QueryBuilderError("SQLite has no arrays".into()))
            }
            Self::Sql(text) => {
                out.push_sql(text);
                Ok(())
            }
            Self::Fragment(fragment) => fragment.walk_ast(out),
        }
    }
}

macro_rules! bind_from {
    ($($type:ty => $variant:ident),* $(,)?) => {
        $(impl<DB: Backend> From<$type> for Bind<DB> {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

bind_from! {
    i64 => Integer,
    String => Text,
    bool => Bool,
    Vec<i64> => Integers,
    Vec<Option<i64>> => OptionalIntegers,
    Vec<String> => Texts,
    AnyStatement<DB> => Fragment,
}

impl<DB: Backend> From<&str> for Bind<DB> {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// Returns whether the parameters of `text` are exactly `names`.
pub(crate) const fn has_parameters(text: &str, names: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let mut found = 0_u64;
    let mut from = 0;
    while let Some(start) = parameter(bytes, from) {
        from = name_end(bytes, start);
        let mut index = 0;
        while index < names.len() && !is_name(bytes, start, from, names[index].as_bytes()) {
            index += 1;
        }
        if index == names.len() {
            return false;
        }
        found |= 1 << index;
    }
    found == (1 << names.len()) - 1
}

/// Returns the first position of the first name after `from`. Casts (`::`) and comments have no names.
const fn parameter(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at + 1 < text.len() {
        match (text[at], text[at + 1]) {
            (b':', b':') => at += 2,
            (b':', b'a'..=b'z') => return Some(at + 1),
            (b'-', b'-') => {
                while at < text.len() && text[at] != b'\n' {
                    at += 1;
                }
            }
            _ => at += 1,
        }
    }
    None
}

const fn name_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < text.len() && matches!(text[end], b'a'..=b'z' | b'_') {
        end += 1;
    }
    end
}

const fn is_name(text: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    if end - start != name.len() {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if text[start + index] != name[index] {
            return false;
        }
        index += 1;
    }
    true
}
