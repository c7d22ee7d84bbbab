use domain::{
    account::AccountSelector,
    merchant::CheckoutMode,
    money::AmountLimits,
    sale::{Sale, SaleDraft},
    text::BoundedText,
};
use testkit::sample;

use crate::support::open;

/// Two lines in a group and one outside, of 1,000 pesos each before tax and tip.
fn sale(mode: CheckoutMode) -> Sale {
    let line = |name: &str, group: Option<&str>| domain::fiscal::FiscalLine {
        description: BoundedText::parse(name).unwrap(),
        group: group.and_then(BoundedText::parse),
        ..sample::line(1_000_00)
    };
    let mut draft =
        SaleDraft { description: BoundedText::parse("Almuerzo"), display_mode: Some(mode), ..sample::draft() };
    draft.document.lines = vec![line("Mofongo", Some("Comida")), line("Sancocho", Some("Comida")), line("Jugo", None)];
    draft.amount.minor_units = 3_840_00;
    let (wish, limits) = (AccountSelector::default(), AmountLimits::default());
    draft.open(sample::sale_ids(1), &sample::sale_context(), &wish, &limits, sample::noon()).unwrap()
}

/// The rows of the summary, as label and amount.
async fn shown(mode: CheckoutMode) -> Vec<String> {
    let page = open(&sale(mode)).await;
    let table = page.html.split("<tbody>").nth(1).unwrap_or_default().split("</table>").next().unwrap_or_default();
    let rows = table.split("<th scope=\"row\">").skip(1);
    rows.map(|it| it.split("</td>").next().unwrap_or_default().replace("</th><td>", ": ")).collect()
}

#[actix_web::test]
async fn an_itemized_sale_shows_each_line() {
    let rows = shown(CheckoutMode::Itemized).await;

    let lines = ["Mofongo: RD$ 1,000.00", "Sancocho: RD$ 1,000.00", "Jugo: RD$ 1,000.00"];
    let sums = ["Subtotal: RD$ 3,000.00", "ITBIS 18 %: RD$ 540.00", "Propina legal (10 %): RD$ 300.00"];
    assert_eq!(rows, [&lines[..], &sums[..], &["Total a pagar: RD$ 3,840.00"]].concat());
}

#[actix_web::test]
async fn a_grouped_sale_shows_its_groups_and_what_is_in_none() {
    let rows = shown(CheckoutMode::Grouped).await;

    assert_eq!(rows[..2], ["Comida: RD$ 2,000.00", "Otros: RD$ 1,000.00"]);
    assert_eq!(rows.len(), 6);
}

#[actix_web::test]
async fn a_sale_may_show_its_amount_alone() {
    let page = open(&sale(CheckoutMode::AmountOnly)).await;

    assert!(shown(CheckoutMode::AmountOnly).await.is_empty());
    assert!(page.html.contains("RD$ 3,840.00") && page.html.contains("Almuerzo"));
    assert!(!page.html.contains("Mofongo") && !page.html.contains("ITBIS"), "{}", page.html);
}
