//! Log lines on stderr.

use std::io::{self, IsTerminal};

use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    registry,
    util::SubscriberInitExt,
};

use crate::config::LogFormat;

/// A further subscriber of spans and events.
pub(crate) type Listener = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts to log the events that pass `filter`, and passes every event to `further`. A filter that cannot be parsed
/// is `info`.
pub(crate) fn begin(filter: &str, format: LogFormat, further: Option<Listener>) {
    let filter = filter.parse().unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO));
    // Each request has a log line: the spans of traces are not logged as well.
    let filter = filter.with_target(rest::TRACES, LevelFilter::OFF);
    let logs = fmt::layer().with_writer(io::stderr);
    let logs = match format {
        LogFormat::Text => logs.with_ansi(io::stderr().is_terminal()).with_filter(filter).boxed(),
        LogFormat::Json => logs.json().flatten_event(true).with_span_list(false).with_filter(filter).boxed(),
    };
    let listeners: Vec<Listener> = [logs].into_iter().chain(further).collect();
    registry().with(listeners).init();
}
