use cobro_domain::{
    Currency::{Dop, Usd},
    Money,
    fiscal::{
        BuyerRequirement, DocumentKind, IDENTIFICATION_THRESHOLD, IssuanceMode, ItemKind, LEGAL_TIP, MeasurementUnit,
        Route, TaxTreatment,
    },
};

#[test]
fn treatments_have_the_authoritys_codes_and_rates() {
    let table: Vec<_> =
        TaxTreatment::ALL.iter().map(|it| (it.as_str(), it.billing_indicator(), it.rate_percent())).collect();

    assert_eq!(
        table,
        [
            ("itbis_18", 1, Some(18)),
            ("itbis_16", 2, Some(16)),
            ("zero_rated", 3, Some(0)),
            ("exempt", 4, None),
            ("non_billable", 0, None),
        ]
    );
}

#[test]
fn units_have_the_authoritys_codes_and_names() {
    let table: Vec<_> = MeasurementUnit::ALL.iter().map(|it| (it.as_str(), it.code(), it.name())).collect();

    assert_eq!(
        table,
        [
            ("unit", 43, "Unidad"),
            ("kilogram", 21, "Kilogramo"),
            ("litre", 24, "Litro"),
            ("metre", 26, "Metro"),
            ("piece", 34, "Pieza"),
        ]
    );
}

#[test]
fn goods_and_services_have_the_authoritys_codes() {
    assert_eq!((ItemKind::Good.as_str(), ItemKind::Good.code()), ("good", 1));
    assert_eq!((ItemKind::Service.as_str(), ItemKind::Service.code()), ("service", 2));
}

#[test]
fn the_legal_tip_is_tax_001_at_ten_percent() {
    assert_eq!((LEGAL_TIP.code, LEGAL_TIP.rate), ("001", 10));
}

#[test]
fn kinds_have_the_authoritys_types_and_names() {
    let row = |it: &DocumentKind| (it.as_str(), it.ecf_type(), it.has_sequence_expiry(), it.title());
    let table: Vec<_> = DocumentKind::ALL.iter().map(row).collect();

    assert_eq!(
        table,
        [
            ("consumer", 32, false, "Factura de Consumo Electrónica"),
            ("fiscal_credit", 31, true, "Factura de Crédito Fiscal Electrónica"),
            ("government", 45, true, "Comprobante Electrónico Gubernamental"),
            ("credit_note", 34, false, "Nota de Crédito Electrónica"),
        ]
    );
}

#[test]
fn every_published_spelling_is_read_back_and_no_other() {
    assert!(TaxTreatment::ALL.iter().all(|&it| TaxTreatment::from_code(it.as_str()) == Some(it)));
    assert!(MeasurementUnit::ALL.iter().all(|&it| MeasurementUnit::from_code(it.as_str()) == Some(it)));
    assert!(ItemKind::ALL.iter().all(|&it| ItemKind::from_code(it.as_str()) == Some(it)));
    assert!(DocumentKind::ALL.iter().all(|&it| DocumentKind::from_code(it.as_str()) == Some(it)));
    assert!(IssuanceMode::ALL.iter().all(|&it| IssuanceMode::from_code(it.as_str()) == Some(it)));

    for unknown in ["", "Consumer", "itbis_18 ", "ITBIS_18", "18"] {
        assert_eq!(TaxTreatment::from_code(unknown), None);
        assert_eq!(MeasurementUnit::from_code(unknown), None);
        assert_eq!(ItemKind::from_code(unknown), None);
        assert_eq!(DocumentKind::from_code(unknown), None);
        assert_eq!(IssuanceMode::from_code(unknown), None);
    }
}

#[test]
fn a_consumer_document_names_its_buyer_from_the_threshold_on() {
    let consumer = |units| {
        let total = Money::new(units, Dop);
        (DocumentKind::Consumer.buyer_requirement(total), DocumentKind::Consumer.route(total))
    };

    assert_eq!(IDENTIFICATION_THRESHOLD, 250_000_00);
    assert_eq!(consumer(249_999_99), (BuyerRequirement::Optional, Route::Summary));
    assert_eq!(consumer(250_000_00), (BuyerRequirement::Required, Route::Full));
    assert_eq!(consumer(0), (BuyerRequirement::Optional, Route::Summary));
}

#[test]
fn the_other_kinds_always_name_their_buyer_and_go_in_full() {
    for kind in [DocumentKind::FiscalCredit, DocumentKind::Government] {
        for units in [1, 250_000_00] {
            let total = Money::new(units, Dop);
            assert_eq!((kind.buyer_requirement(total), kind.route(total)), (BuyerRequirement::Required, Route::Full));
        }
    }
}

#[test]
fn a_total_of_unknown_worth_in_pesos_counts_as_reaching_the_threshold() {
    let total = Money::new(1_00, Usd);

    assert_eq!(DocumentKind::Consumer.buyer_requirement(total), BuyerRequirement::Required);
    assert_eq!(DocumentKind::Consumer.route(total), Route::Full);
}
