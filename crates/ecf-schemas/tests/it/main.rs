//! Schemas that are generated from the tables.

mod facts;
mod validation;
mod verdicts;
