use testkit::log::CapturedLog;
use tracing::subscriber::{DefaultGuard, set_default};
use tracing_subscriber::fmt::fmt;

/// Log of this thread.
pub(crate) struct Log {
    text: CapturedLog,
    _guard: DefaultGuard,
}

impl Log {
    pub(crate) fn begin() -> Self {
        let text = CapturedLog::default();
        let writer = text.clone();
        let subscriber =
            fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(move || writer.clone());
        Self { text, _guard: set_default(subscriber.finish()) }
    }

    /// Starts a log with a JSON object a line.
    pub(crate) fn in_json() -> Self {
        let text = CapturedLog::default();
        let writer = text.clone();
        let subscriber = fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
        let subscriber = subscriber.json().flatten_event(true).with_span_list(false);
        Self { text, _guard: set_default(subscriber.finish()) }
    }

    pub(crate) fn text(&self) -> String {
        self.text.text()
    }
}
