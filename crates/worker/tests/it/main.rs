//! Times at which the worker acts, with a queue that only has a calendar.

mod advance;
mod batches;
mod plenty;
mod run;
mod support;
