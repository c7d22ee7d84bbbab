//! Routes and digests in journals and lists.

use domain::fiscal::Route;

pub(crate) const fn route(route: Route) -> &'static str {
    match route {
        Route::Full => "full",
        Route::Summary => "summary",
    }
}

pub(crate) fn route_of(text: &str) -> Option<Route> {
    [Route::Full, Route::Summary].into_iter().find(|it| route(*it) == text)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses 32 bytes in hexadecimal.
pub(crate) fn digest_of(text: &str) -> Option<[u8; 32]> {
    let pairs = (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at.checked_add(2)?)?, 16).ok());
    pairs.collect::<Option<Vec<u8>>>()?.try_into().ok()
}
