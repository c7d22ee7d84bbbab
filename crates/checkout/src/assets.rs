//! Stylesheet and script. Each page contains both, so that a payer waits for one response only.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine as _, prelude::BASE64_STANDARD};

/// Stylesheet of every page.
pub(crate) const STYLE: &str = include_str!("../assets/checkout.css");
/// Optional script: every page works without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/checkout.js");

/// CSP source of the stylesheet.
pub(crate) static STYLE_SOURCE: LazyLock<String> = LazyLock::new(|| csp_source(STYLE));
/// CSP source of the script.
pub(crate) static SCRIPT_SOURCE: LazyLock<String> = LazyLock::new(|| csp_source(SCRIPT));

fn csp_source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tag in the text would end the element that contains the text.
    #[test]
    fn style_and_script_contain_no_tag() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }
}
