//! Web services of the acquirer: the protocol of AZUL with its pitfalls.
//!
//! Requests are not deduplicated; a look-up returns the newest transaction of a name; captures and voids have the name
//! of their original. AZUL does not document the order of checks, which is an assumption here.

mod api;
mod data_vault;
mod form;
mod handlers;
mod profile;
mod responses;
mod returns;
mod service;
mod three_ds;
mod tls;

pub use profile::AcquirerProfile;
pub use responses::LookupFormat;
pub use service::{AcquirerListenError, AcquirerService};
pub use tls::{AcquirerTls, TlsConfigError};
