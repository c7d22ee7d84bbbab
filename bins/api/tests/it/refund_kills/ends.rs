use serde_json::Value;

use super::{
    merchant::{self, Returned},
    scenario::Scenario,
};
use crate::support::{Client, Created};

/// Amount of each sale.
const TOTAL: i64 = 1_280_00;

/// Records outside, after the refund of a sale.
pub(super) struct Records {
    /// Attempts of the charges of the sale, by part.
    pub(super) charges: Vec<String>,
    /// Transactions of all sales at the acquirer.
    pub(super) transactions: Vec<Value>,
    /// Documents of all sales at the authority.
    pub(super) documents: Vec<Value>,
}

impl Records {
    /// Returns the returned amounts of each charge: of its void and its refunds.
    fn returns(&self) -> Vec<Vec<i64>> {
        self.charges.iter().map(|charge| self.returns_of(charge)).collect()
    }

    fn returns_of(&self, charge: &str) -> Vec<i64> {
        let amount = |it: &Value| it["amountMinorUnits"].as_i64().unwrap();
        let own = self.transactions.iter().find(|it| it["attemptId"] == charge).expect("the acquirer has the charge");
        let refunds = self.transactions.iter().filter(|it| it["refundedReference"] == own["reference"]);
        let refunds = refunds.filter(|it| it["status"] == "approved").map(amount);
        let void = (own["status"] == "reversed").then(|| amount(own));
        void.into_iter().chain(refunds).collect()
    }

    /// Returns the totals of the accepted documents with this number.
    fn accepted(&self, number: &Value) -> Vec<i64> {
        let accepted = self.documents.iter().filter(|it| it["number"] == *number && it["status"] == "accepted");
        accepted.map(|it| it["totalMinorUnits"].as_i64().unwrap()).collect()
    }

    /// Checks that the authority has accepted one credit note for each refund, and that no number is missing.
    pub(super) fn check_notes(&self, refunds: usize) {
        let accepted = self.documents.iter().filter(|it| it["status"] == "accepted");
        let numbers = accepted.map(|it| it["number"].as_str().unwrap());
        let mut numbers: Vec<&str> = numbers.filter(|number| number.starts_with("E34")).collect();
        numbers.sort_unstable();
        let expected: Vec<String> = (1..=refunds).map(|n| format!("E34{n:010}")).collect();
        assert_eq!(numbers, expected);
    }
}

/// Checks a refund at its end: the money at the acquirer, the balance, the credit note, the events and the
/// replays.
pub(super) async fn check(
    client: &Client,
    records: &Records,
    (scenario, sale): (&Scenario, &Created),
    Returned { requests, refund }: &Returned,
) {
    let at = format!("{} of {}: {refund}", scenario.name, sale.payment);
    let movements = |amount: &i64| if *amount == 0 { Vec::new() } else { vec![*amount] };
    let returns: Vec<Vec<i64>> = scenario.returns.iter().map(movements).collect();
    let returned: i64 = scenario.returns.iter().sum();

    assert_eq!(refund["status"], scenario.status, "{at}");
    assert_eq!(records.returns(), returns, "{at}");
    assert_eq!(records.accepted(&refund["creditNote"]["fiscalNumber"]), [returned], "{at}");
    let summary = &client.get(&format!("/v1/payments/{}", sale.payment)).await.body["refundSummary"];
    let minor_units = |name: &str| summary[name]["minorUnits"].as_i64().unwrap();
    assert_eq!(["refundedAmount", "pendingAmount"].map(minor_units), [returned, 0], "{at}");
    assert_eq!(minor_units("refundableAmount"), TOTAL - returned, "{at}");
    assert_eq!(summary["refundCount"], requests.len(), "{at}");
    let original = client.get(&format!("/v1/fiscal_documents/{}", sale.document)).await.body;
    assert_eq!(original["creditedMinorUnits"], returned, "{at}");

    for (name, expected) in [("created", requests.len()), ("failed", requests.len() - 1), (scenario.status, 1)] {
        let path = format!("/v1/events?paymentId={}&type=refund.{name}", sale.payment);
        assert_eq!(client.records(&path).await.len(), expected, "refund.{name}: {at}");
    }
    for (key, response) in requests {
        let again = merchant::request(client, (scenario, sale), key).await;
        assert_eq!(again.body, response.body, "{at}");
    }
}
