//! What the worker does when, against a queue that only keeps a calendar.

mod advance;
mod plenty;
mod run;
mod support;
