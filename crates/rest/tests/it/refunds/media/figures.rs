use serde_json::Value;

/// Figures that a document states, by the case.
pub(super) struct Figures<'a> {
    /// Sums in the currency of the sale.
    pub(super) sums: &'a Value,
    /// Sums in pesos; null for a sale in pesos.
    pub(super) pesos: &'a Value,
    /// Sale of the case.
    pub(super) sale: &'a Value,
    /// Credit note of the case; `None` for the document of the sale.
    pub(super) note: Option<&'a Value>,
}

impl<'a> Figures<'a> {
    /// Returns the figures of the sale's document.
    pub(super) fn of_sale(case: &'a Value) -> Self {
        let sums = &case["saleTotals"];
        Self { sums, pesos: &sums["pesos"], sale: &case["sale"], note: None }
    }

    /// Returns the figures of a credit note.
    pub(super) fn of_note(case: &'a Value, note: &'a Value) -> Self {
        Self { sums: &note["breakdown"], pesos: &note["pesos"], sale: &case["sale"], note: Some(note) }
    }

    pub(super) fn is_in_pesos(&self) -> bool {
        self.pesos.is_null()
    }

    /// Returns the tax treatment of a line.
    pub(super) fn treatment(&self, source_line_id: &Value) -> &'a str {
        let mut lines = self.sale["lines"].as_array().unwrap().iter();
        let line = lines.find(|line| line["sourceLineId"] == *source_line_id).unwrap();
        line["taxTreatment"].as_str().unwrap()
    }

    /// Whether a line of the document has this treatment.
    pub(super) fn uses(&self, treatment: &str) -> bool {
        let lines = self.note.unwrap_or(self.sale)["lines"].as_array().unwrap();
        lines.iter().any(|line| self.treatment(&line["sourceLineId"]) == treatment)
    }

    /// Returns names and amounts of the sums before the total, as people read them.
    pub(super) fn rows(&self) -> Vec<(String, i64)> {
        let bases = bases(self.sums).into_iter().map(|base| (format!("Subtotal gravado {} %", base.rate), base.base));
        let mut rows: Vec<_> = bases.collect();
        if self.uses("exempt") {
            rows.push(("Subtotal exento".to_owned(), units(&self.sums["exemptMinorUnits"])));
        }
        rows.push(("ITBIS".to_owned(), units(&self.sums["taxesMinorUnits"])));
        let tip = units(&self.sums["legalTipMinorUnits"]);
        rows.extend((tip > 0).then(|| ("Propina legal 10 %".to_owned(), tip)));
        rows
    }

    /// Returns the elements of the totals, in pesos or in another currency.
    pub(super) fn elements(&self, sums: &Value, other_currency: &str) -> Vec<(String, String)> {
        let bases = bases(sums);
        let is_other = !other_currency.is_empty();
        let mut elements = Vec::new();
        let mut push = |name: &str, text: String| elements.push((format!("{name}{other_currency}"), text));
        if !bases.is_empty() {
            push("MontoGravadoTotal", decimal(bases.iter().map(|base| base.base).sum()));
        }
        for base in &bases {
            push(&format!("MontoGravado{}{}", if is_other { "" } else { "I" }, base.slot), decimal(base.base));
        }
        if self.uses("exempt") {
            push("MontoExento", decimal(units(&sums["exemptMinorUnits"])));
        }
        for base in bases.iter().filter(|_| !is_other) {
            push(&format!("ITBIS{}", base.slot), base.rate.to_string());
        }
        if !bases.is_empty() {
            push("TotalITBIS", decimal(units(&sums["taxesMinorUnits"])));
        }
        for base in &bases {
            push(&format!("TotalITBIS{}", base.slot), decimal(base.tax));
        }
        let tip = units(&sums["legalTipMinorUnits"]);
        if tip > 0 {
            push("MontoImpuestoAdicional", decimal(tip));
            push("TipoImpuesto", "001".to_owned());
            push("TasaImpuestoAdicional", "10".to_owned());
            push("OtrosImpuestosAdicionales", decimal(tip));
        }
        push("MontoTotal", decimal(units(&sums["totalMinorUnits"])));
        elements
    }
}

/// Sum of the lines of a tax rate.
struct Base {
    rate: u8,
    /// Number of the rate in the names of elements.
    slot: u8,
    base: i64,
    tax: i64,
}

fn bases(sums: &Value) -> Vec<Base> {
    let base = |base: &Value| {
        let (rate, slot) = match base["taxTreatment"].as_str() {
            Some("itbis_18") => (18, 1),
            Some("itbis_16") => (16, 2),
            Some("zero_rated") => (0, 3),
            other => panic!("{other:?} has no rate"),
        };
        Base { rate, slot, base: units(&base["baseMinorUnits"]), tax: units(&base["taxMinorUnits"]) }
    };
    sums["taxableBases"].as_array().unwrap().iter().map(base).collect()
}

pub(super) fn units(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is not an amount"))
}

/// Formats an amount below ten thousand for the XML: `1280.00`.
pub(super) fn decimal(minor_units: i64) -> String {
    format!("{}.{:02}", minor_units / 100, minor_units % 100)
}

/// Formats an amount below a million for people: `1,280.00`.
pub(super) fn grouped(minor_units: i64) -> String {
    match minor_units / 1_000_00 {
        0 => decimal(minor_units),
        thousands => format!("{thousands},{:0>6}", decimal(minor_units % 1_000_00)),
    }
}

/// Formats an amount with the symbol of its currency: `RD$ 1,280.00`.
pub(super) fn priced(is_in_pesos: bool, minor_units: i64) -> String {
    format!("{} {}", if is_in_pesos { "RD$" } else { "US$" }, grouped(minor_units))
}
