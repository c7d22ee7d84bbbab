//! Card data between the payer and the provider. No other type may contain a card number.
//!
//! A [`Card`] has no `Debug`, `Display` or `Clone`, cannot be serialized, and is wiped when dropped. Its storable data
//! is a [`CardSummary`].

use chrono::{DateTime, Datelike, Utc};
use zeroize::Zeroizing;

use crate::{attempt::CardSummary, catalog::Catalog, fiscal::local_date};

/// A card as typed by the payer.
pub struct Card {
    number: Zeroizing<String>,
    security_code: Zeroizing<String>,
    expiration_month: u8,
    expiration_year: u16,
    holder_name: Option<Zeroizing<String>>,
}

impl Card {
    /// The card with these fields, if the number is 12 to 19 digits with a right check digit, the
    /// code 3 or 4 digits, and the month a month.
    pub fn new(
        number: Zeroizing<String>,
        security_code: Zeroizing<String>,
        expiration_month: u8,
        expiration_year: u16,
        holder_name: Option<Zeroizing<String>>,
    ) -> Option<Self> {
        let is_possible = Self::is_number(&number)
            && Self::is_security_code(&security_code)
            && (1..=12).contains(&expiration_month)
            && (1000..=9999).contains(&expiration_year);
        is_possible.then_some(Self { number, security_code, expiration_month, expiration_year, holder_name })
    }

    /// Whether `text` is 12 to 19 ASCII digits of which the last is the check digit (Luhn).
    pub fn is_number(text: &str) -> bool {
        (12..=19).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit()) && luhn(text)
    }

    /// Whether `text` is 3 or 4 ASCII digits.
    pub fn is_security_code(text: &str) -> bool {
        (3..=4).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit())
    }

    /// Whether the card has expired at `now`.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        let today = local_date(now);
        (i32::from(self.expiration_year), u32::from(self.expiration_month)) < (today.year(), today.month())
    }

    /// Returns the storable data, with the brand of the default catalog.
    pub fn summary(&self) -> CardSummary {
        self.summary_by(&Catalog::default())
    }

    /// Returns the storable data, with the brand of the number in `catalog`.
    pub fn summary_by(&self, catalog: &Catalog) -> CardSummary {
        CardSummary {
            brand: catalog.brand_of(&self.number).map(|it| it.offer.name.clone()),
            last4: self.number.len().checked_sub(4).and_then(|at| self.number.get(at..)).map(str::to_owned),
        }
    }

    /// The number, for the provider alone.
    pub fn expose_number(&self) -> &str {
        &self.number
    }

    /// The security code, for the provider alone.
    pub fn expose_security_code(&self) -> &str {
        &self.security_code
    }

    /// Month and year of expiry.
    pub const fn expiration(&self) -> (u8, u16) {
        (self.expiration_month, self.expiration_year)
    }

    /// Returns the name of the cardholder, if present.
    pub fn holder_name(&self) -> Option<&str> {
        self.holder_name.as_ref().map(|it| it.as_str())
    }
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit.saturating_sub(b'0'));
            let doubled = if place % 2 == 1 { digit * 2 } else { digit };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}
