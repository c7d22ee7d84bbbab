//! The tax authority's document schemas: tables of facts, and XSD files generated from these tables.
//!
//! DGII publishes its schemas without a licence, so the project contains none of them. Which elements a document has, in
//! which order, how often and with which values are facts: `fixtures/schemas` holds them as tables. [`xsd`] writes a
//! schema from the tables that accepts and rejects the same documents as the official one. [`official`] reads official
//! files into the tables.

pub mod official;
mod table;
mod validate;
mod xsd;

pub use table::{Facet, Schema, SchemaElement, TYPES, tables};
pub use validate::Validator;
pub use xsd::{write_all, xsd};

/// Every schema, in the order of the columns of the tables.
///
/// DGII's own file names differ in their spelling.
pub const SCHEMAS: [SchemaName; 15] = [
    SchemaName { table: "ecf.tsv", column: "31", file: "e-CF 31 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "32", file: "e-CF 32 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "33", file: "e-CF 33 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "34", file: "e-CF 34 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "41", file: "e-CF 41 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "43", file: "e-CF 43 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "44", file: "e-CF 44 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "45", file: "e-CF 45 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "46", file: "e-CF 46 v.1.0.xsd" },
    SchemaName { table: "ecf.tsv", column: "47", file: "e-CF 47 v.1.0.xsd" },
    SchemaName { table: "rfce.tsv", column: "RFCE", file: "RFCE 32 v.1.0.xsd" },
    SchemaName { table: "acecf.tsv", column: "ACECF", file: "ACECF v.1.0.xsd" },
    SchemaName { table: "arecf.tsv", column: "ARECF", file: "ARECF v1.0.xsd" },
    SchemaName { table: "anecf.tsv", column: "ANECF", file: "ANECF v.1.0.xsd" },
    SchemaName { table: "semilla.tsv", column: "Semilla", file: "Semilla v.1.0.xsd" },
];

/// Location of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaName {
    /// File name of the table of elements.
    pub table: &'static str,
    /// Name of the column in that table, and in the table of types.
    pub column: &'static str,
    /// DGII's file name.
    pub file: &'static str,
}
