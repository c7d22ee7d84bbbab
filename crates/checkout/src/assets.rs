//! The one stylesheet and the one script, at addresses that change with what they say.

use std::sync::LazyLock;

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
    web::Path,
};
use aws_lc_rs::digest::{SHA384, digest};
use base64::{Engine as _, prelude::BASE64_STANDARD};

const STYLE: &str = include_str!("../assets/checkout.css");
const SCRIPT: &str = include_str!("../assets/checkout.js");

/// The path of the stylesheet.
pub(crate) fn style() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/checkout-{}.css", short(STYLE)));
    &PATH
}

/// The path of the script.
pub(crate) fn script() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/checkout-{}.js", short(SCRIPT)));
    &PATH
}

/// One of the two. While two versions of the program serve side by side, a page of the one may ask the other: that gives
/// its own, and nobody keeps it under the wrong name.
pub(crate) async fn serve(name: Path<String>) -> HttpResponse {
    let (media, own, text) = match name.rsplit_once('.') {
        Some((_, "css")) => ("text/css; charset=utf-8", style(), STYLE),
        Some((_, "js")) => ("text/javascript; charset=utf-8", script(), SCRIPT),
        _ => return HttpResponse::NotFound().finish(),
    };
    let is_own = own.strip_prefix("/assets/") == Some(name.as_str());
    let kept = if is_own { "public, max-age=31536000, immutable" } else { "no-store" };
    HttpResponse::Ok()
        .content_type(media)
        .insert_header((CACHE_CONTROL, kept))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header(("cross-origin-resource-policy", "same-origin"))
        .body(text)
}

/// What the script says, as a digest: a browser runs no other in its place.
pub(crate) fn script_integrity() -> &'static str {
    static INTEGRITY: LazyLock<String> =
        LazyLock::new(|| format!("sha384-{}", BASE64_STANDARD.encode(digest(&SHA384, SCRIPT.as_bytes()))));
    &INTEGRITY
}

/// The beginning of a digest: enough to tell one text from the next.
fn short(text: &str) -> String {
    digest(&SHA384, text.as_bytes()).as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
