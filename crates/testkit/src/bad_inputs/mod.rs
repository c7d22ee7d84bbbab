//! Sends invalid and hostile requests, and checks the responses. The cases are data in `fixtures/badinputs/`, whose
//! `README.md` describes the format.

mod case_request;
mod checks;
mod data;
mod list;
mod placeholders;
mod run;
mod server;
mod socket;

pub use data::{CaseFile, files};
pub use list::check_case_list;
pub use run::{CaseSelection, run};
pub use server::{Placeholders, ServerUnderTest, TableContents};
pub use socket::{RawResponse, send_raw};
