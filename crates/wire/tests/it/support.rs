//! Bodies of requests and assertions about their parsers.

use domain::Refusal;
use serde_json::Value;
use wire::Json;

/// Body of `POST /payments`.
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

/// Placeholder of a raw value that `serde_json` cannot represent.
const PLACEHOLDER: &str = "<the value>";

/// Returns `body` with the raw JSON `value` at the dotted `path`, added or replaced.
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

/// Returns `body` without the field at the dotted `path`.
pub(crate) fn without(body: &str, path: &str) -> String {
    let mut tree: Value = serde_json::from_str(body).unwrap();
    let pointer = format!("/{}", path.replace('.', "/"));
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    tree.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field).unwrap();
    tree.to_string()
}

/// Parses a well-formed body.
pub(crate) fn tree(body: &str) -> Json {
    wire::json::read(body.as_bytes()).unwrap_or_else(|refusal| panic!("{body} is not a tree: {refusal:?}"))
}

/// Returns the published code and field of the refusal of `body`.
#[track_caller]
pub(crate) fn refusal<T>(
    body: &str,
    parse: impl FnOnce(&Json) -> Result<T, Refusal>,
) -> (&'static str, Option<String>) {
    match wire::json::read(body.as_bytes()).and_then(|tree| parse(&tree)) {
        Ok(_) => panic!("{body} was accepted"),
        Err(refusal) => (refusal.code.as_str(), refusal.param),
    }
}

#[track_caller]
pub(crate) fn assert_refused<T>(
    body: &str,
    parse: impl FnOnce(&Json) -> Result<T, Refusal>,
    (code, param): (&str, &str),
) {
    let (refused_code, refused_param) = refusal(body, parse);

    assert_eq!((refused_code, refused_param.as_deref().unwrap_or("-")), (code, param), "{body}");
}

#[track_caller]
pub(crate) fn assert_accepted<T>(body: &str, parse: impl FnOnce(&Json) -> Result<T, Refusal>) -> T {
    parse(&tree(body)).unwrap_or_else(|refusal| panic!("{body} was refused: {refusal:?}"))
}
