//! The words after `cargo xtask bench`.

use super::measured::Size;

/// Separately measurable part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole sales on both stores.
    Sales,
    /// Several servers and workers on one database.
    Scale,
    /// Ten minutes at half the rate.
    Steady,
    /// Requests of one kind, against the database alone.
    Rates,
    /// Documents that are due at once.
    Documents,
    /// Events that wait for one endpoint.
    Webhooks,
    /// Import of the register.
    Register,
    /// The payment page in a browser.
    Page,
    /// The cost of one document.
    Costs,
    /// Cards through the adapter.
    Cards,
}

const PARTS: &[(&str, Part)] = &[
    ("sales", Part::Sales),
    ("scale", Part::Scale),
    ("steady", Part::Steady),
    ("rates", Part::Rates),
    ("documents", Part::Documents),
    ("webhooks", Part::Webhooks),
    ("register", Part::Register),
    ("page", Part::Page),
    ("costs", Part::Costs),
    ("cards", Part::Cards),
];

/// What is measured, and how much.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(super) size: Size,
    /// Whether the sizes are too small for numbers to quote.
    pub(super) is_quick: bool,
    /// Whether the programs are already built.
    pub(super) is_built: bool,
    /// Whether a profile of the server is drawn, and nothing else done.
    pub(super) is_profile: bool,
    parts: Vec<Part>,
}

impl Plan {
    /// Parses options and names of parts. Without names every part is measured. `None` for an unknown word.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let mut plan =
            Self { size: Size::FULL, is_quick: false, is_built: false, is_profile: false, parts: Vec::new() };
        for word in words {
            match *word {
                "--quick" => plan = Self { size: Size::QUICK, is_quick: true, ..plan },
                "--built" => plan.is_built = true,
                "--profile" => plan.is_profile = true,
                name => plan.parts.push(PARTS.iter().find(|(it, _)| *it == name)?.1),
            }
        }
        Some(plan)
    }

    /// Returns whether a part is measured.
    pub(super) fn has(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_select_size_and_parts() {
        let some = Plan::parse(&["--quick", "sales", "costs", "--built"]).unwrap();
        let whole = Plan::parse(&[]).unwrap();

        assert!(some.is_built && some.is_quick && !whole.is_quick && some.size.payments < whole.size.payments);
        assert!(some.has(Part::Sales) && some.has(Part::Costs) && !some.has(Part::Rates));
        assert!(PARTS.iter().all(|(_, part)| whole.has(*part)) && !whole.is_built);
        assert!(Plan::parse(&["sale"]).is_none());
    }
}
