//! PDF files, read by independent programs.

mod facts;
mod files;
mod layout;
mod notes;
#[path = "../../examples/ready_fonts/outline.rs"]
mod outline;
mod ready_fonts;
#[path = "../../examples/ready_fonts/slices.rs"]
mod slices;
mod support;
#[path = "../../examples/ready_fonts/truetype.rs"]
mod truetype;
