//! One test binary for the crate; one module per subject.

mod digests;
mod key_file;
mod master_key;
mod sealing;
