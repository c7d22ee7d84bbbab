//! Writer for the XML of a document.

use chrono::{Datelike, NaiveDate, NaiveDateTime};
use domain::fiscal::MAX_AMOUNT;
use ports::Malformed;

use crate::{ensure::ensure, text};

pub(crate) type WriteResult = Result<(), Malformed>;

/// Writes compact XML.
///
/// White space between elements would be signed and then removed by DGII, so there is none. Each kind of value is
/// checked by its function.
pub(crate) struct XmlWriter(String);

impl XmlWriter {
    /// Starts with the XML declaration.
    pub(crate) fn begin() -> Self {
        let mut text = String::with_capacity(8192);
        text.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        Self(text)
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Writes an element with child elements.
    pub(crate) fn group(&mut self, element: &'static str, fill: impl FnOnce(&mut Self) -> WriteResult) -> WriteResult {
        self.0.extend(["<", element, ">"]);
        fill(self)?;
        self.0.extend(["</", element, ">"]);
        Ok(())
    }

    /// Writes a constant, a code of a table, or digits.
    pub(crate) fn code(&mut self, element: &'static str, value: &str) -> WriteResult {
        self.text(element, value, text::ANY)
    }

    /// Writes a text of 1 to `at_most` characters, without surrounding white space.
    pub(crate) fn text(&mut self, element: &'static str, value: &str, at_most: usize) -> WriteResult {
        let value = value.trim();
        text::check(element, value, at_most)?;
        self.0.extend(["<", element, ">", &text::escaped(value), "</", element, ">"]);
        Ok(())
    }

    /// Writes the first `at_most` characters of a text.
    pub(crate) fn cut_text(&mut self, element: &'static str, value: &str, at_most: usize) -> WriteResult {
        self.text(element, text::cut(value, at_most), at_most)
    }

    /// Writes a number, which needs neither a check nor an escape.
    pub(crate) fn number(&mut self, element: &'static str, number: impl Into<u64>) -> WriteResult {
        self.group(element, |xml| {
            xml.push_digits(number.into(), 1);
            Ok(())
        })
    }

    /// Writes an amount with two decimals; the summary allows two or none.
    pub(crate) fn amount(&mut self, element: &'static str, minor_units: i64) -> WriteResult {
        let is_statable = (0..=MAX_AMOUNT).contains(&minor_units);
        ensure(is_statable, element, "an amount has no sign and at most 16 digits before the point")?;
        self.decimal(element, minor_units.unsigned_abs(), 2)
    }

    /// Writes a price or a rate in ten-thousandths with four decimals.
    pub(crate) fn fine(&mut self, element: &'static str, ten_thousandths: i64) -> WriteResult {
        ensure(ten_thousandths >= 0, element, "a price has no sign")?;
        self.decimal(element, ten_thousandths.unsigned_abs(), 4)
    }

    fn decimal(&mut self, element: &'static str, units: u64, decimals: u8) -> WriteResult {
        let one = 10_u64.pow(decimals.into());
        self.group(element, |xml| {
            xml.push_digits(units / one, 1);
            xml.0.push('.');
            xml.push_digits(units % one, decimals);
            Ok(())
        })
    }

    /// Appends digits with leading zeros. A document has dozens of numbers, and the formatting macros would double its
    /// time.
    fn push_digits(&mut self, number: u64, at_least: u8) {
        let mut digits = [b'0'; 20];
        let (mut rest, mut count) = (number, 0);
        for digit in digits.iter_mut().rev() {
            if rest == 0 && count >= at_least {
                break;
            }
            *digit += u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            count += 1;
        }
        self.0.extend(digits[20 - usize::from(count)..].iter().map(|&it| char::from(it)));
    }

    /// Writes a date as `dd-MM-yyyy`.
    pub(crate) fn date(&mut self, element: &'static str, date: NaiveDate) -> WriteResult {
        check_year(element, date)?;
        self.code(element, &date.format("%d-%m-%Y").to_string())
    }

    /// Writes a local time as `dd-MM-yyyy HH:mm:ss`.
    pub(crate) fn instant(&mut self, element: &'static str, local: NaiveDateTime) -> WriteResult {
        check_year(element, local.date())?;
        self.code(element, &local.format("%d-%m-%Y %H:%M:%S").to_string())
    }
}

fn check_year(element: &'static str, date: NaiveDate) -> WriteResult {
    ensure((1900..=2099).contains(&date.year()), element, "a year is 1900 to 2099")
}
