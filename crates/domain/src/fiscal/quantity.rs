//! Quantities of lines.

/// A positive decimal number: 1 to 16 integer digits, and up to two decimals.
///
/// The interface returns the text as it was sent: `1.50` stays `1.50`, and two quantities are equal if they are
/// *written* alike. Documents, pages and e-mails print the canonical number. The bounds are those of `CantidadItem`
/// (DGII, *Formato Comprobante Fiscal Electrónico (e-CF) V1.0*), so every quantity that parses can be issued.
///
/// ```
/// use cobro_domain::fiscal::Quantity;
///
/// let pounds = Quantity::parse("02.50").unwrap();
///
/// assert_eq!(pounds.as_str(), "02.50");
/// assert_eq!(pounds.canonical(), "2.50");
/// assert_eq!(pounds.hundredths(), 250);
/// assert_eq!(Quantity::parse("0.00"), None);
/// assert_eq!(Quantity::parse("1e3"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantity {
    text: String,
    hundredths: u64,
}

impl Quantity {
    /// Returns the quantity of a credited amount: one.
    pub fn one() -> Self {
        Self { text: "1".to_owned(), hundredths: 100 }
    }

    /// Returns the quantity with as few decimals as possible; `None` for zero.
    pub fn of_hundredths(hundredths: u64) -> Option<Self> {
        Self::parse(hundredths_text(hundredths).trim_end_matches('0').trim_end_matches('.'))
    }

    /// Parses a quantity: no sign, no exponent, no separator but the point.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = match text.split_once('.') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (text, None),
        };
        let is_number = are_digits(whole, 16) && decimals.is_none_or(|it| are_digits(it, 2));
        if !is_number {
            return None;
        }

        // Eighteen digits at most, so they fit.
        let hundredths = format!("{whole}{:0<2}", decimals.unwrap_or_default()).parse().ok()?;
        (hundredths > 0).then(|| Self { text: text.to_owned(), hundredths })
    }

    /// Returns the text as received.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the number without leading zeros. Its decimals are unchanged: `1.50` and `1.5` are both canonical.
    pub fn canonical(&self) -> &str {
        let digits = self.text.trim_start_matches('0');
        let zeros = self.text.len().saturating_sub(digits.len());
        let needed = usize::from(digits.starts_with('.'));
        self.text.get(zeros.saturating_sub(needed)..).unwrap_or_default()
    }

    /// The number in hundredths; at least 1, less than 10^18.
    pub const fn hundredths(&self) -> u64 {
        self.hundredths
    }
}

/// Returns hundredths with a point and two decimals.
pub(crate) fn hundredths_text(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn are_digits(text: &str, at_most: usize) -> bool {
    (1..=at_most).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit())
}
