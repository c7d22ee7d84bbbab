//! The simulated tax authority, with a parser and checks independent of the issuer side.

mod amounts;
mod annulment;
mod annulment_port;
mod balance_rules;
mod computed;
mod element;
mod encoding;
mod examine;
mod foreign;
mod index;
mod judge;
mod parsed;
mod parsed_note;
mod port;
mod reception;
mod record;
mod reference_rules;
mod refusal;
mod registry;
mod ruling;
mod schemas;
mod simulated;
mod structure;
mod totals;
mod trigger;
mod values;
mod view;
mod web;
mod xmlsec;

pub use examine::{Examination, ExamineError, examine};
pub use refusal::ForcedRefusal;
pub use schemas::{SchemaFilesError, Schemas};
pub use simulated::Authority;
pub use view::{DocumentView, MessageView};
pub use web::{AuthorityBehavior, AuthorityService};
pub use xmlsec::Xmlsec;
