//! The one stylesheet and the one script, at addresses that change with what they say.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::LazyLock,
};

use actix_web::{
    HttpResponse,
    http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS},
    web::Path,
};

const STYLE: &str = include_str!("../assets/checkout.css");
const SCRIPT: &str = include_str!("../assets/checkout.js");

/// The path of the stylesheet.
pub(crate) fn style() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/checkout-{}.css", digest(STYLE)));
    &PATH
}

/// The path of the script.
pub(crate) fn script() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| format!("/assets/checkout-{}.js", digest(SCRIPT)));
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

/// The same for the same text, as long as the binary is the same.
fn digest(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
