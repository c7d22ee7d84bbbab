//! Card brands, 3-D Secure programs and wallets: their published names, and the providers that support them.

use crate::account::Provider;

/// The one list of names. A deployment may publish others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// Card brands; of ranges that overlap, the first counts.
    pub brands: Vec<Brand>,
    /// 3-D Secure programs.
    pub programs: Vec<Offer>,
    /// Wallets.
    pub wallets: Vec<Offer>,
}

/// A card brand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brand {
    /// Names and providers.
    pub offer: Offer,
    /// Number ranges of its cards.
    pub ranges: Vec<NumberPrefixes>,
}

/// A brand, program or wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The real name, such as `visa`.
    pub name: String,
    /// The published value, as in `brand_a`.
    pub published: String,
    /// Display name.
    pub display_name: String,
    /// Providers with support in new accounts; for a program, with support in accounts with 3-D Secure.
    pub providers: Vec<Provider>,
}

/// Card numbers that begin alike: with any number of so many digits from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberPrefixes {
    /// Number of digits that are compared.
    pub digits: usize,
    /// The first beginning.
    pub from: u32,
    /// The last.
    pub to: u32,
}

/// Number ranges as published by the networks (ISO/IEC 7812): name, published value, display name, prefixes, and
/// whether new accounts support the brand.
type Row = (&'static str, &'static str, &'static str, &'static [(usize, u32, u32)], bool);
const BRANDS: &[Row] = &[
    ("visa", "brand_a", "Visa", &[(1, 4, 4)], true),
    ("mastercard", "brand_b", "Mastercard", &[(2, 51, 55), (4, 2221, 2720)], true),
    ("amex", "brand_c", "American Express", &[(2, 34, 34), (2, 37, 37)], false),
    ("discover", "brand_d", "Discover", &[(4, 6011, 6011), (2, 65, 65)], false),
];
/// An account with 3-D Secure has both.
const PROGRAMS: &[(&str, &str, &str)] =
    &[("visa_secure", "program_a", "Visa Secure"), ("identity_check", "program_b", "Mastercard Identity Check")];
const WALLETS: &[(&str, &str, &str)] =
    &[("apple_pay", "wallet_a_pay", "Apple Pay"), ("google_pay", "wallet_b_pay", "Google Pay")];

impl Default for Catalog {
    fn default() -> Self {
        let brand = |&(name, published, display_name, ranges, is_usual): &Row| Brand {
            offer: offer(&(name, published, display_name), if is_usual { &Provider::ALL } else { &[] }),
            ranges: ranges.iter().map(|&(digits, from, to)| NumberPrefixes { digits, from, to }).collect(),
        };
        Self {
            brands: BRANDS.iter().map(brand).collect(),
            programs: PROGRAMS.iter().map(|it| offer(it, &Provider::ALL)).collect(),
            wallets: WALLETS.iter().map(|it| offer(it, &[])).collect(),
        }
    }
}

fn offer(&(name, published, display_name): &(&str, &str, &str), providers: &[Provider]) -> Offer {
    let [name, published, display_name] = [name, published, display_name].map(str::to_owned);
    Offer { name, published, display_name, providers: providers.to_vec() }
}

impl Catalog {
    /// A name is no longer.
    pub const LONGEST_NAME: usize = 32;

    /// The brand of a card with that number.
    pub fn brand_of(&self, number: &str) -> Option<&Brand> {
        self.brands.iter().find(|it| it.ranges.iter().any(|range| range.includes(number)))
    }

    /// The published values of the brands that a new account at `provider` takes.
    pub fn card_brands(&self, provider: Provider) -> Vec<String> {
        published(self.brands.iter().map(|it| &it.offer), provider)
    }

    /// Returns the published programs of an account with 3-D Secure at `provider`.
    pub fn three_ds_programs(&self, provider: Provider) -> Vec<String> {
        published(self.programs.iter(), provider)
    }

    /// The published values of the wallets that a new account at `provider` takes.
    pub fn wallets(&self, provider: Provider) -> Vec<String> {
        published(self.wallets.iter(), provider)
    }

    /// Returns the first fault of the catalog, if any.
    pub fn fault(&self) -> Option<&'static str> {
        let brands: Vec<&Offer> = self.brands.iter().map(|it| &it.offer).collect();
        let lists = [brands, self.programs.iter().collect(), self.wallets.iter().collect()];
        if lists.iter().flatten().any(|it| !it.is_named()) {
            return Some("a name has 1 to 32 of a-z, 0-9 and _, and people's name 1 to 32 characters");
        }
        let is_twice = |list: &Vec<&Offer>, of: fn(&Offer) -> &str| {
            list.iter().enumerate().any(|(at, it)| list.iter().take(at).any(|earlier| of(earlier) == of(it)))
        };
        if lists.iter().any(|it| is_twice(it, |it| &it.name) || is_twice(it, |it| &it.published)) {
            return Some("a name stands twice in one list");
        }
        let ranges = self.brands.iter().flat_map(|it| &it.ranges);
        ranges
            .into_iter()
            .any(|it| !it.is_possible())
            .then_some("a range has beginnings of 1 to 8 digits, the lower first")
    }
}

impl Offer {
    fn is_named(&self) -> bool {
        let is_name = |text: &str| {
            (1..=Catalog::LONGEST_NAME).contains(&text.len())
                && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
        };
        let shown = self.display_name.chars();
        is_name(&self.name)
            && is_name(&self.published)
            && (1..=Catalog::LONGEST_NAME).contains(&shown.clone().count())
            && !shown.into_iter().any(char::is_control)
    }
}

impl NumberPrefixes {
    fn includes(self, number: &str) -> bool {
        let prefix = number.get(..self.digits).and_then(|it| it.parse::<u32>().ok());
        prefix.is_some_and(|it| (self.from..=self.to).contains(&it))
    }

    fn is_possible(self) -> bool {
        let digits = |number: u32| number.checked_ilog10().map_or(1, |it| it as usize + 1);
        (1..=8).contains(&self.digits) && self.from <= self.to && digits(self.to) <= self.digits
    }
}

fn published<'a>(offers: impl Iterator<Item = &'a Offer>, provider: Provider) -> Vec<String> {
    offers.filter(|it| it.providers.contains(&provider)).map(|it| it.published.clone()).collect()
}
