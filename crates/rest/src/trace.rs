use domain::RequestId;
use tracing::{Span, field::Empty};

use crate::trail::Found;

/// The target of the span that an exchange is to whoever collects traces. It says what the line in
/// the log says, in the words of OpenTelemetry; whoever has no use for it leaves the target out.
pub const TRACES: &str = "traces";

/// The span of an exchange that begins.
pub(crate) fn begin(id: &RequestId, method: &'static str) -> Span {
    tracing::info_span!(
        target: TRACES,
        "request",
        otel.name = method,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = Empty,
        http.response.status_code = Empty,
        error.type = Empty,
        cobro.request = %id,
        cobro.tenant = Empty,
        cobro.mode = Empty,
    )
}

/// Notes what became of it. A span that nobody collects takes no notes.
pub(crate) fn end(span: &Span, method: &'static str, found: &Found, status: u16) {
    if span.is_disabled() {
        return;
    }
    if let Some(route) = &found.route {
        span.record("otel.name", format!("{method} {route}"));
        span.record("http.route", route);
    }
    // A number that has no sign would reach them as text.
    span.record("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
    if let Some(code) = found.code {
        span.record("error.type", code);
    }
    if let Some(who) = &found.who {
        span.record("cobro.tenant", &who.tenant);
        span.record("cobro.mode", who.mode);
    }
}
