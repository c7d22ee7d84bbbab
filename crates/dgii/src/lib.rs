//! DGII, the Dominican tax authority: what a fiscal document looks like to it, and its web services as a
//! [`ports::TaxAuthority`].
//!
//! [`Dgii`] sends what is signed and asks what became of it. Nothing is sent twice by itself: there are no retries and no
//! redirects, and whatever is not an answer is a doubt. What the answers mean is a pure function (`classify`) over a table
//! of codes (`codes`).
//!
//! [`RegisterReader`] reads the register of taxpayers that it publishes.
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

mod annulment;
mod answer;
mod classify;
mod codes;
mod compose;
mod connection;
mod exchange;
mod foreign;
mod form;
mod header;
mod items;
mod line;
mod port;
mod question;
mod register;
mod rules;
mod seed;
mod services;
mod sheet;
mod summary;
mod text;
mod token;
mod totals;
mod tree;

pub use codes::refusal_rules;
pub use compose::Composer;
pub use connection::{DgiiConnection, DgiiConnectionInvalid};
pub use port::Dgii;
pub use register::{RegisterInvalid, RegisterReader};
pub use services::{ElectronicReceiver, ServiceStatus};
