use chrono::NaiveDate;
use domain::{
    attempt::CardSummary,
    refund::{
        AcquirerReference, CreditNote, Leg, LegMethod, LegStage, LegState, LineCredit, OperatorFinding, RefundFacts,
    },
    text::{BoundedText, Prose},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::{
    json::{Json, Own, Ref, record, tagged, via},
    parts,
};

parts! {
    /// Facts of a refund that no query needs.
    RefundDetails of RefundFacts {
        settlement_reference: Option<BoundedText<1, 64>>,
        // Pairs, because their order counts.
        metadata: Option<Vec<(String, Prose)>>,
        original_issued_on: Option<NaiveDate>,
    }
}

/// Legs of a refund, by ordinal.
pub(crate) type LegsRecord = Vec<Leg>;

struct LegRecord {
    ordinal: Option<u8>,
    amount: i64,
    itbis: i64,
    card: Option<CardSummary>,
    method: LegMethod,
    must_refund: bool,
    reference: Option<AcquirerReference>,
    settled_by: Option<OperatorFinding>,
    stage: LegStage,
}

record!(strict LegRecord { ordinal, amount, itbis, card, method, must_refund as "is_void_over", reference, settled_by, stage });
via!(Leg as LegRecord:
    |leg| {
        let LegState { itbis, method, must_refund, reference, settled_by, stage } = leg.state().clone();
        let (ordinal, amount, card) = (leg.ordinal, leg.amount, leg.card.clone());
        LegRecord { ordinal, amount, itbis, card, method, must_refund, reference, settled_by, stage }
    },
    |LegRecord { ordinal, amount, itbis, card, method, must_refund, reference, settled_by, stage }| {
        Some(Self::restore(ordinal, amount, card, LegState { itbis, method, must_refund, reference, settled_by, stage }))
    }
);
record!(strict OperatorFinding { user, reference });
tagged!(LegStage by "status" {
    "processing" { call } => [Self::Processing(call)],
    "verifying" { doubt } => [Self::Verifying(doubt)],
    "succeeded" { at } => [Self::Succeeded { at }],
    "failed" { at, code } => [Self::Failed { at, code }],
});

record!(strict LineCredit { line_number as "line", hundredths, net_minor_units as "net" });
record!(strict CreditNote { lines, sources, breakdown, pesos });
