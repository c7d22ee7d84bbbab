//! The one stylesheet and the one script. They stand in each page: whoever pays is here once, and waits for no second answer.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine as _, prelude::BASE64_STANDARD};

/// What every page looks like.
pub(crate) const STYLE: &str = include_str!("../assets/checkout.css");
/// What is smoother with a script.
pub(crate) const SCRIPT: &str = include_str!("../assets/checkout.js");

/// The stylesheet as a policy names it: a browser takes no other.
pub(crate) fn style() -> &'static str {
    static SOURCE: LazyLock<String> = LazyLock::new(|| source(STYLE));
    &SOURCE
}

/// The script as a policy names it: a browser runs no other.
pub(crate) fn script() -> &'static str {
    static SOURCE: LazyLock<String> = LazyLock::new(|| source(SCRIPT));
    &SOURCE
}

fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Either would end its own element, and begin whatever comes after it.
    #[test]
    fn neither_text_ends_its_element() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }
}
