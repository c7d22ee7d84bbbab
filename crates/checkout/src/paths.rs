//! Paths of a payment's page, relative to the base URL.

use domain::{PaymentId, sale::Sale};

/// Path of the page of a payment, or of one part of a split, with a further query parameter.
pub(crate) fn payment_path(payment: &PaymentId, part_ordinal: Option<u8>, parameter: Option<(&str, &str)>) -> String {
    let part = part_ordinal.map(|it| format!("part={it}"));
    let parameter = parameter.map(|(name, value)| format!("{name}={value}"));
    let query: Vec<String> = part.into_iter().chain(parameter).collect();
    let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
    format!("/p/{payment}{query}")
}

/// Parses the ordinal of a part; `None` if the sale has no such part.
pub(crate) fn parse_part_ordinal(sale: &Sale, text: Option<&str>) -> Option<u8> {
    let ordinal = text?.parse().ok()?;
    sale.payment.split()?.part(ordinal).map(|it| it.ordinal)
}

/// Query string of a part, empty for the whole payment.
pub(crate) fn part_query(part_ordinal: Option<u8>) -> String {
    part_ordinal.map_or_else(String::new, |it| format!("?part={it}"))
}
