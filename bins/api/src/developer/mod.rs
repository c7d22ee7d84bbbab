//! Tools for developers of webhook receivers: events of a running sandbox on the same machine.

mod api;
mod gone;
mod listen;
mod recipes;
mod sale;
mod trigger;

pub(crate) use {listen::run as listen, trigger::run as trigger};
