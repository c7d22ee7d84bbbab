//! Writes the ready fonts in `crates/pdf/fonts`. A test compares them with what this program makes.
//!
//! ```text
//! cargo run -p pdf --example ready_fonts
//! ```

mod outline;
mod slices;
mod truetype;

use std::{fs, path::Path};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fonts");
    for (name, font, is_bold) in [("regular.bin", notosans::REGULAR_TTF, false), ("bold.bin", notosans::BOLD_TTF, true)]
    {
        let ready = slices::ready_font(font, is_bold);
        fs::write(folder.join(name), ready).expect("the folder can be written");
    }
}
