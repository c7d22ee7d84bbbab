//! Times at which the worker acts, with a queue that only has a calendar.

mod advance;
mod plenty;
mod run;
mod support;
