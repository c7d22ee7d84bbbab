//! The samples are valid, and the fakes do as they are told.

mod facts;
mod fakes;
mod samples;
