//! The lifecycle of a leg, cell by cell, and the status of a refund.

use std::fmt::Write;

use cobro_domain::refund::{
    ImpossibleTrigger, LegChange, LegStatus, LegTrigger, RefundOrigin, RefundScope, RefundStatus, next, refund_status,
};
use proptest::prelude::*;

use crate::pages::check_page;

const STATUSES: [Option<LegStatus>; 5] = [
    None,
    Some(LegStatus::Processing),
    Some(LegStatus::Verifying),
    Some(LegStatus::Succeeded),
    Some(LegStatus::Failed),
];

/// Each trigger with its change of a leg that is new, processing, verifying, succeeded and failed. `=` is no change, `!`
/// cannot occur.
const TABLE: [(LegTrigger, [&str; 5]); 16] = [
    (LegTrigger::Requested, ["processing", "!", "!", "!", "!"]),
    (LegTrigger::Recorded, ["succeeded", "!", "!", "!", "!"]),
    (LegTrigger::Approved, ["!", "succeeded", "succeeded", "=", "new refund"]),
    (LegTrigger::VoidRefused, ["!", "to refund", "to refund", "=", "="]),
    (LegTrigger::RefundRefused, ["!", "failed", "failed", "=", "="]),
    (LegTrigger::NotSubmitted, ["!", "failed", "=", "=", "="]),
    (LegTrigger::Ambiguous, ["!", "verifying", "verifying", "=", "="]),
    (LegTrigger::FoundDone, ["!", "succeeded", "succeeded", "=", "new refund"]),
    (LegTrigger::FoundOtherAmount, ["!", "escalated", "escalated", "=", "new refund"]),
    (LegTrigger::FoundVoidRefused, ["!", "to refund", "to refund", "=", "="]),
    (LegTrigger::FoundRefundRefused, ["!", "failed", "failed", "=", "="]),
    (LegTrigger::VoidNotDone, ["!", "=", "to refund", "=", "="]),
    (LegTrigger::RefundNotFound, ["!", "=", "failed", "=", "="]),
    (LegTrigger::Inconclusive, ["!", "=", "verifying", "=", "="]),
    (LegTrigger::SettledAsReturned, ["!", "!", "succeeded", "!", "!"]),
    (LegTrigger::SettledAsFailed, ["!", "!", "failed", "!", "!"]),
];

fn name(change: Result<LegChange, ImpossibleTrigger>) -> &'static str {
    match change {
        Ok(LegChange::To(status)) => status.as_str(),
        Ok(LegChange::ToRefund) => "to refund",
        Ok(LegChange::Escalated) => "escalated",
        Ok(LegChange::Unchanged) => "=",
        Ok(LegChange::NewRefund) => "new refund",
        Err(_) => "!",
    }
}

#[test]
fn every_cell_of_the_leg_lifecycle_is_as_published() {
    for (on, cells) in TABLE {
        for (from, cell) in STATUSES.into_iter().zip(cells) {
            assert_eq!(name(next(from, on)), cell, "{from:?} on {on:?}");
        }
    }
    assert_eq!(TABLE.map(|(on, _)| on).as_slice(), LegTrigger::ALL);
}

#[test]
fn the_refund_lifecycle_page_is_current() {
    let mut page = String::from(
        "# Refund lifecycle\n\nWhere each trigger takes one leg of a refund: bold is the next status, `=` is no change and \
         no event, `!` cannot occur and alerts an operator.\n\n\
         | trigger | (new) | processing | verifying | succeeded | failed |\n|---|---|---|---|---|---|\n",
    );
    for on in LegTrigger::ALL {
        let cells = STATUSES.map(|from| match next(from, *on) {
            Ok(LegChange::To(status)) => format!("**{}**", status.as_str()),
            Ok(LegChange::ToRefund) => "**processing**, next attempt is a refund".to_owned(),
            Ok(LegChange::Escalated) => "**verifying**, escalated".to_owned(),
            Ok(LegChange::NewRefund) => "a new refund records the money".to_owned(),
            Ok(LegChange::Unchanged) => "`=`".to_owned(),
            Err(_) => "`!`".to_owned(),
        });
        writeln!(page, "| `{on:?}`: {} | {} |", on.meaning(), cells.join(" | ")).unwrap();
    }
    page.push_str(
        "\n## The refund\n\nThe status of a refund with two legs. An unattributed refund has one leg, which succeeded.\n\n\
         | first leg | processing | verifying | succeeded | failed |\n|---|---|---|---|---|\n",
    );
    for first in LegStatus::ALL {
        let scope = Some(RefundScope::All);
        let status = |second: &LegStatus| refund_status(RefundOrigin::Merchant, scope, &[first, *second]).as_str();
        let cells: Vec<&str> = LegStatus::ALL.iter().map(status).collect();
        writeln!(page, "| {} | {} |", first.as_str(), cells.join(" | ")).unwrap();
    }
    check_page("refund-lifecycle.md", &page);
}

#[test]
fn found_money_without_a_scope_is_unattributed() {
    let status = |origin, scope, leg| refund_status(origin, scope, &[leg]);
    let (merchant, provider) = (RefundOrigin::Merchant, RefundOrigin::Provider);

    assert_eq!(status(provider, None, LegStatus::Succeeded), RefundStatus::Unattributed);
    assert_eq!(status(provider, None, LegStatus::Verifying), RefundStatus::Verifying);
    assert_eq!(status(provider, Some(RefundScope::Amount), LegStatus::Succeeded), RefundStatus::Succeeded);
    assert_eq!(status(merchant, Some(RefundScope::Amount), LegStatus::Failed), RefundStatus::Failed);
}

proptest! {
    #[test]
    fn the_status_is_that_of_the_first_rule_that_matches(
        legs in prop::collection::vec(prop::sample::select(&LegStatus::ALL), 1..=10),
    ) {
        let has = |status| legs.contains(&status);
        let expected = match () {
            () if has(LegStatus::Verifying) => RefundStatus::Verifying,
            () if has(LegStatus::Processing) => RefundStatus::Processing,
            () if !has(LegStatus::Failed) => RefundStatus::Succeeded,
            () if !has(LegStatus::Succeeded) => RefundStatus::Failed,
            () => RefundStatus::PartiallySucceeded,
        };

        prop_assert_eq!(refund_status(RefundOrigin::Merchant, Some(RefundScope::All), &legs), expected);
    }
}
