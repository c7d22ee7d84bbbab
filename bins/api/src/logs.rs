use std::io::{self, IsTerminal};

use tracing_subscriber::{EnvFilter, Layer, Registry, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt};

use crate::config::LogFormat;

/// Somebody who hears what happens.
pub(crate) type Listener = Box<dyn Layer<Registry> + Send + Sync>;

/// From now on what happens is written to stderr, line by line, if `filter` lets it pass, and told
/// to `further`.
pub(crate) fn begin(filter: &str, format: LogFormat, further: Option<Listener>) {
    let mut filter = EnvFilter::builder().parse_lossy(filter);
    // A request is a line already: what it tells a collector is not said twice.
    if let Ok(silence) = format!("{}=off", rest::TRACES).parse() {
        filter = filter.add_directive(silence);
    }
    let logs = fmt::layer().with_writer(io::stderr);
    let logs = match format {
        LogFormat::Text => logs.with_ansi(io::stderr().is_terminal()).with_filter(filter).boxed(),
        LogFormat::Json => logs.json().flatten_event(true).with_span_list(false).with_filter(filter).boxed(),
    };
    let listeners: Vec<Listener> = [logs].into_iter().chain(further).collect();
    registry().with(listeners).init();
}
