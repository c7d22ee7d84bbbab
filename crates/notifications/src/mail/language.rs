use chrono::NaiveDate;
use domain::text::BoundedText;

/// Language of an e-mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Spanish,
    English,
}

impl Language {
    /// Returns the language of a merchant's locale: English for `en`, otherwise Spanish.
    pub(super) fn of(locale: &BoundedText<2, 16>) -> Self {
        let language = locale.as_str().split(['-', '_']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("en") { Self::English } else { Self::Spanish }
    }

    /// Returns the text in this language.
    pub(super) const fn pick(self, spanish: &'static str, english: &'static str) -> &'static str {
        match self {
            Self::Spanish => spanish,
            Self::English => english,
        }
    }

    /// Returns a day as written in this language.
    pub(super) fn day(self, day: NaiveDate) -> String {
        day.format(self.pick("%d-%m-%Y", "%b %-d, %Y")).to_string()
    }
}
