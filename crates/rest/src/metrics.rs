//! Metrics of the process in Prometheus's text format. No label contains text of a client.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use app::{Ports, Queue, Waiting};
use governor::clock::Clock;
use metrics::{Gauge, Key, Label, Recorder, Unit};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use self::external::{PoolProbe, SOURCE};
use crate::limits::MonotonicClock;

mod external;

pub use self::external::{ConnectionUse, ExternalCall};

const REQUESTS: &str = "cobro_http_requests_total";
const DURATION: &str = "cobro_http_request_duration_seconds";
const IN_FLIGHT: &str = "cobro_http_requests_in_flight";
const REFUSALS: &str = "cobro_rate_limit_refusals_total";
const UNKNOWN_CODES: &str = "cobro_provider_unknown_codes_total";
const PROVIDER_SKEW: &str = "cobro_provider_clock_skew_seconds";
const CLOCK_SKEW: &str = "cobro_clock_skew_seconds";
const CLOCK_RIGHT: &str = "cobro_clock_is_right";
const LEFT_ALONE: &str = "cobro_accounts_left_alone";
const BACKLOG_UP: &str = "cobro_backlog_up";
const REGISTER_AGE: &str = "cobro_register_age_seconds";

/// Metrics of a queue: length, age of the oldest item, and help.
type QueueMetrics = (&'static str, &'static str, &'static str);

/// Metrics of each queue of the backlog.
const QUEUES: [QueueMetrics; 9] = [
    (
        "cobro_payments_verifying",
        "cobro_payments_verifying_oldest_age_seconds",
        "Payments whose charge has an unknown outcome",
    ),
    (
        "cobro_documents_unissued",
        "cobro_documents_unissued_oldest_age_seconds",
        "Fiscal documents of paid sales that are not issued",
    ),
    ("cobro_work_due", "cobro_work_due_oldest_age_seconds", "Work items that are due and not leased"),
    (
        "cobro_payments_left_in_part",
        "cobro_payments_left_in_part_oldest_age_seconds",
        "Payments that stay partially paid and are not refunded",
    ),
    (
        "cobro_events_undelivered",
        "cobro_events_undelivered_oldest_age_seconds",
        "Events that are not delivered to an endpoint",
    ),
    (
        "cobro_switch_offs_untold",
        "cobro_switch_offs_untold_oldest_age_seconds",
        "E-mails about disabled endpoints that were not sent",
    ),
    ("cobro_refunds_in_doubt", "cobro_refunds_in_doubt_oldest_age_seconds", "Refunds with an unknown outcome"),
    (
        "cobro_credit_notes_owed",
        "cobro_credit_notes_owed_oldest_age_seconds",
        "Credit notes of refunds that are not issued",
    ),
    (
        "cobro_returns_unattributed",
        "cobro_returns_unattributed_oldest_age_seconds",
        "Refunds that were found at the acquirer and that their merchants have not attributed",
    ),
];

/// Buckets of requests in seconds. A read takes milliseconds, a card some seconds.
const BUCKETS: [f64; 12] = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Minimum interval between two queries of the backlog.
const REFRESH: Duration = Duration::from_secs(5);

/// Buckets of calls to external services in seconds. A call times out after two minutes.
const SLOW_BUCKETS: [f64; 11] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

/// Metrics, shared by the servers of a process.
#[derive(Clone)]
pub struct Metrics(Arc<Registry>);

struct Registry {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    in_flight: Gauge,
    clock: MonotonicClock,
    /// Time of the last query of the backlog.
    backlog_read: tokio::sync::Mutex<Option<Instant>>,
    /// Time at which samples were last merged into the histograms.
    merged: Mutex<Instant>,
    /// Reads the use of the connection pool.
    pool: OnceLock<PoolProbe>,
}

/// A request with a complete response.
pub(crate) struct CompletedRequest<'a> {
    pub(crate) method: &'static str,
    /// Template of the route.
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) duration: Duration,
    /// Limit that refused the request.
    pub(crate) limit: Option<&'static str>,
}

/// A request in flight, until dropped.
pub(crate) struct InFlight(Gauge);

impl Metrics {
    /// Returns empty metrics.
    ///
    /// # Errors
    ///
    /// If the exporter refuses the buckets.
    pub fn new(clock: MonotonicClock) -> Result<Self, BuildError> {
        let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Full(DURATION.into()), &BUCKETS)?;
        let builder = external::DURATIONS.into_iter().try_fold(builder, |builder, name| {
            builder.set_buckets_for_metric(Matcher::Full(name.into()), &SLOW_BUCKETS)
        })?;
        let recorder = builder.build_recorder();
        describe(&recorder);
        let (handle, in_flight) = (recorder.handle(), recorder.register_gauge(&IN_FLIGHT.into(), &SOURCE));
        in_flight.set(0);
        let (backlog_read, merged) = (tokio::sync::Mutex::new(None), Mutex::new(clock.now()));
        let pool = OnceLock::new();
        Ok(Self(Arc::new(Registry { recorder, handle, in_flight, clock, backlog_read, merged, pool })))
    }

    pub(crate) fn request_started(&self) -> InFlight {
        self.0.in_flight.increment(1);
        InFlight(self.0.in_flight.clone())
    }

    pub(crate) fn request_completed(&self, completed: &CompletedRequest<'_>) {
        let CompletedRequest { method, route, status, duration, limit } = *completed;
        let recorder = &self.0.recorder;
        let (method, route) = (Label::from_static_parts("method", method), Label::new("route", route.to_owned()));
        let labels = vec![method.clone(), route.clone(), Label::from_static_parts("status", class(status))];
        recorder.register_counter(&Key::from_parts(REQUESTS, labels), &SOURCE).increment(1);
        let durations = recorder.register_histogram(&Key::from_parts(DURATION, vec![method, route]), &SOURCE);
        durations.record(duration);
        if let Some(limit) = limit {
            let labels = vec![Label::from_static_parts("limit", limit)];
            recorder.register_counter(&Key::from_parts(REFUSALS, labels), &SOURCE).increment(1);
        }
        self.merge_samples();
    }

    /// Counts a payment that reached `outcome`, such as `succeeded`.
    pub fn payment(&self, outcome: &'static str) {
        external::count_payment(&self.0.recorder, outcome);
    }

    /// Counts a leg of a refund that reached `outcome` by `method`, such as `succeeded` by `void`.
    pub fn refund(&self, outcome: &'static str, method: &'static str) {
        external::count_refund(&self.0.recorder, outcome, method);
    }

    /// Counts returns at the acquirer that name no known charge.
    pub fn returns_unmatched(&self, count: u64) {
        self.0.recorder.register_counter(&external::RETURNS_UNMATCHED.into(), &SOURCE).increment(count);
    }

    /// Counts a return at the acquirer beyond the charge.
    pub fn refund_over_returned(&self) {
        self.0.recorder.register_counter(&external::OVER_RETURNED.into(), &SOURCE).increment(1);
    }

    /// Records a finished call to a card provider or to the tax authority.
    pub fn record_call(&self, call: ExternalCall) {
        external::record_call(&self.0.recorder, call);
        self.merge_samples();
    }

    /// Reads the use of the database connections with `probe` from now on. Only the first probe is used.
    pub fn watch_pool(&self, probe: impl Fn() -> ConnectionUse + Send + Sync + 'static) {
        drop(self.0.pool.set(Box::new(probe)));
    }

    /// Returns all metrics in Prometheus's text format.
    pub(crate) async fn text(&self, ports: &Ports) -> String {
        self.read_backlog(ports).await;
        self.read_providers(ports);
        self.read_clock(ports);
        if let Some(probe) = self.0.pool.get() {
            external::set_pool(&self.0.recorder, probe());
        }
        self.0.handle.render()
    }

    fn read_providers(&self, ports: &Ports) {
        let recorder = &self.0.recorder;
        let unknown = ports.accounts.values().map(|account| account.unknown_codes()).sum();
        recorder.register_counter(&UNKNOWN_CODES.into(), &SOURCE).absolute(unknown);
        for (provider, account) in &ports.accounts {
            // A provider that never sent a time has no metric.
            let Some(skew) = account.clock_skew() else { continue };
            let labels = vec![Label::from_static_parts("provider", provider.as_str())];
            let gauge = recorder.register_gauge(&Key::from_parts(PROVIDER_SKEW, labels), &SOURCE);
            gauge.set(skew.as_seconds_f64());
        }
        let open = u32::try_from(ports.breakers.open()).unwrap_or(u32::MAX);
        recorder.register_gauge(&LEFT_ALONE.into(), &SOURCE).set(f64::from(open));
    }

    fn read_clock(&self, ports: &Ports) {
        let gauge = |name: &'static str| self.0.recorder.register_gauge(&name.into(), &SOURCE);
        gauge(CLOCK_RIGHT).set(u8::from(ports.clock_guard.check().is_ok()));
        if let Some(skew) = ports.clock_guard.ahead() {
            gauge(CLOCK_SKEW).set(skew.as_seconds_f64());
        }
    }

    /// Merges samples into the histograms: the exporter stores each sample until then, and the metrics may never be read.
    fn merge_samples(&self) {
        let now = self.0.clock.now();
        let mut merged = self.0.merged.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(*merged) >= REFRESH {
            *merged = now;
            self.0.handle.run_upkeep();
        }
    }

    async fn read_backlog(&self, ports: &Ports) {
        // Concurrent readers wait here and share the result.
        let mut read_at = self.0.backlog_read.lock().await;
        let read_now = self.0.clock.now();
        if read_at.is_some_and(|last| read_now.saturating_duration_since(last) < REFRESH) {
            return;
        }
        *read_at = Some(read_now);
        let now = ports.clock.now();
        let waiting = ports.backlog.waiting(now).await;
        let gauge = |name: &'static str| self.0.recorder.register_gauge(&name.into(), &SOURCE);
        gauge(BACKLOG_UP).set(u8::from(waiting.is_ok()));
        match waiting {
            Ok(waiting) => {
                for ((length, age, _), Queue { length: n, since }) in QUEUES.into_iter().zip(queues(&waiting)) {
                    let waited = since.and_then(|since| (now - since).to_std().ok()).unwrap_or_default();
                    gauge(length).set(f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
                    gauge(age).set(waited);
                }
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the backlog cannot be read");
                for (length, age, _) in QUEUES {
                    gauge(length).set(f64::NAN);
                    gauge(age).set(f64::NAN);
                }
            }
        }
        // Without a copy of the register there is no age.
        if let Ok(Some(as_of)) = ports.directory.as_of().await {
            gauge(REGISTER_AGE).set((now - as_of).to_std().unwrap_or_default());
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// Returns the queues in the order of [`QUEUES`].
const fn queues(waiting: &Waiting) -> [Queue; QUEUES.len()] {
    [
        waiting.verifying,
        waiting.unissued,
        waiting.due,
        waiting.left_in_part,
        waiting.undelivered,
        waiting.not_notified,
        waiting.refunds_in_doubt,
        waiting.notes_owed,
        waiting.returns_unattributed,
    ]
}

fn describe(recorder: &PrometheusRecorder) {
    let gauge = |name, text| external::describe_gauge(recorder, name, text);
    recorder.describe_counter(REQUESTS.into(), Some(Unit::Count), "Completed requests".into());
    recorder.describe_histogram(DURATION.into(), Some(Unit::Seconds), "Time until a response was complete".into());
    recorder.describe_counter(REFUSALS.into(), Some(Unit::Count), "Requests that a limit refused".into());
    recorder.describe_counter(UNKNOWN_CODES.into(), None, "Responses of providers with an unknown code".into());
    gauge(PROVIDER_SKEW, "Time by which a provider's clock is ahead of the system clock, by its last response");
    gauge(CLOCK_SKEW, "Time by which the system clock is ahead of the database's clock");
    gauge(CLOCK_RIGHT, "Whether the system clock is trusted: if not, no work is claimed and no data is changed");
    gauge(LEFT_ALONE, "Accounts whose provider was unreachable and is not called for a while");
    gauge(IN_FLIGHT, "Requests in flight");
    gauge(BACKLOG_UP, "Whether the backlog could be read");
    external::describe(recorder);
    gauge(REGISTER_AGE, "Age of the copy of the register of taxpayers");
    for (length, age, text) in QUEUES {
        gauge(length, text);
        gauge(age, "Age of the oldest of them");
    }
}

/// Returns the class of a status, such as `2xx`.
const fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
