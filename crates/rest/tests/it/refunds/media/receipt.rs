//! The receipt of a payer: the page, and the payment in the view of a receipt token.

use serde_json::Value;

use super::{
    figures::{priced, units},
    shop::{Shop, Sold},
};
use crate::support::Request;

/// A refund in the block "Devoluciones".
#[derive(Clone)]
pub(super) struct Entry {
    /// Day of the refund, such as `01/03/2026`.
    pub(super) day: String,
    pub(super) status: &'static str,
    pub(super) shares: Vec<Share>,
    pub(super) note: Note,
}

/// Ordinal of a part, amount of the leg, and whether the amount was returned.
type Share = (Option<u64>, i64, bool);

/// Credit note of a refund on the page.
#[derive(Clone)]
pub(super) enum Note {
    None,
    /// Not yet accepted.
    Pending,
    /// Number of the accepted note.
    Issued(String),
}

impl Entry {
    fn text(&self, is_in_pesos: bool) -> String {
        let has_both = self.shares.windows(2).any(|pair| pair[0].2 != pair[1].2);
        let mut words = vec![format!("{}: {}", self.day, self.status)];
        for (ordinal, amount, is_returned) in &self.shares {
            words.push(ordinal.map_or("Monto".to_owned(), |ordinal| format!("Parte {ordinal}")));
            words.push(priced(is_in_pesos, *amount));
            let status = if *is_returned { "Devuelto" } else { "No se pudo devolver: consulte al comercio" };
            words.extend(has_both.then(|| format!("· {status}")));
        }
        match &self.note {
            Note::None => {}
            Note::Pending => words.push("Nota de crédito en camino".to_owned()),
            Note::Issued(number) => {
                words.push(format!("Nota de crédito {number} Descargar PDF {number} Descargar XML {number}"));
            }
        }
        words.join(" ")
    }
}

/// Asserts all refunds of a sale on its receipt, newest first.
pub(super) async fn check_receipt(shop: &Shop, sold: &Sold, is_in_pesos: bool, entries: &[Entry]) {
    check_page(shop, sold, is_in_pesos, entries).await;
    let token = shop.world.token(&sold.created, "receipt").await;
    let payment = Request::get(format!("/v1/payments/{}", sold.payment()), &token);
    let payment = shop.world.done(&payment).await.json();
    let refunds = payment["refunds"].as_array().unwrap();
    let shown = refunds.iter().map(|refund| (units(&refund["totalAmount"]["minorUnits"]), shares(refund)));
    let expected = entries.iter().rev().map(|entry| {
        let total: i64 = entry.shares.iter().map(|(_, amount, _)| amount).sum();
        (total, entry.shares.clone())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

/// Returns the legs of a refund in the view of a receipt token.
fn shares(refund: &Value) -> Vec<Share> {
    let amount = |leg: &Value| units(&leg["amount"]["minorUnits"]);
    let share = |leg: &Value| (leg["ordinal"].as_u64(), amount(leg), leg["status"] == "succeeded");
    refund["legs"].as_array().unwrap().iter().map(share).collect()
}

/// Asserts the whole block of refunds, and the sum of the returned money.
async fn check_page(shop: &Shop, sold: &Sold, is_in_pesos: bool, entries: &[Entry]) {
    let url = sold.created.field("/nextAction/url");
    let path = &url[url.find("/p/").expect("a checkout link")..];
    let page = shop.world.page(path).await;
    assert_eq!(page.status, 200, "{}", page.text());
    let block = page.text().split_once(r#"<section class="card refunds""#).map(|(_, block)| {
        let (block, _) = block.split_once("</section>").unwrap();
        words(block.split_once('>').unwrap().1)
    });
    let shown: Vec<_> = entries.iter().rev().map(|entry| entry.text(is_in_pesos)).collect();
    assert_eq!(block, (!shown.is_empty()).then(|| format!("Devoluciones {}", shown.join(" "))));
    let shares = entries.iter().flat_map(|entry| &entry.shares);
    let returned: i64 = shares.filter(|(_, _, is_returned)| *is_returned).map(|(_, amount, _)| amount).sum();
    let whole = words(page.text());
    let total = format!("Total devuelto {} ", priced(is_in_pesos, returned));
    assert_eq!(whole.contains(&total), returned > 0, "{total} in {whole}");
    assert_eq!(whole.matches("Total devuelto").count(), usize::from(returned > 0), "{whole}");
}

/// Returns the words of HTML without tags.
fn words(html: &str) -> String {
    let html = html.replace("<bdi translate=\"no\">", "").replace("</bdi>", "");
    let texts = html.split('<').map(|it| it.split_once('>').map_or(it, |(_, text)| text));
    texts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
