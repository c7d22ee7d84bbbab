use std::ops::RangeInclusive;

use domain::text::BoundedText;

use super::Value;
use crate::json::Json;

/// One line of text.
pub(crate) fn line<const MIN: usize, const MAX: usize>(value: Value<'_>) -> Option<BoundedText<MIN, MAX>> {
    BoundedText::parse(value.text()?)
        .or_else(|| value.invalid(&format!("The value must be one line of {MIN} to {MAX} visible characters.")))
}

/// A whole number.
pub(crate) fn integer(value: Value<'_>) -> Option<i64> {
    match value.json {
        Json::Integer(number) => Some(*number),
        _ => value.invalid("The value must be an integer of 64 bits, without fraction, exponent or quotation marks."),
    }
}

/// `true` or `false`.
pub(crate) fn boolean(value: Value<'_>) -> Option<bool> {
    match value.json {
        Json::Bool(it) => Some(*it),
        _ => value.invalid("The value must be true or false."),
    }
}

impl<'a> Value<'a> {
    /// The value as text.
    pub(crate) fn text(self) -> Option<&'a str> {
        match self.json {
            Json::String(text) => Some(text),
            _ => self.invalid("The value must be a string."),
        }
    }

    /// What `parse` makes of the text.
    pub(crate) fn parsed<T>(self, parse: impl FnOnce(&str) -> Option<T>, rule: &str) -> Option<T> {
        parse(self.text()?).or_else(|| self.invalid(rule))
    }

    /// One of the published spellings that `from_code` knows.
    pub(crate) fn one_of<T>(self, from_code: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.parsed(from_code, "The value is not one of those that are published for this field.")
    }

    /// A whole number of a smaller type, within `bounds`.
    pub(crate) fn integer_of<T: TryFrom<i64>>(self, bounds: RangeInclusive<i64>) -> Option<T> {
        let number = integer(self)?;
        let fitting = bounds.contains(&number).then(|| T::try_from(number).ok()).flatten();
        fitting.or_else(|| self.invalid(&format!("The value must be from {} to {}.", bounds.start(), bounds.end())))
    }
}
