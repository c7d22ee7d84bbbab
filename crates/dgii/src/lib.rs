//! DGII, the Dominican tax authority: formats of fiscal documents, and the web services as a [`ports::TaxAuthority`].
//!
//! [`Dgii`] submits signed documents and looks up their state. No request is sent twice automatically: there are no
//! retries and no redirects, and a missing response is an unknown verdict. A pure function (`classify`) with a table of
//! codes (`codes`) decides the meaning of a response.
//!
//! [`RegisterReader`] parses DGII's register of taxpayers.
//!
//! [`Composer`] writes e-CF documents of types 31, 32, 34 and 45 and the summary (RFCE) of small consumer documents, ready
//! for the signature: compact, without a `Signature`, without empty elements.
//!
//! The documents are valid by DGII's schemas once a `Signature` is appended. Invalid input returns a
//! [`ports::Malformed`] with the element and the rule. Decisions that the schemas leave open are documented in the
//! modules: texts in `text`, issuer and buyer in `header`, non-billable lines in `totals`.
//!
//! Sources: DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*, *Formato Resumen Factura Consumo Electrónica
//! v1.0*, and the schemas `e-CF 31`, `e-CF 32`, `e-CF 34`, `e-CF 45` and `RFCE 32`, v. 1.0.

mod annulment;
mod classify;
mod codes;
mod compose;
mod connection;
mod directory;
mod ensure;
mod form;
mod header;
mod http_client;
mod interchange;
mod items;
mod look_up;
mod note;
mod note_rules;
mod other_currency;
mod port;
mod register;
mod response;
mod rules;
mod seed;
mod summary;
mod text;
mod token;
mod totals;
mod tree;
mod xml_writer;

pub use codes::refusal_rules;
pub use compose::Composer;
pub use connection::{DgiiConnection, DgiiConnectionInvalid};
pub use directory::ElectronicReceiver;
pub use port::Dgii;
pub use register::{RegisterInvalid, RegisterReader};
