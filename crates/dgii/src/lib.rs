//! The authority's formats: what a fiscal document looks like to DGII.
//!
//! [`Composer`] writes e-CF documents of types 31, 32 and 45 and the summary (RFCE) of small
//! consumer documents, ready to be signed: compact, without a `Signature`, with nothing left empty.
//!
//! Whatever it returns follows the authority's schemas once a `Signature` is appended. What would
//! not is a [`ports::Malformed`] that names the element and the rule. The choices that the schemas
//! leave open stand where they are made: texts in `text`, the issuer and the buyer in `header`,
//! non-billable lines in `totals`.
//!
//! Sources: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, *Formato Resumen Factura
//! Consumo Electrónica v1.0*, and the schemas `e-CF 31`, `e-CF 32`, `e-CF 45` and `RFCE 32`, v. 1.0.

mod compose;
mod header;
mod items;
mod rules;
mod sheet;
mod summary;
mod text;
mod totals;

pub use compose::Composer;
