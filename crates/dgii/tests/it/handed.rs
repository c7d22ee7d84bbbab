//! Documents of other taxpayers.

use chrono::NaiveDate;
use dgii::Composer;
use ports::InterchangeFormat;

const BILL: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?><ECF><Encabezado><Version>1.0</Version><IdDoc>\
    <TipoeCF>31</TipoeCF><eNCF>E310000000001</eNCF></IdDoc><Emisor><RNCEmisor>131880600</RNCEmisor>\
    <FechaEmision>01-03-2026</FechaEmision></Emisor><Comprador><RNCComprador>101850043</RNCComprador></Comprador>\
    <Totales><MontoTotal>1180.5</MontoTotal></Totales></Encabezado><DetallesItems><Item/></DetallesItems>\
    <FechaHoraFirma>01-03-2026 12:00:00</FechaHoraFirma></ECF>";

#[test]
fn an_incoming_document_is_parsed() {
    let read = Composer.read_document(BILL.as_bytes()).unwrap();

    assert_eq!((read.ecf_type, read.number.as_str(), read.total_minor_units), (31, "E310000000001", 1180_50));
    assert_eq!((read.sender.as_str(), read.recipient.as_str()), ("131880600", "101850043"));
    assert_eq!(Some(read.issue_date), NaiveDate::from_ymd_opt(2026, 3, 1));
}

#[test]
fn a_day_is_one_of_the_schemas() {
    for day in ["1-3-2026", "31-12-1900", "29-02-2024"] {
        assert!(Composer.read_document(BILL.replace("01-03-2026<", &format!("{day}<")).as_bytes()).is_some(), "{day}");
    }
    for day in [
        "01-01-0000",
        "01-01--001",
        "01-01-+2026",
        "01-01-+202",
        "01-01-12026",
        "01-01-1899",
        "29-02-2026",
        "2026-03-01",
        "",
    ] {
        assert!(Composer.read_document(BILL.replace("01-03-2026<", &format!("{day}<")).as_bytes()).is_none(), "{day}");
    }
}

#[test]
fn a_document_with_a_missing_or_repeated_part_is_refused() {
    for (there, instead) in [
        ("<eNCF>E310000000001</eNCF>", ""),
        ("<eNCF>E310000000001</eNCF>", "<eNCF>E310000000001</eNCF><eNCF>E310000000001</eNCF>"),
        ("<Item/>", ""),
        ("1180.5", "-1180.50"),
        ("1180.5", "1180.505"),
        ("<ECF>", "<!DOCTYPE ECF><ECF>"),
        ("<ECF>", "<ECF xmlns=\"urn:x\">"),
        // Our acknowledgement quotes the number, and must be valid.
        ("E310000000001", "E31000000000\u{e9}"),
        ("E310000000001", "E31 000000001"),
        ("E310000000001", "e310000000001"),
        ("131880600", "1318806001"),
        ("101850043", "1018500431"),
        ("</ECF>", ""),
    ] {
        assert!(BILL.contains(there));
        assert!(Composer.read_document(BILL.replace(there, instead).as_bytes()).is_none(), "{there} {instead}");
    }
}
