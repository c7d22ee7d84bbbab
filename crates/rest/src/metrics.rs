//! What the process counts, as Prometheus reads it. No label is anything that anybody sent.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use app::{Ports, Queue, Waiting};
use governor::clock::Clock;
use metrics::{Gauge, Key, KeyName, Label, Level, Metadata, Recorder, Unit};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

use self::outside::PoolProbe;
use crate::limits::MonotonicClock;

mod outside;

pub use self::outside::{ConnectionUse, ExternalCall};

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

/// Each queue with its length and the age of its oldest.
const QUEUES: [(&str, &str, &str); 6] = [
    ("cobro_payments_verifying", "cobro_payments_verifying_oldest_age_seconds", "Payments in doubt"),
    ("cobro_documents_unissued", "cobro_documents_unissued_oldest_age_seconds", "Documents owed for paid sales"),
    ("cobro_work_due", "cobro_work_due_oldest_age_seconds", "Things that are due and that nobody is at"),
    (
        "cobro_payments_left_in_part",
        "cobro_payments_left_in_part_oldest_age_seconds",
        "Payments that were paid in part and stay so",
    ),
    (
        "cobro_events_undelivered",
        "cobro_events_undelivered_oldest_age_seconds",
        "Events that endpoints have not taken yet",
    ),
    (
        "cobro_switch_offs_untold",
        "cobro_switch_offs_untold_oldest_age_seconds",
        "Merchants whom no mail could tell that an endpoint was switched off",
    ),
];

/// In seconds. A read takes milliseconds, and a card some seconds.
const BUCKETS: [f64; 12] = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The store is not asked more often, however often anybody reads.
const PATIENCE: Duration = Duration::from_secs(5);

/// Buckets in seconds. An acquirer takes seconds, and the call times out after two minutes.
const SLOW_BUCKETS: [f64; 11] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];

const SOURCE: Metadata<'static> = Metadata::new("rest", Level::INFO, None);

/// Everything that is counted. All servers of one process share it.
#[derive(Clone)]
pub struct Metrics(Arc<Counted>);

struct Counted {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    in_flight: Gauge,
    clock: MonotonicClock,
    /// When the store was asked what waits.
    asked: tokio::sync::Mutex<Option<Instant>>,
    /// When what was measured was last put into its buckets.
    tidied: Mutex<Instant>,
    /// Reads the use of the connection pool.
    pool: OnceLock<PoolProbe>,
}

/// What there is to say about an exchange that ended.
pub(crate) struct Ended<'a> {
    pub(crate) method: &'static str,
    /// The template of the route.
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    /// Which limit sent the caller away.
    pub(crate) limit: Option<&'static str>,
}

/// One exchange that goes on. It has ended when this is dropped, whoever hung up.
pub(crate) struct InFlight(Gauge);

impl Metrics {
    /// Nothing was counted yet.
    ///
    /// # Errors
    ///
    /// The exporter refuses how we ask for it.
    pub fn new(clock: MonotonicClock) -> Result<Self, BuildError> {
        let builder = PrometheusBuilder::new().set_buckets_for_metric(Matcher::Full(DURATION.into()), &BUCKETS)?;
        let builder = outside::DURATIONS.into_iter().try_fold(builder, |builder, name| {
            builder.set_buckets_for_metric(Matcher::Full(name.into()), &SLOW_BUCKETS)
        })?;
        let recorder = builder.build_recorder();
        describe(&recorder);
        let (handle, in_flight) = (recorder.handle(), recorder.register_gauge(&IN_FLIGHT.into(), &SOURCE));
        in_flight.set(0);
        let (asked, tidied) = (tokio::sync::Mutex::new(None), Mutex::new(clock.now()));
        let pool = OnceLock::new();
        Ok(Self(Arc::new(Counted { recorder, handle, in_flight, clock, asked, tidied, pool })))
    }

    pub(crate) fn begins(&self) -> InFlight {
        self.0.in_flight.increment(1);
        InFlight(self.0.in_flight.clone())
    }

    pub(crate) fn ends(&self, ended: &Ended<'_>) {
        let Ended { method, route, status, took, limit } = *ended;
        let recorder = &self.0.recorder;
        let (method, route) = (Label::from_static_parts("method", method), Label::new("route", route.to_owned()));
        let labels = vec![method.clone(), route.clone(), Label::from_static_parts("status", class(status))];
        recorder.register_counter(&Key::from_parts(REQUESTS, labels), &SOURCE).increment(1);
        let duration = recorder.register_histogram(&Key::from_parts(DURATION, vec![method, route]), &SOURCE);
        duration.record(took);
        if let Some(limit) = limit {
            let labels = vec![Label::from_static_parts("limit", limit)];
            recorder.register_counter(&Key::from_parts(REFUSALS, labels), &SOURCE).increment(1);
        }
        self.tidy();
    }

    /// Everything, in Prometheus's text format.
    pub(crate) async fn text(&self, ports: &Ports) -> String {
        self.look_at_backlog(ports).await;
        self.look_at_providers(ports);
        self.look_at_clock(ports);
        self.look_at_pool();
        self.0.handle.render()
    }

    fn look_at_providers(&self, ports: &Ports) {
        let recorder = &self.0.recorder;
        let unknown = ports.accounts.values().map(|it| it.unknown_codes()).sum();
        recorder.register_counter(&UNKNOWN_CODES.into(), &SOURCE).absolute(unknown);
        for (provider, account) in &ports.accounts {
            // Of one that never told its time nothing is shown.
            let Some(skew) = account.clock_skew() else { continue };
            let labels = vec![Label::from_static_parts("provider", provider.as_str())];
            let gauge = recorder.register_gauge(&Key::from_parts(PROVIDER_SKEW, labels), &SOURCE);
            gauge.set(skew.as_seconds_f64());
        }
        let open = u32::try_from(ports.breakers.open()).unwrap_or(u32::MAX);
        recorder.register_gauge(&LEFT_ALONE.into(), &SOURCE).set(f64::from(open));
    }

    fn look_at_clock(&self, ports: &Ports) {
        let gauge = |name: &'static str| self.0.recorder.register_gauge(&name.into(), &SOURCE);
        gauge(CLOCK_RIGHT).set(u8::from(ports.clock_guard.check().is_ok()));
        if let Some(skew) = ports.clock_guard.ahead() {
            gauge(CLOCK_SKEW).set(skew.as_seconds_f64());
        }
    }

    /// What is measured is kept one by one until somebody reads. Nobody may ever do.
    fn tidy(&self) {
        let now = self.0.clock.now();
        let mut tidied = self.0.tidied.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(*tidied) >= PATIENCE {
            *tidied = now;
            self.0.handle.run_upkeep();
        }
    }

    async fn look_at_backlog(&self, ports: &Ports) {
        // Who reads at the same time waits here, and then finds what it came for.
        let mut asked = self.0.asked.lock().await;
        let now = self.0.clock.now();
        if asked.is_some_and(|it| now.saturating_duration_since(it) < PATIENCE) {
            return;
        }
        *asked = Some(now);
        let today = ports.clock.now();
        let waiting = ports.backlog.waiting(today).await;
        let gauge = |name: &'static str| self.0.recorder.register_gauge(&name.into(), &SOURCE);
        gauge(BACKLOG_UP).set(u8::from(waiting.is_ok()));
        match waiting {
            Ok(Waiting { verifying, unissued, due, left_in_part, undelivered, untold }) => {
                let queues = [verifying, unissued, due, left_in_part, undelivered, untold];
                for ((length, age, _), Queue { length: n, since }) in QUEUES.into_iter().zip(queues) {
                    let waited = since.and_then(|it| (today - it).to_std().ok()).unwrap_or_default();
                    gauge(length).set(f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
                    gauge(age).set(waited);
                }
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "nobody knows what waits");
                for (length, age, _) in QUEUES {
                    gauge(length).set(f64::NAN);
                    gauge(age).set(f64::NAN);
                }
            }
        }
        // Without a copy of the register, its age is not shown.
        if let Ok(Some(as_of)) = ports.directory.as_of().await {
            gauge(REGISTER_AGE).set((today - as_of).to_std().unwrap_or_default());
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

fn describe(recorder: &PrometheusRecorder) {
    let gauge = |name: &'static str, text: &'static str| {
        recorder.describe_gauge(KeyName::from_const_str(name), None, text.into());
    };
    recorder.describe_counter(REQUESTS.into(), Some(Unit::Count), "Requests that were answered".into());
    recorder.describe_histogram(DURATION.into(), Some(Unit::Seconds), "How long an answer took".into());
    recorder.describe_counter(REFUSALS.into(), Some(Unit::Count), "Requests that came too often".into());
    recorder.describe_counter(UNKNOWN_CODES.into(), None, "Answers of providers with a code that nobody knows".into());
    gauge(PROVIDER_SKEW, "How far a provider's clock is ahead of ours, by its last response");
    gauge(CLOCK_SKEW, "How far the system clock is ahead of the database's clock");
    gauge(CLOCK_RIGHT, "Whether the system clock is trusted: if not, no work is claimed and nothing is changed");
    gauge(LEFT_ALONE, "Accounts whose provider is not asked for a while, since it could not be reached");
    gauge(IN_FLIGHT, "Requests that are being served");
    gauge(BACKLOG_UP, "Whether the store said what waits");
    outside::describe(recorder);
    gauge(REGISTER_AGE, "Age of the copy of the register of taxpayers");
    for (length, age, text) in QUEUES {
        gauge(length, text);
        gauge(age, "How long the oldest of them has waited");
    }
}

/// `2xx`.
const fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
