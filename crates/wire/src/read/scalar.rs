use std::{fmt::Display, ops::RangeInclusive};

use domain::text::BoundedText;

use super::Value;
use crate::{code::Code, json::Json, schema};

/// Reads one line of visible text.
pub(crate) fn line<const MIN: usize, const MAX: usize>(value: Value<'_>) -> Option<BoundedText<MIN, MAX>> {
    let schema = || schema::line(MIN..=MAX);
    value.parsed(
        schema,
        BoundedText::parse,
        format_args!("The value must be one line of {MIN} to {MAX} visible characters."),
    )
}

/// Reads an integer of 64 bits.
pub(crate) fn integer(value: Value<'_>) -> Option<i64> {
    let number = |json: &Json| if let Json::Integer(number) = json { Some(*number) } else { None };
    let rule = "The value must be an integer of 64 bits, without fraction, exponent or quotation marks.";
    value.typed(|| schema::integer(i64::MIN..=i64::MAX), number, rule)
}

/// Reads a published code.
pub(crate) fn code<T: Code>(value: Value<'_>) -> Option<T> {
    value.one_of(T::VALUES)
}

/// Reads `true` or `false`.
pub(crate) fn boolean(value: Value<'_>) -> Option<bool> {
    let boolean = |json: &Json| if let Json::Bool(boolean) = json { Some(*boolean) } else { None };
    value.typed(schema::boolean, boolean, "The value must be true or false.")
}

impl<'a> Value<'a> {
    /// Reads JSON that `parse` accepts and `schema` describes. `rule` is the message for any other.
    fn typed<T>(
        self,
        schema: impl FnOnce() -> serde_json::Value,
        parse: impl FnOnce(&'a Json) -> Option<T>,
        rule: impl Display,
    ) -> Option<T> {
        match self {
            Self::Sent(sent) => parse(sent.json).or_else(|| self.invalid(rule)),
            Self::Described(description) => description.set(schema()),
        }
    }

    /// Reads a string that `parse` accepts and `schema` describes. `rule` is the message for any other.
    pub(crate) fn parsed<T>(
        self,
        schema: impl FnOnce() -> serde_json::Value,
        parse: impl FnOnce(&'a str) -> Option<T>,
        rule: impl Display,
    ) -> Option<T> {
        match self {
            Self::Sent(sent) => match sent.json {
                Json::String(text) => parse(text).or_else(|| self.invalid(rule)),
                _ => self.invalid("The value must be a string."),
            },
            Self::Described(description) => description.set(schema()),
        }
    }

    /// Reads the code of one of these values.
    pub(crate) fn one_of<T: Code>(self, values: &[T]) -> Option<T> {
        let schema = || schema::choice(values.iter().map(|value| value.code()));
        self.parsed(schema, |text| values.iter().copied().find(|value| value.code() == text), UNKNOWN_CODE)
    }

    /// Reads one of these words. Returns the index of the word.
    pub(crate) fn word(self, words: &[&'static str]) -> Option<usize> {
        let schema = || schema::choice(words.iter().copied());
        self.parsed(schema, |text| words.iter().position(|word| *word == text), UNKNOWN_CODE)
    }

    /// Reads a constant.
    pub(crate) fn only(self, constant: &str) -> Option<()> {
        self.parsed(|| schema::only(constant), |text| (text == constant).then_some(()), UNKNOWN_CODE)
    }

    /// Reads an integer of a smaller type within `bounds`.
    pub(crate) fn integer_of<T: TryFrom<i64>>(self, bounds: RangeInclusive<i64>) -> Option<T> {
        let (least, most) = (*bounds.start(), *bounds.end());
        let number = integer(self.keywords(|| [("minimum", least.into()), ("maximum", most.into())]))?;
        let fitting = bounds.contains(&number).then(|| T::try_from(number).ok()).flatten();
        fitting.or_else(|| self.invalid(format_args!("The value must be from {least} to {most}.")))
    }
}

const UNKNOWN_CODE: &str = "The value is not one of those that are published for this field.";
