//! Bodies of requests.

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

/// The issuer approves it for a hold, and refuses the capture.
pub(crate) const UNCAPTURABLE_CARD: &str = "4222220011000518";
/// The first wish to give its funds back is not heard.
pub(crate) const DEAF_CARD: &str = "4222220012000004";
/// The issuer suspects fraud.
pub(crate) const SUSPICIOUS_CARD: &str = "4222220000000594";

/// The acquirer refuses the request itself.
pub(crate) const REFUSED_CARD: &str = "4222220014000994";

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
