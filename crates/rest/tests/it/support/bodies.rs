//! Bodies of requests.

/// Body that creates a payment of 1,180.00.
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

/// Card that the issuer approves.
pub(crate) const APPROVED_CARD: &str = "4222220000000008";
/// Card that the issuer declines for insufficient funds.
pub(crate) const DECLINED_CARD: &str = "4222220000000511";
/// Card that the issuer approves with a lost response.
pub(crate) const LOST_CARD: &str = "4222220005000003";

/// Card with an approved reservation and a refused capture.
pub(crate) const UNCAPTURABLE_CARD: &str = "4222220011000518";
/// Card with a lost response to the first release.
pub(crate) const DEAF_CARD: &str = "4222220012000004";
/// Card that the issuer declines for suspected fraud.
pub(crate) const SUSPICIOUS_CARD: &str = "4222220000000594";

/// Card for which the acquirer refuses the request.
pub(crate) const REFUSED_CARD: &str = "4222220014000994";

/// Body that submits a card.
pub(crate) fn card(number: &str) -> String {
    format!(
        r#"{{"card":{{"number":"{number}","expirationMonth":12,"expirationYear":2030,"securityCode":"737","holderName":"ROSA PRUEBA"}}}}"#
    )
}

/// Body that creates a checkout token.
pub(crate) fn token_request(reference: &str, purpose: &str) -> String {
    format!(r#"{{"checkoutReference":"{reference}","purpose":"{purpose}"}}"#)
}
