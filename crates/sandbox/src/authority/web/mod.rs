//! Web services of the simulated authority, in the protocol of DGII.
//!
//! One address serves both of the authority's hosts. DGII does not document two points, which are assumptions here: a
//! query with the security code of another document finds no document, and the texts of refusals.

mod access;
mod api;
mod behavior;
mod form;
mod queries;
mod responses;
mod service;

pub use behavior::AuthorityBehavior;
pub use service::AuthorityService;
