use chrono::{DateTime, SecondsFormat, Utc};
use url::form_urlencoded::Serializer;

/// Canonical text of the filters of a list. Equal queries have equal texts, in whichever order or encoding they came.
pub(super) struct Filters(Serializer<'static, String>);

impl Filters {
    /// Starts the filters of the list `list`. The name keeps cursors of different lists apart.
    pub(super) fn of(list: &str) -> Self {
        let start = format!("{list}?");
        let offset = start.len();
        Self(Serializer::for_suffix(start, offset))
    }

    /// Adds a filter that is set.
    pub(super) fn text(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.0.append_pair(name, value);
        }
        self
    }

    /// Adds a moment that is set.
    pub(super) fn instant(&mut self, name: &str, value: Option<DateTime<Utc>>) -> &mut Self {
        let value = value.map(|instant| instant.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        self.text(name, value.as_deref())
    }

    /// Returns the text.
    pub(super) fn finish(&mut self) -> String {
        self.0.finish()
    }
}
