//! Tests of the samples and of the fakes.

mod facts;
mod fakes;
mod samples;
