//! Metrics of payments, of calls to external services, and of the database.

use std::time::Duration;

use metrics::{Key, KeyName, Label, Level, Metadata, Recorder, Unit};
use metrics_exporter_prometheus::PrometheusRecorder;

/// Metadata of every metric.
pub(super) const SOURCE: Metadata<'static> = Metadata::new("rest", Level::INFO, None);

const PAYMENTS: &str = "cobro_payments_total";
const REFUNDS: &str = "cobro_refunds_total";
pub(super) const RETURNS_UNMATCHED: &str = "cobro_returns_unmatched_total";
pub(super) const OVER_RETURNED: &str = "cobro_refunds_over_returned_total";
const PROVIDER: &str = "cobro_provider_request_duration_seconds";
const AUTHORITY: &str = "cobro_authority_request_duration_seconds";
const IN_USE: &str = "cobro_database_connections_in_use";
const IDLE: &str = "cobro_database_connections_idle";
const WAITING: &str = "cobro_database_connections_waiting";

pub(super) const DURATIONS: [&str; 2] = [PROVIDER, AUTHORITY];

/// Use of the database connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionUse {
    /// Connections in use.
    pub in_use: usize,
    /// Idle connections.
    pub idle: usize,
    /// Callers that wait for a connection.
    pub waiting: usize,
}

pub(super) type PoolProbe = Box<dyn Fn() -> ConnectionUse + Send + Sync>;

/// A finished call to an external service.
#[derive(Clone, Copy, Debug)]
pub struct ExternalCall {
    /// The card provider; `None` for the tax authority.
    pub provider: Option<&'static str>,
    /// Operation, such as `charge`.
    pub operation: &'static str,
    /// Outcome, such as `approved`.
    pub outcome: &'static str,
    /// Duration.
    pub duration: Duration,
}

/// Counts a payment by outcome.
pub(super) fn count_payment(recorder: &PrometheusRecorder, outcome: &'static str) {
    let labels = vec![Label::from_static_parts("outcome", outcome)];
    recorder.register_counter(&Key::from_parts(PAYMENTS, labels), &SOURCE).increment(1);
}

/// Counts a leg of a refund by outcome and method.
pub(super) fn count_refund(recorder: &PrometheusRecorder, outcome: &'static str, method: &'static str) {
    let labels = vec![Label::from_static_parts("outcome", outcome), Label::from_static_parts("method", method)];
    recorder.register_counter(&Key::from_parts(REFUNDS, labels), &SOURCE).increment(1);
}

/// Records the duration of a call.
pub(super) fn record_call(recorder: &PrometheusRecorder, call: ExternalCall) {
    let ExternalCall { provider, operation, outcome, duration } = call;
    let labels = [("provider", provider), ("operation", Some(operation)), ("outcome", Some(outcome))];
    let labels: Vec<Label> =
        labels.into_iter().filter_map(|(name, value)| Some(Label::from_static_parts(name, value?))).collect();
    let name = if provider.is_some() { PROVIDER } else { AUTHORITY };
    recorder.register_histogram(&Key::from_parts(name, labels), &SOURCE).record(duration);
}

/// Sets the gauges of the connection pool.
pub(super) fn set_pool(recorder: &PrometheusRecorder, pool: ConnectionUse) {
    let ConnectionUse { in_use, idle, waiting } = pool;
    for (name, count) in [(IN_USE, in_use), (IDLE, idle), (WAITING, waiting)] {
        let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        recorder.register_gauge(&name.into(), &SOURCE).set(count);
    }
}

/// Describes a gauge.
pub(super) fn describe_gauge(recorder: &PrometheusRecorder, name: &'static str, text: &'static str) {
    recorder.describe_gauge(KeyName::from_const_str(name), None, text.into());
}

pub(super) fn describe(recorder: &PrometheusRecorder) {
    let gauge = |name, text| describe_gauge(recorder, name, text);
    recorder.describe_counter(PAYMENTS.into(), None, "Payments by outcome, as this process stored them".into());
    let counter = |name: &'static str, text: &'static str| recorder.describe_counter(name.into(), None, text.into());
    counter(REFUNDS, "Legs of refunds by outcome and method, as this process stored them");
    counter(RETURNS_UNMATCHED, "Returns in the acquirer's lists that name no known charge");
    counter(OVER_RETURNED, "Returns at the acquirer that exceed what the charge had left");
    // A counter that first appears with its first increase causes no alert.
    recorder.register_counter(&RETURNS_UNMATCHED.into(), &SOURCE).absolute(0);
    recorder.register_counter(&OVER_RETURNED.into(), &SOURCE).absolute(0);
    recorder.describe_histogram(PROVIDER.into(), Some(Unit::Seconds), "Duration of a call to a card provider".into());
    recorder.describe_histogram(
        AUTHORITY.into(),
        Some(Unit::Seconds),
        "Duration of a call to the tax authority".into(),
    );
    gauge(IN_USE, "Connections to the database in use");
    gauge(IDLE, "Open connections to the database that are free");
    gauge(WAITING, "Callers that wait for a connection to the database");
}
