//! Printed representations, as programs that know nothing of us read them.

mod facts;
mod files;
mod layout;
mod support;
