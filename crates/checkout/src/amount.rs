use domain::{Currency, Money};

/// An amount as people here write it: `RD$ 1,280.00`.
pub(crate) fn spell(amount: Money) -> String {
    let symbol = match amount.currency() {
        Currency::Dop => "RD$",
        Currency::Usd => "US$",
    };
    let text = amount.decimal_text();
    let (whole, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let digits = whole.trim_start_matches('-');
    let sign = if digits.len() < whole.len() { "-" } else { "" };
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{symbol} {sign}{grouped}.{cents}")
}
