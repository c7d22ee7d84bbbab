//! Requests that nobody should send, and what is due to them. They are data, in
//! `fixtures/badinputs/`, whose `README.md` says how they are written down; this is what sends them.

mod data;
mod exchange;
mod ground;
mod list;
mod run;
mod socket;
mod standing;
mod words;

pub use data::{CaseFile, files};
pub use ground::{Placeholders, ServerUnderTest, TableContents};
pub use list::check_case_list;
pub use run::{CaseSelection, run};
pub use socket::{RawResponse, send_raw};
