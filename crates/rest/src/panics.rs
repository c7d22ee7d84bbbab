use std::panic;

/// Installs a panic hook that logs the location. Messages may contain secrets and are not logged.
pub fn log_panics_without_their_message() {
    panic::set_hook(Box::new(|panicked| {
        let location = panicked.location().map(ToString::to_string);
        tracing::error!(place = location.as_deref().unwrap_or("unknown"), "panicked");
    }));
}
