//! Figures of a document in its signed XML, its PDF and its e-mail.

use ports::DocumentSigner;
use sandbox::MailView;
use serde_json::Value;
use xml_signer::XmlSigner;

use super::{
    figures::{Figures, decimal, grouped, priced, units},
    shop::{Shop, description},
};
use crate::support::pdf_text;

/// Asserts all figures of an issued document in XML, PDF and e-mail.
pub(super) async fn check_document(shop: &Shop, (id, number): (&str, &str), figures: &Figures<'_>, email: &MailView) {
    let xml = shop.file(id, "signed-document").await;
    XmlSigner::new().verify(&xml).await.unwrap();
    check_xml(&String::from_utf8(xml).unwrap(), number, figures);
    check_pdf(&pdf_text(&shop.file(id, "printed-representation").await), number, figures);
    check_email(email, number, figures);
}

fn check_xml(xml: &str, number: &str, figures: &Figures<'_>) {
    let is_in_pesos = figures.is_in_pesos();
    assert_eq!(values(xml, "eNCF"), [number]);
    let mut totals = leaves(inside(xml, "Totales"));
    // The sum of the lines outside the total is no figure of a case.
    totals.retain(|(name, _)| name != "MontoNoFacturable" || !figures.uses("non_billable"));
    let in_pesos = if is_in_pesos { figures.sums } else { figures.pesos };
    assert_eq!(totals, figures.elements(in_pesos, ""), "{number}");
    if !is_in_pesos {
        let mut other = vec![
            ("TipoMoneda".to_owned(), "USD".to_owned()),
            ("TipoCambio".to_owned(), text(&figures.sale["exchangeRate"]).to_owned()),
        ];
        other.extend(figures.elements(figures.sums, "OtraMoneda"));
        assert_eq!(leaves(inside(xml, "OtraMoneda")), other, "{number}");
    }
    let Some(note) = figures.note else { return };
    assert_eq!(values(xml, "CodigoModificacion"), [note["modificationCode"].to_string()], "{number}");
    let lines = note["lines"].as_array().unwrap();
    let (price, amount) = match is_in_pesos {
        true => ("PrecioUnitarioItem", "MontoItem"),
        false => ("PrecioOtraMoneda", "MontoItemOtraMoneda"),
    };
    let each = |of: &dyn Fn(&Value) -> String| lines.iter().map(of).collect::<Vec<_>>();
    let items = inside(xml, "DetallesItems");
    assert_eq!(values(items, "NombreItem"), each(&|line| description(text(&line["sourceLineId"]))), "{number}");
    assert_eq!(values(items, "CantidadItem"), each(&|line| text(&line["quantity"]).to_owned()), "{number}");
    assert_eq!(values(items, price), each(&|line| decimal(units(&line["unitPriceMinorUnits"]))), "{number}");
    assert_eq!(values(items, amount), each(&|line| decimal(units(&line["netMinorUnits"]))), "{number}");
}

fn check_pdf(pdf: &str, number: &str, figures: &Figures<'_>) {
    let is_in_pesos = figures.is_in_pesos();
    let currency = if is_in_pesos { "" } else { " USD" };
    let mut facts = vec![format!("e-NCF: {number}")];
    facts.extend(figures.rows().into_iter().map(|(name, amount)| {
        let name = if name == "ITBIS" { "Total ITBIS" } else { name.as_str() };
        format!("{name}{currency} {}", grouped(amount))
    }));
    facts.push(format!("TOTAL {}", priced(is_in_pesos, units(&figures.sums["totalMinorUnits"]))));
    facts.extend((!is_in_pesos).then(|| format!("Total en pesos: {}", priced(true, total_in_pesos(figures)))));
    let lines = figures.note.map(|note| {
        let effect = if note["modificationCode"] == 1 { "Anula el" } else { "Corrige montos del" };
        facts.push(format!("Modificación: {effect} NCF modificado"));
        note["lines"].as_array().unwrap()
    });
    facts.extend(lines.into_iter().flatten().map(|line| {
        let (mark, rate) = match figures.treatment(&line["sourceLineId"]) {
            "itbis_18" => ("", "18 %"),
            "itbis_16" => ("", "16 %"),
            "zero_rated" => ("", "0 %"),
            _ => ("E ", "Exento"),
        };
        let [price, amount] = ["unitPriceMinorUnits", "netMinorUnits"].map(|name| grouped(units(&line[name])));
        let name = description(text(&line["sourceLineId"]));
        format!("{} {mark}{name} Unidad {price} {rate} {amount}", text(&line["quantity"]))
    }));
    for fact in facts {
        assert!(format!("{pdf} ").contains(&format!(" {fact} ")), "{number}: {fact} is not in {pdf}");
    }
}

fn check_email(email: &MailView, number: &str, figures: &Figures<'_>) {
    let is_in_pesos = figures.is_in_pesos();
    let line = |name: &str, amount| format!("{name}: {}", priced(is_in_pesos, amount));
    let mut lines: Vec<_> = figures.rows().iter().map(|(name, amount)| line(name, *amount)).collect();
    lines.push(line("Total del comprobante", units(&figures.sums["totalMinorUnits"])));
    if !is_in_pesos {
        let (pesos, rate) = (priced(true, total_in_pesos(figures)), text(&figures.sale["exchangeRate"]));
        lines.push(format!("Total en pesos: {pesos} (tasa {rate})"));
    }
    let amounts = format!("\n\n{}\n", lines.join("\n"));
    assert!(email.text.contains(&amounts), "{number}: {amounts} is not in {}", email.text);
    // A voluntary tip is in no credit note.
    assert!(figures.note.is_none() || email.text.contains(&format!("{amounts}\n")), "{number}: {}", email.text);
    assert!(email.subject.contains(number) && email.text.contains(&format!("e-NCF: {number}\n")), "{email:?}");
}

fn total_in_pesos(figures: &Figures<'_>) -> i64 {
    units(&figures.pesos["totalMinorUnits"])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// Returns the content of the first element with this name.
fn inside<'a>(xml: &'a str, name: &str) -> &'a str {
    let content = xml.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
    content.unwrap_or_else(|| panic!("no {name} in {xml}")).0
}

/// Returns name and text of each element without children, in their order.
fn leaves(xml: &str) -> Vec<(String, String)> {
    let tags: Vec<(&str, &str)> = xml.split('<').filter_map(|it| it.split_once('>')).collect();
    let pairs = tags.windows(2).filter(|pair| pair[1].0.strip_prefix('/') == Some(pair[0].0));
    pairs.map(|pair| (pair[0].0.to_owned(), pair[0].1.to_owned())).collect()
}

/// Returns the texts of the elements with this name.
pub(super) fn values(xml: &str, name: &str) -> Vec<String> {
    leaves(xml).into_iter().filter(|(it, _)| it == name).map(|(_, text)| text).collect()
}
