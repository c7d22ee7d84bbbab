use chrono::{DateTime, SecondsFormat, Utc};
use url::form_urlencoded::Serializer;

/// Everything that a list was asked for but which part of it, in one text: two queries that say the same have the same
/// text, however they were spelled.
pub(super) struct Filters(Serializer<'static, String>);

impl Filters {
    /// Of the list of that name: a cursor of one list is none of another.
    pub(super) fn of(list: &str) -> Self {
        let start = format!("{list}?");
        let offset = start.len();
        Self(Serializer::for_suffix(start, offset))
    }

    /// A filter, if it is set.
    pub(super) fn text(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.0.append_pair(name, value);
        }
        self
    }

    /// A moment, if one is set.
    pub(super) fn instant(&mut self, name: &str, value: Option<DateTime<Utc>>) -> &mut Self {
        let value = value.map(|it| it.to_rfc3339_opts(SecondsFormat::AutoSi, true));
        self.text(name, value.as_deref())
    }

    /// The text.
    pub(super) fn finish(&mut self) -> String {
        self.0.finish()
    }
}
