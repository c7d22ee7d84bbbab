//! PDF files, read by independent programs.

mod facts;
mod files;
mod layout;
mod notes;
mod support;
