//! The XML of a document as it grows.

use chrono::{Datelike, NaiveDate, NaiveDateTime};
use domain::fiscal::MAX_AMOUNT;
use ports::Malformed;

use crate::{rules::ensure, text};

/// What every writing function returns.
pub(crate) type Written = Result<(), Malformed>;

/// Compact XML, in the order in which it is written.
///
/// White space between elements would be signed with them and lost at the authority, so there is
/// none; and each kind of value is checked where it is written, so none reaches the sheet unchecked.
pub(crate) struct Sheet(String);

impl Sheet {
    /// A sheet with the XML declaration.
    pub(crate) fn begin() -> Self {
        let mut text = String::with_capacity(8192);
        text.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>");
        Self(text)
    }

    /// The text of the sheet.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// An element that holds elements.
    pub(crate) fn group(&mut self, element: &'static str, fill: impl FnOnce(&mut Self) -> Written) -> Written {
        self.0.extend(["<", element, ">"]);
        fill(self)?;
        self.0.extend(["</", element, ">"]);
        Ok(())
    }

    /// A value of ours, of a table of the authority, or of digits.
    pub(crate) fn code(&mut self, element: &'static str, value: &str) -> Written {
        self.text(element, value, text::ANY)
    }

    /// A text of 1 to `at_most` characters, without the white space around it.
    pub(crate) fn text(&mut self, element: &'static str, value: &str, at_most: usize) -> Written {
        let value = value.trim();
        text::check(element, value, at_most)?;
        self.0.extend(["<", element, ">", &text::escaped(value), "</", element, ">"]);
        Ok(())
    }

    /// A text of which the first `at_most` characters will do.
    pub(crate) fn cut_text(&mut self, element: &'static str, value: &str, at_most: usize) -> Written {
        self.text(element, text::cut(value, at_most), at_most)
    }

    /// A number of ours, or of a table of the authority: digits, which need neither a check nor an escape.
    pub(crate) fn number(&mut self, element: &'static str, number: impl Into<u64>) -> Written {
        self.group(element, |sheet| {
            sheet.push_digits(number.into(), 1);
            Ok(())
        })
    }

    /// An amount, always with two decimals: the summary takes two or none.
    pub(crate) fn amount(&mut self, element: &'static str, minor_units: i64) -> Written {
        let is_statable = (0..=MAX_AMOUNT).contains(&minor_units);
        ensure(is_statable, element, "an amount has no sign and at most 16 digits before the point")?;
        self.decimal(element, minor_units.unsigned_abs(), 2)
    }

    /// A price or a rate, always with four decimals, in ten-thousandths.
    pub(crate) fn fine(&mut self, element: &'static str, ten_thousandths: i64) -> Written {
        ensure(ten_thousandths >= 0, element, "a price has no sign")?;
        self.decimal(element, ten_thousandths.unsigned_abs(), 4)
    }

    fn decimal(&mut self, element: &'static str, units: u64, decimals: u8) -> Written {
        let one = 10_u64.pow(decimals.into());
        self.group(element, |sheet| {
            sheet.push_digits(units / one, 1);
            sheet.0.push('.');
            sheet.push_digits(units % one, decimals);
            Ok(())
        })
    }

    /// Digits, with zeros before them up to so many. A document has dozens of numbers, and what formats anything would
    /// take as long for them as for the rest of it.
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

    /// A day, as `dd-MM-yyyy`.
    pub(crate) fn date(&mut self, element: &'static str, date: NaiveDate) -> Written {
        check_year(element, date)?;
        self.code(element, &date.format("%d-%m-%Y").to_string())
    }

    /// A time by the Dominican clock, as `dd-MM-yyyy HH:mm:ss` with 24 hours.
    pub(crate) fn instant(&mut self, element: &'static str, local: NaiveDateTime) -> Written {
        check_year(element, local.date())?;
        self.code(element, &local.format("%d-%m-%Y %H:%M:%S").to_string())
    }
}

fn check_year(element: &'static str, date: NaiveDate) -> Written {
    ensure((1900..=2099).contains(&date.year()), element, "a year is 1900 to 2099")
}
