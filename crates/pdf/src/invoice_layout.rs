//! Texts of a printed representation.

use chrono::{DateTime, Utc};
use domain::{
    Currency, FiscalDocument, Money,
    fiscal::{
        Buyer, Content, Environment, ExchangeRate, FiscalLine, LEGAL_TIP, NoteContent, Numbered, Signed, TaxTreatment,
        local_time, verification_url,
    },
    refund::Modification,
};

/// All texts of a document.
pub(crate) struct InvoiceLayout {
    /// Trade name.
    pub(crate) trade_name: String,
    /// Registered name, number and address of the issuer, and the date.
    pub(crate) issuer: Vec<String>,
    /// Kind of document.
    pub(crate) title: &'static str,
    /// Number, expiry, and the merchant's own numbers.
    pub(crate) numbers: Vec<String>,
    pub(crate) buyer: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Totals; the last one is the total of the document.
    pub(crate) totals: Vec<(String, String)>,
    /// Notes below the totals.
    pub(crate) remarks: Vec<String>,
    /// URL in the QR code.
    pub(crate) address: String,
    /// Text below the QR code.
    pub(crate) qr_code_texts: [String; 2],
    /// Legend of a contingency copy.
    pub(crate) legend: Option<&'static str>,
    pub(crate) signed_at: DateTime<Utc>,
    /// Notice that the document has no fiscal value, if so.
    pub(crate) notice: Option<&'static str>,
    currency: Currency,
}

/// A line of the document.
pub(crate) struct Row {
    pub(crate) quantity: String,
    pub(crate) description: String,
    pub(crate) unit: &'static str,
    pub(crate) price: String,
    pub(crate) rate: String,
    pub(crate) value: String,
    minor_units: i64,
}

impl InvoiceLayout {
    pub(crate) fn of(document: &FiscalDocument, numbered: &Numbered, signed: &Signed) -> Self {
        let (facts, content) = (&document.facts, document.content());
        let amount = |minor_units| Money::new(minor_units, facts.currency).grouped_text();
        let row = |(line, &total): (&FiscalLine, &i64)| Row {
            quantity: line.quantity.canonical().to_owned(),
            description: description(line),
            unit: line.measurement_unit.name(),
            price: amount(line.unit_price_minor_units),
            rate: rate(line.tax_treatment),
            value: amount(total),
            minor_units: total,
        };
        Self {
            trade_name: facts.issuer.trade_name.as_str().to_owned(),
            issuer: vec![
                facts.issuer.legal_name.as_str().to_owned(),
                format!("RNC: {}", facts.issuer.rnc.as_str()),
                facts.issuer.address.clone(),
                format!("Fecha de emisión: {}", numbered.issue_date.format("%d-%m-%Y")),
            ],
            title: content.kind.title(),
            numbers: numbers(document, numbered),
            buyer: content.buyer.as_ref().map(buyer).unwrap_or_default(),
            rows: content.lines.iter().zip(&content.breakdown.line_totals).map(row).collect(),
            totals: totals(content, facts.currency),
            remarks: remarks(content, facts.currency),
            address: verification_url(document, numbered, signed),
            qr_code_texts: [
                format!("Código de Seguridad: {}", signed.security_code),
                format!("Fecha de Firma Digital: {}", local_time(signed.at).format("%d-%m-%Y %H:%M:%S")),
            ],
            legend: None,
            signed_at: signed.at,
            notice: (facts.environment != Environment::Production).then_some("DOCUMENTO DE PRUEBA, SIN VALIDEZ FISCAL"),
            currency: facts.currency,
        }
    }

    /// Returns the layout of a contingency copy.
    ///
    /// Source: DGII, *Representación Impresa (Modelos ilustrativos)*, 4.1.
    pub(crate) fn for_contingency(self) -> Self {
        let legend = "e-CF emitido en modalidad de Contingencia, el cual podrá ser consultado para su validez fiscal, a partir \
                      de las setenta y dos (72) horas.";
        Self { legend: Some(legend), ..self }
    }

    /// Returns the title of a column of amounts.
    pub(crate) fn amount_title(&self, title: &str) -> String {
        labelled(title, self.currency)
    }

    /// Returns the subtotal of some rows.
    pub(crate) fn subtotal(&self, rows: &[Row]) -> String {
        let sum = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.minor_units));
        Money::new(sum, self.currency).grouped_text()
    }
}

fn numbers(document: &FiscalDocument, numbered: &Numbered) -> Vec<String> {
    let content = document.content();
    let mut numbers = vec![format!("e-NCF: {}", numbered.number.as_str())];
    numbers.extend(content.note.iter().flat_map(|note| modified(note, numbered)));
    if let (true, Some(day)) = (content.kind.has_sequence_expiry(), numbered.valid_until) {
        numbers.push(format!("Fecha Vencimiento: {}", day.format("%d-%m-%Y")));
    }
    numbers.push(format!("Factura interna: {}", content.merchant_invoice_number.as_str()));
    numbers.push(format!("Pedido: {}", content.merchant_order_number.as_str()));
    numbers.extend(document.facts.rate.iter().flat_map(|rate| in_pesos(document, rate)));
    numbers
}

/// Returns the document that a credit note modifies, how and why.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 17.
fn modified(note: &NoteContent, numbered: &Numbered) -> Vec<String> {
    let effect = match note.modification {
        Modification::Cancels => "Anula el NCF modificado",
        Modification::CorrectsAmounts => "Corrige montos del NCF modificado",
    };
    let mut texts = Vec::new();
    if let Some(original) = &note.modified {
        texts.push(format!("e-NCF Modificado: {}", original.number.as_str()));
        texts.push(format!("Fecha del e-NCF Modificado: {}", original.issue_date.format("%d-%m-%Y")));
    }
    texts.push(format!("Modificación: {effect}"));
    texts.push(format!("Motivo: {}", note.reason.as_str()));
    if note.is_late(numbered.issue_date) == Some(true) {
        texts.push("Emitida después de 30 días: Reglamento 293-11, arts. 8 y 28.".to_owned());
    }
    texts
}

/// Returns exchange rate and total in pesos of a sale in another currency.
fn in_pesos(document: &FiscalDocument, rate: &ExchangeRate) -> [String; 3] {
    let total = document.total_in_pesos();
    let day = rate.day().format("%d-%m-%Y");
    [
        format!("Moneda: {}", rate.currency().code()),
        format!("Tasa de cambio: {} ({}, {day})", rate.ratio_text(), rate.source().as_str()),
        format!("Total en pesos: {} {}", symbol(total.currency()), total.grouped_text()),
    ]
}

fn buyer(buyer: &Buyer) -> Vec<String> {
    let name = buyer.legal_name.as_ref().map(|it| format!("Razón Social Cliente: {it}"));
    let address = buyer.address.as_ref().map(|it| format!("Dirección: {}", it.as_str()));
    let number = Some(format!("RNC Cliente: {}", buyer.tax_id.as_str()));
    [name, number, address].into_iter().flatten().collect()
}

/// Returns the description, with a capital E before an exempt line.
fn description(line: &FiscalLine) -> String {
    let text = line.description.as_str();
    if line.tax_treatment == TaxTreatment::Exempt { format!("E {text}") } else { text.to_owned() }
}

/// Returns the tax rate. The document has no tax per line, and the sum of such taxes would not be the document's tax.
fn rate(treatment: TaxTreatment) -> String {
    match (treatment.rate_percent(), treatment) {
        (Some(percent), _) => format!("{percent} %"),
        (None, TaxTreatment::NonBillable) => "No facturable".to_owned(),
        (None, _) => "Exento".to_owned(),
    }
}

fn totals(content: &Content, currency: Currency) -> Vec<(String, String)> {
    let breakdown = &content.breakdown;
    let amount = |minor_units| Money::new(minor_units, currency).grouped_text();
    let uses = |treatment| content.lines.iter().any(|it| it.tax_treatment == treatment);
    let mut totals = Vec::new();
    for base in &breakdown.taxable_bases {
        let percent = base.tax_treatment.rate_percent().unwrap_or_default();
        totals.push((labelled(&format!("Subtotal gravado {percent} %"), currency), amount(base.base_minor_units)));
    }
    if uses(TaxTreatment::Exempt) {
        totals.push((labelled("Subtotal exento", currency), amount(breakdown.exempt_minor_units)));
    }
    totals.push((labelled("Total ITBIS", currency), amount(breakdown.taxes_minor_units)));
    if let Some(tip) = breakdown.service_charges.first() {
        totals.push((labelled(&format!("Propina legal {} %", LEGAL_TIP.rate), currency), amount(tip.minor_units)));
    }
    totals.push((format!("TOTAL {}", symbol(currency)), amount(breakdown.total_minor_units)));
    totals
}

/// Returns the label of an amount, which names a currency other than pesos.
///
/// Source: DGII, *Informe Técnico e-CF v1.0*, 17.2.2.
fn labelled(name: &str, currency: Currency) -> String {
    match currency {
        Currency::Dop => name.to_owned(),
        Currency::Usd => format!("{name} {}", currency.code()),
    }
}

fn remarks(content: &Content, currency: Currency) -> Vec<String> {
    let free = content.breakdown.non_billable_minor_units;
    let uses = |treatment| content.lines.iter().any(|it| it.tax_treatment == treatment);
    let exempt = uses(TaxTreatment::Exempt).then(|| "E: exento de ITBIS".to_owned());
    let note = || format!("Monto no facturable, fuera del total: {}", Money::new(free, currency).grouped_text());
    exempt.into_iter().chain(uses(TaxTreatment::NonBillable).then(note)).collect()
}

pub(crate) const fn symbol(currency: Currency) -> &'static str {
    match currency {
        Currency::Dop => "RD$",
        Currency::Usd => "US$",
    }
}
