//! `POST` and `PUT /payments/{paymentId}/split`.

use domain::{Refusal, sale::AmountDraft, split::SplitDraft};

use super::money;
use crate::{
    json::Json,
    read::{self, Object, Value},
};

/// How the shares come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named by the contract")]
pub enum SplitStrategy {
    Equal,
    Amounts,
}

impl SplitStrategy {
    /// Every strategy, in published order.
    pub const ALL: [Self; 2] = [Self::Equal, Self::Amounts];

    /// The published spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Amounts => "amounts",
        }
    }

    /// The strategy published as `text`.
    pub fn from_code(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

/// The shares that are wished for in `body`. Whether they are 2 to 10 and come to the total is for the payment to say.
///
/// # Errors
///
/// `parameter_missing` or `parameter_invalid`, with the field. What belongs to the other strategy is a field that does
/// not exist.
pub fn parse(body: &Json) -> Result<SplitDraft, Refusal> {
    read::request(body, |it| match it.required("strategy", |value| value.one_of(SplitStrategy::from_code))? {
        SplitStrategy::Equal => {
            it.required("partCount", read::integer).map(|part_count| SplitDraft::Equal { part_count })
        }
        SplitStrategy::Amounts => amounts(it).map(SplitDraft::Amounts),
    })
}

fn amounts(object: &mut Object<'_>) -> Option<Vec<AmountDraft>> {
    // Too many are no fault of syntax: that has a code of its own. A body can only hold so many values.
    object.required("parts", |value| value.list(Json::MAX_NODES, part))
}

fn part(value: Value<'_>) -> Option<AmountDraft> {
    value.object(|it| it.required("amount", |value| money::amount(value, i64::MIN..=i64::MAX)))
}
