use std::fs;

use super::*;

#[track_caller]
fn read(text: &[u8]) -> (Vec<RegisterEntry>, u64) {
    let mut reader = RegisterReader::open(text).unwrap();
    let mut all = Vec::new();
    while let Some(batch) = reader.batch(2).unwrap() {
        assert!(batch.len() <= 2);
        all.extend(batch);
    }
    (all, reader.unusable())
}

/// Returns the error at the start or at the end of the text.
fn refusal(text: &[u8]) -> Option<RegisterInvalid> {
    let mut reader = match RegisterReader::open(text) {
        Ok(reader) => reader,
        Err(why) => return Some(why),
    };
    loop {
        match reader.batch(100) {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(why) => return Some(why),
        }
    }
}

fn taxpayer(tax_id: &str, legal_name: &str, status: &str) -> RegisterEntry {
    let [tax_id, legal_name, status] = [tax_id, legal_name, status].map(str::to_owned);
    RegisterEntry { tax_id, legal_name, status }
}

fn published() -> Vec<RegisterEntry> {
    vec![
        taxpayer("101000007", "COMERCIAL LA BAHÍA, SRL", "ACTIVO"),
        taxpayer("00100000017", "ANA PEÑA", "ACTIVO"),
        taxpayer("101581601", "EMPRESA SIN DIGITO, SRL", "ACTIVO"),
        taxpayer("00000021249", "CEDULA SIN DIGITO", "ACTIVO"),
        taxpayer("130000001", "RESTAURANTE \"EL BUEN SABOR\", SRL", "ACTIVO"),
        taxpayer("131880681", "EN CESE", "CESE TEMPORAL"),
    ]
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../../fixtures/register/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn every_format_of_the_register_gives_the_same_taxpayers() {
    for name in ["a_ok.txt", "trailing_bar.txt", "utf8.txt", "b.csv"] {
        assert_eq!(read(&fixture(name)), (published(), 0), "{name}");
    }
    let csv = WINDOWS_1252.decode(&fixture("b.csv")).0.into_owned();
    let text = String::from_utf8(fixture("utf8.txt")).unwrap();
    let (header, rows) = csv.split_once("\r\n").unwrap();
    for (form, bytes) in [
        ("with a byte order mark", [b"\xef\xbb\xbf", &fixture("utf8.txt")[..]].concat()),
        ("with a column more at the end", text.replace("\r\n", "|SI\r\n").into_bytes()),
        (
            "with a column more before the status",
            text.replace("|ACTIVO", "|X|ACTIVO").replace("|CESE", "|X|CESE").into_bytes(),
        ),
        (
            "with a header",
            format!("RNC|NOMBRE O RAZÓN SOCIAL|NOMBRE COMERCIAL|A|B|C|D|E|F|ESTADO|RÉGIMEN\r\n{text}").into_bytes(),
        ),
        ("with lines that end with CR alone", text.replace("\r\n", "\r").into_bytes()),
        ("with lines that end with LF alone", text.replace("\r\n", "\n").into_bytes()),
        ("with an empty line first", format!("\r\n{text}").into_bytes()),
        ("with tabs", text.replace("\"EL BUEN SABOR\"", "EL BUEN SABOR").replace('|', "\t").into_bytes()),
    ] {
        let expected: Vec<String> = published().into_iter().map(|it| it.status).collect();
        let found: Vec<String> = read(&bytes).0.into_iter().map(|it| it.status).collect();
        assert_eq!(found, expected, "{form}");
    }
    for (form, csv) in [
        ("without a header", rows.to_owned()),
        (
            "with semicolons",
            csv.replace("\",\"", "\";\"").replace(header, "RNC;RAZON SOCIAL;ACTIVIDAD;FECHA;ESTADO;REGIMEN"),
        ),
        ("with a column more", format!("{header},X\r\n{}", rows.replace("\"\r\n", "\",\"\"\r\n"))),
        (
            "in another order",
            "\u{feff}ESTADO,RNC,RAZON SOCIAL\r\nACTIVO,1-01-00000-7,UNA\r\nSUSPENDIDO,00100000017,OTRA\r\n".to_owned(),
        ),
    ] {
        let (found, unusable) = read(csv.as_bytes());
        let taxpayers = if form == "in another order" { 2 } else { 6 };
        assert_eq!(found.len(), taxpayers, "{form}: {found:?}");
        assert_eq!((found[0].status.as_str(), unusable), ("ACTIVO", 0), "{form}");
    }
}

#[test]
fn a_file_without_statuses_is_no_register() {
    for text in [
        &b""[..],
        b"<html>\n<body>Acceso denegado</body>\n</html>\n",
        b"101000007|UNA|||||||01/01/2020|1|NORMAL\n102000001|OTRA|||||||01/01/2020|2|NORMAL\n",
        b"RNC,RAZON SOCIAL,ACTIVIDAD\n101000007,UNA,VENTAS\n",
        b"PK\x03\x04\x00\x01\x02",
    ] {
        assert!(matches!(refusal(text), Some(RegisterInvalid::NoLayout)), "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn a_file_with_mostly_unknown_statuses_is_refused() {
    let headed = b"RNC,RAZON SOCIAL,ESTADO\n101000007,UNA,1\n102000001,OTRA,1\n103000002,TERCERA,ACTIVO\n";
    assert!(matches!(refusal(headed), Some(RegisterInvalid::Shifted)));

    // The columns move after the lines by which the layout was found.
    let (first, then) = ("101000007|UNA||||||||ACTIVO|NORMAL\n", "101000007|UNA|||||||||NORMAL|X\n");
    let shifted = [first.repeat(SAMPLE), then.repeat(3 * SAMPLE)].concat();
    assert!(matches!(refusal(shifted.as_bytes()), Some(RegisterInvalid::Shifted)));
}

#[test]
fn an_unknown_status_is_accepted() {
    let text = b"101000007|UNA|||||||01/01/2020|ACTIVO|NORMAL\n102000001|OTRA|||||||01/01/2020|EN PROCESO|NORMAL\n";

    assert_eq!(read(text).0[1], taxpayer("102000001", "OTRA", "EN PROCESO"));
}

#[test]
fn a_line_is_a_taxpayer() {
    let text = b"101000007|COMERCIAL  LA  BAH\xcdA, SRL|LA BAHIA|VENTAS| | | | |30/06/2020|ACTIVO|NORMAL\r\n\
        00100000017|\"ANA\" \x93PE\xd1A\x94||EMPLEADOS (ASALARIADOS) | | | | ||SUSPENDIDO|NORMAL\r\n\
        102000001|OTRA|||||||00/00/0000|DADO  DE BAJA|RST";

    let expected = [
        taxpayer("101000007", "COMERCIAL LA BAHÍA, SRL", "ACTIVO"),
        taxpayer("00100000017", "\"ANA\" \u{201c}PEÑA\u{201d}", "SUSPENDIDO"),
        taxpayer("102000001", "OTRA", "DADO DE BAJA"),
    ];
    assert_eq!(read(text), (expected.to_vec(), 0));
}

#[test]
fn a_broken_line_is_joined_but_not_with_another_taxpayer() {
    let text = b"101000007|COMERCIAL\r\nLA BAHIA, SRL|||||| ||ACTIVO|NORMAL\r\n\
        999|NADIE\r\n\
        102000001|OTRA|||||||00/00/0000|ACTIVO|RST\r\n\
        \r\n\
        103000002|LA ULTIMA|";

    let expected =
        [taxpayer("101000007", "COMERCIAL LA BAHIA, SRL", "ACTIVO"), taxpayer("102000001", "OTRA", "ACTIVO")];
    assert_eq!(read(text), (expected.to_vec(), 2));
}

#[test]
fn a_broken_line_of_csv_is_joined_and_a_stray_quote_costs_no_other_line() {
    let text = b"RNC,RAZON SOCIAL,ACTIVIDAD,FECHA,ESTADO,REGIMEN\n\
        \"101000007\",\"COMERCIAL\nLA BAHIA\",\"\",\"\",\"ACTIVO\",\"NORMAL\"\n\
        \"102000001\",\"OTRA \"MAS\"\",\"\",\"\",\"ACTIVO\",\"NORMAL\"\n\
        \"103000002\",\"TERCERA\",\"\",\"\",\"ACTIVO\",\"NORMAL\"\n";

    let (all, _) = read(text);

    assert_eq!(all[0], taxpayer("101000007", "COMERCIAL LA BAHIA", "ACTIVO"));
    assert_eq!(all.last(), Some(&taxpayer("103000002", "TERCERA", "ACTIVO")));
}

#[test]
fn an_added_column_is_ignored_and_invalid_lines_are_skipped() {
    let text = b"101000007|UNA||X|| | | |NEW|30/06/2020|ACTIVO|NORMAL\n\
        102000001| |||||||30/06/2020|ACTIVO|NORMAL\n\
        103000002|SIN ESTADO|||||||30/06/2020| |NORMAL\n\
        10300000A|LETRAS|||||||30/06/2020|ACTIVO|NORMAL\n";

    let (all, unusable) = read(text);

    assert_eq!(all, [taxpayer("101000007", "UNA", "ACTIVO")]);
    assert_eq!(unusable, 3);
}

#[test]
fn a_long_name_is_truncated_to_the_limit_of_the_api() {
    let line = format!("101000007|{}|||||||30/06/2020|ACTIVO|NORMAL", "\u{d1}".repeat(300));
    let (text, ..) = WINDOWS_1252.encode(&line);

    assert_eq!(read(&text).0, [taxpayer("101000007", &"\u{d1}".repeat(256), "ACTIVO")]);
}

#[test]
fn an_endless_line_is_limited_in_memory() {
    let endless = [vec![b'1'; 200_000], b"\n101000007|UNA|||||||30/06/2020|ACTIVO|NORMAL".to_vec()].concat();

    let (all, unusable) = read(&endless);

    assert_eq!(all, [taxpayer("101000007", "UNA", "ACTIVO")]);
    assert!(unusable > 0);
}
