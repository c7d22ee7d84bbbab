//! Invariants of any sale.

use domain::fiscal::{
    DocumentKind::{self, Consumer},
    FiscalLine, Quantity, TaxTreatment,
};
use domain::text::BoundedText;
use proptest::prelude::*;

use crate::support::{composed, content, line, summarized, values};

/// Returns the amounts of all elements with this name in centavos; each has two decimals.
fn amounts(xml: &str, element: &str) -> Vec<i128> {
    let centavos = |it: String| {
        let (pesos, decimals) = it.split_once('.').unwrap();
        assert!(decimals.len() == 2 && !pesos.is_empty(), "{element} is {it}");
        format!("{pesos}{decimals}").parse().unwrap()
    };
    values(xml, element).into_iter().map(centavos).collect()
}

fn sum(xml: &str, elements: &[&str]) -> i128 {
    elements.iter().flat_map(|it| amounts(xml, it)).sum()
}

fn half_up(hundredths: i128) -> i128 {
    (hundredths + 50) / 100
}

/// Adds the amounts of the lines that `belongs` selects, as the document states them.
fn lines_where(xml: &str, belongs: impl Fn(&str) -> bool) -> i128 {
    values(xml, "Item").iter().filter(|it| belongs(it)).flat_map(|it| amounts(it, "MontoItem")).sum()
}

fn lines() -> impl Strategy<Value = Vec<FiscalLine>> {
    let treatment = prop::sample::select(&TaxTreatment::ALL);
    let quantity = (1_u64..100_000_00).prop_map(|it| format!("{}.{:02}", it / 100, it % 100));
    let any_line = (treatment, quantity, 0_i64..1_000_000_00, any::<bool>(), r"\PC{1,80}");
    let any_line = any_line.prop_filter_map("the domain refuses it", |(treatment, quantity, price, tip, text)| {
        let sold = FiscalLine {
            description: BoundedText::parse(&text)?,
            quantity: Quantity::parse(&quantity)?,
            is_legal_tip_applicable: tip && treatment != TaxTreatment::NonBillable,
            ..line(treatment, "1", price)
        };
        sold.total().filter(|&total| total > 0 || !sold.is_billable()).map(|_| sold)
    });
    let is_sale = |lines: &Vec<FiscalLine>| lines.iter().any(FiscalLine::is_billable);
    prop::collection::vec(any_line, 1..12).prop_filter("nothing is sold", is_sale)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn the_document_adds_up(lines in lines(), kind in prop::sample::select(&DocumentKind::SALE[1..])) {
        let xml = composed(content(kind, lines.clone()));

        for (line, total) in lines.iter().zip(amounts(&xml, "MontoItem")) {
            let product = i128::from(line.quantity.hundredths()) * i128::from(line.unit_price_minor_units);
            prop_assert_eq!(total, half_up(product));
        }
        let rates = [("1", "MontoGravadoI1", "TotalITBIS1", 18), ("2", "MontoGravadoI2", "TotalITBIS2", 16),
            ("3", "MontoGravadoI3", "TotalITBIS3", 0)];
        for (indicator, base, tax, rate) in rates {
            let own = lines_where(&xml, |it| values(it, "IndicadorFacturacion") == [indicator]);
            prop_assert_eq!(sum(&xml, &[base]), own);
            prop_assert_eq!(sum(&xml, &[tax]), half_up(own * rate));
        }
        let tip_base = lines_where(&xml, |it| values(it, "TipoImpuesto") == ["001"]);
        prop_assert_eq!(sum(&xml, &["MontoImpuestoAdicional"]), half_up(tip_base * 10));
        let bases = ["MontoGravadoI1", "MontoGravadoI2", "MontoGravadoI3"];
        prop_assert_eq!(sum(&xml, &bases), sum(&xml, &["MontoGravadoTotal"]));
        prop_assert_eq!(sum(&xml, &["TotalITBIS1", "TotalITBIS2", "TotalITBIS3"]), sum(&xml, &["TotalITBIS"]));
        let parts = ["MontoGravadoTotal", "MontoExento", "TotalITBIS", "OtrosImpuestosAdicionales"];
        prop_assert_eq!(sum(&xml, &parts), sum(&xml, &["MontoTotal"]));
        prop_assert_eq!(sum(&xml, &["MontoPago"]), sum(&xml, &["MontoTotal"]));
    }

    #[test]
    fn every_description_is_read_back(lines in lines()) {
        let xml = composed(content(DocumentKind::Government, lines.clone()));

        let sent: Vec<_> = lines.iter().map(|it| it.description.trimmed().to_owned()).collect();
        prop_assert_eq!(values(&xml, "NombreItem"), sent);
    }

    #[test]
    fn a_summary_repeats_the_totals(lines in lines()) {
        let sale = content(Consumer, lines.into_iter().take(1).map(cheap).collect());

        let (full, summary) = (composed(sale.clone()), summarized(sale));

        let elements = ["MontoGravadoTotal", "MontoExento", "TotalITBIS", "MontoImpuestoAdicional", "MontoTotal"];
        for element in elements {
            prop_assert_eq!(amounts(&full, element), amounts(&summary, element));
        }
    }
}

/// Returns the line as one free piece, so that the sale stays below the threshold.
fn cheap(line: FiscalLine) -> FiscalLine {
    let tax_treatment = if line.is_billable() { line.tax_treatment } else { TaxTreatment::Exempt };
    let unit_price_minor_units = line.unit_price_minor_units.clamp(1, 100_000_00);
    FiscalLine { tax_treatment, unit_price_minor_units, quantity: Quantity::parse("1").unwrap(), ..line }
}
