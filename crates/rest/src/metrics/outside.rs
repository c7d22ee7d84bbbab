//! Metrics of payments, of calls to external services, and of the database.

use std::time::Duration;

use metrics::{Key, KeyName, Label, Recorder, Unit};
use metrics_exporter_prometheus::PrometheusRecorder;

use super::{Metrics, SOURCE};

const PAYMENTS: &str = "cobro_payments_total";
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
    pub took: Duration,
}

impl Metrics {
    /// Counts a payment that reached `outcome`, such as `succeeded`.
    pub fn payment(&self, outcome: &'static str) {
        let labels = vec![Label::from_static_parts("outcome", outcome)];
        self.0.recorder.register_counter(&Key::from_parts(PAYMENTS, labels), &SOURCE).increment(1);
    }

    /// Counts a finished call to a card provider or to the tax authority.
    pub fn record_call(&self, called: ExternalCall) {
        let ExternalCall { provider, operation, outcome, took } = called;
        let labels = [("provider", provider), ("operation", Some(operation)), ("outcome", Some(outcome))];
        let labels: Vec<Label> =
            labels.into_iter().filter_map(|(name, value)| Some(Label::from_static_parts(name, value?))).collect();
        let name = if provider.is_some() { PROVIDER } else { AUTHORITY };
        self.0.recorder.register_histogram(&Key::from_parts(name, labels), &SOURCE).record(took);
        self.tidy();
    }

    /// Shows the use of the database connections from now on. The first function that is registered stays.
    pub fn watch_pool(&self, probe: impl Fn() -> ConnectionUse + Send + Sync + 'static) {
        drop(self.0.pool.set(Box::new(probe)));
    }

    pub(super) fn look_at_pool(&self) {
        let Some(probe) = self.0.pool.get() else { return };
        let ConnectionUse { in_use, idle, waiting } = probe();
        for (name, count) in [(IN_USE, in_use), (IDLE, idle), (WAITING, waiting)] {
            let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            self.0.recorder.register_gauge(&name.into(), &SOURCE).set(count);
        }
    }
}

pub(super) fn describe(recorder: &PrometheusRecorder) {
    let gauge = |name: &'static str, text: &'static str| {
        recorder.describe_gauge(KeyName::from_const_str(name), None, text.into());
    };
    recorder.describe_counter(PAYMENTS.into(), None, "Payments by outcome, as this process wrote them".into());
    recorder.describe_histogram(PROVIDER.into(), Some(Unit::Seconds), "How long a call to a card provider took".into());
    recorder.describe_histogram(
        AUTHORITY.into(),
        Some(Unit::Seconds),
        "How long a call to the tax authority took".into(),
    );
    gauge(IN_USE, "Connections to the database in use");
    gauge(IDLE, "Open connections to the database that are free");
    gauge(WAITING, "Callers that wait for a connection to the database");
}
