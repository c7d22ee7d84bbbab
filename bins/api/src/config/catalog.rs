//! A catalog of names in a file, in place of the usual one.

use std::path::Path;

use domain::{
    account::Provider,
    catalog::{Brand, Catalog, NumberPrefixes, Offer},
};
use serde::Deserialize;

use crate::{
    failure::{Done, Failure},
    text_file,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    brands: Vec<Entry>,
    #[serde(default)]
    three_ds_programs: Vec<Entry>,
    #[serde(default)]
    wallets: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    name: String,
    published: String,
    display_name: String,
    /// Beginnings of numbers, as in `4` or `51-55`; brands alone have them.
    #[serde(default)]
    ranges: Vec<String>,
    #[serde(default)]
    providers: Vec<String>,
}

/// The catalog in that file; the usual one, if none is named.
pub(crate) fn read(path: Option<&Path>) -> Done<Catalog> {
    let Some(path) = path else { return Ok(Catalog::default()) };
    let text = text_file::read_text(path)?;
    parse(&text).map_err(|fault| Failure::new(format!("{} is no catalog: {fault}", path.display())))
}

fn parse(text: &str) -> Result<Catalog, String> {
    let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let offers = |entries: Vec<Entry>| entries.into_iter().map(|it| offer(&it)).collect::<Result<Vec<_>, _>>();
    let brand = |it: Entry| -> Result<Brand, String> {
        let no_range = |it: &String| format!("{it} is no range: beginnings are expected, as in 4 or 51-55");
        let ranges = it.ranges.iter().map(|it| range(it).ok_or_else(|| no_range(it)));
        Ok(Brand { offer: offer(&it)?, ranges: ranges.collect::<Result<_, _>>()? })
    };
    let catalog = Catalog {
        brands: document.brands.into_iter().map(brand).collect::<Result<_, _>>()?,
        programs: offers(document.three_ds_programs)?,
        wallets: offers(document.wallets)?,
    };
    catalog.fault().map_or(Ok(catalog), |fault| Err(fault.to_owned()))
}

fn offer(entry: &Entry) -> Result<Offer, String> {
    let provider = |it: &String| Provider::from_code(it).ok_or_else(|| format!("{it} is no provider"));
    Ok(Offer {
        name: entry.name.clone(),
        published: entry.published.clone(),
        display_name: entry.display_name.clone(),
        providers: entry.providers.iter().map(provider).collect::<Result<_, _>>()?,
    })
}

/// `4`, or `51-55`: both ends with as many digits.
fn range(text: &str) -> Option<NumberPrefixes> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    if from.len() != to.len() || !is_digits(from) || !is_digits(to) {
        return None;
    }
    Some(NumberPrefixes { digits: from.len(), from: from.parse().ok()?, to: to.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = r#"{
        "brands": [
            {"name": "visa", "published": "brand_v", "displayName": "Visa", "ranges": ["4"], "providers": ["azul"]},
            {"name": "mastercard", "published": "brand_m", "displayName": "Mastercard", "ranges": ["51-55", "2221-2720"]}
        ],
        "wallets": [{"name": "pay", "published": "pay", "displayName": "Pay", "providers": ["azul", "simulator"]}]
    }"#;

    #[test]
    fn file_replaces_the_published_names() {
        let catalog = parse(OWN).unwrap();

        assert_eq!(catalog.card_brands(Provider::Azul), ["brand_v"]);
        assert_eq!(catalog.wallets(Provider::Simulator), ["pay"]);
        assert_eq!(catalog.brand_of("2221000000000009").map(|it| it.offer.published.as_str()), Some("brand_m"));
        assert_eq!(catalog.programs, []);
    }

    #[test]
    fn invalid_catalog_is_refused_with_the_reason() {
        for (text, word) in [
            (OWN.replace("51-55", "51-555"), "51-555 is no range"),
            (OWN.replace("\"4\"", "\"4x\""), "4x is no range"),
            (OWN.replace("\"azul\"]}", "\"unknown\"]}"), "unknown is no provider"),
            (OWN.replace("brand_m", "brand_v"), "stands twice"),
            (OWN.replace("displayName", "colour"), "unknown field"),
            ("[]".to_owned(), "invalid length"),
        ] {
            let fault = parse(&text).unwrap_err();
            assert!(fault.contains(word), "{fault}");
        }
    }
}
