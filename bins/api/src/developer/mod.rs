//! Tools for developers of webhook receivers: events of a running sandbox on the same machine.

mod api;
mod gone;
mod listen;
mod recipes;
mod sale;
mod trigger;

use std::io::{self, Write};

use crate::failure::{Context, Done};

pub(crate) use {listen::run as listen, trigger::run as trigger};

/// One line on stdout.
fn say(line: &str) -> Done {
    writeln!(io::stdout(), "{line}").or_fail("stdout is closed")
}
