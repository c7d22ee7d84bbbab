//! What is sent about a split.

use serde_json::Value;

use super::{
    super::schema::{choice, closed, integer, list, only, required, saying, tagged},
    Named,
    payment_request::money,
};
use crate::{open_split::SplitStrategy, release_split::ReleaseReason};

pub(super) fn schemas() -> Vec<Named> {
    let strategies =
        [(SplitStrategy::Equal.as_str(), "SplitEqually"), (SplitStrategy::Amounts.as_str(), "SplitByAmounts")];
    let reason = choice(ReleaseReason::ALL.iter().map(|it| it.as_str()));
    vec![
        ("OpenSplit", tagged("strategy", &strategies)),
        ("SplitEqually", equally()),
        ("SplitByAmounts", by_amounts()),
        ("CaptureSplit", saying(closed([]), "Everything that is reserved is charged.")),
        ("ReleaseSplit", closed([required("reason", reason)])),
        ("RenewSplit", saying(closed([]), "Every part is wanted again.")),
    ]
}

fn equally() -> Value {
    let count = "From 2 to 10. The first parts hold the minor units left over.";
    closed([
        required("strategy", only(SplitStrategy::Equal.as_str())),
        required("partCount", saying(integer(i64::MIN..=i64::MAX), count)),
    ])
}

fn by_amounts() -> Value {
    let part = closed([required("amount", money(i64::MIN..=i64::MAX))]);
    closed([
        required("strategy", only(SplitStrategy::Amounts.as_str())),
        required("parts", saying(list(part), "From 2 to 10, which come to the payment's totalAmount.")),
    ])
}
