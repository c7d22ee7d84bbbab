//! Bodies of requests.

use serde_json::Value;

/// A body that creates a payment of 1,180.00.
pub(crate) const SALE: &str = r#"{
    "saleReference": "s-1",
    "amount": {"currency": "DOP", "minorUnits": 118000},
    "fiscalDocument": {
        "issuanceMode": "deferred",
        "kind": "consumer",
        "merchantInvoiceNumber": "INV-1",
        "merchantOrderNumber": "1",
        "lines": [{
            "sourceLineId": "l1",
            "description": "Cena",
            "quantity": "1",
            "unitPriceMinorUnits": 100000,
            "measurementUnit": "unit",
            "itemKind": "service",
            "taxTreatment": "itbis_18",
            "isLegalTipApplicable": false
        }]
    }
}"#;

/// The issuer approves it.
pub(crate) const APPROVED_CARD: &str = "4222220000000008";
/// The issuer declines it for want of funds.
pub(crate) const DECLINED_CARD: &str = "4222220000000511";
/// The issuer approves it, and the answer is lost.
pub(crate) const LOST_CARD: &str = "4222220005000003";

/// A body that submits the card of that number.
pub(crate) fn card(number: &str) -> String {
    format!(
        r#"{{"card":{{"number":"{number}","expirationMonth":12,"expirationYear":2030,"securityCode":"737","holderName":"ROSA PRUEBA"}}}}"#
    )
}

/// A body that asks for a token.
pub(crate) fn token_request(reference: &str, purpose: &str) -> String {
    format!(r#"{{"checkoutReference":"{reference}","purpose":"{purpose}"}}"#)
}

/// What stands for a value that a tree cannot hold.
const PLACEHOLDER: &str = "<the value>";

/// `body` with the raw JSON `value` at the dotted `path`, added or replaced.
pub(crate) fn with(body: &str, path: &str, value: &str) -> String {
    let mut tree: Value = serde_json::from_str(body).unwrap();
    let mut place = &mut tree;
    for segment in path.split('.') {
        place = match segment.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[segment],
        };
    }
    *place = PLACEHOLDER.into();
    tree.to_string().replace(&format!("\"{PLACEHOLDER}\""), value)
}

/// `body` without the field at the dotted `path`.
pub(crate) fn without(body: &str, path: &str) -> String {
    let mut tree: Value = serde_json::from_str(body).unwrap();
    let pointer = format!("/{}", path.replace('.', "/"));
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    tree.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field).unwrap();
    tree.to_string()
}
