use domain::RequestId;
use tracing::{Span, field::Empty};

use crate::request_log::RequestFacts;

/// Target of the span of a request for trace collectors. The span has the facts of the log line as OpenTelemetry
/// attributes. Log subscribers exclude this target.
pub const TRACES: &str = "traces";

/// Starts the span of a request.
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

/// Records the outcome, if the span is collected.
pub(crate) fn end(span: &Span, method: &'static str, facts: &RequestFacts, status: u16) {
    if span.is_disabled() {
        return;
    }
    if let Some(route) = &facts.route {
        span.record("otel.name", format!("{method} {route}"));
        span.record("http.route", route);
    }
    // The exporter sends an unsigned number as text.
    span.record("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.record("otel.status_code", "ERROR");
    }
    if let Some(code) = facts.code {
        span.record("error.type", code);
    }
    if let Some(caller) = &facts.caller {
        span.record("cobro.tenant", &caller.tenant);
        span.record("cobro.mode", caller.mode);
    }
}
