/// Generates a test for each fact of the [contract](crate::provider).
///
/// `$fresh` is an `async fn()` that returns a new [`ProviderHarness`](crate::provider::ProviderHarness).
#[macro_export]
macro_rules! provider_contract_tests {
    ($fresh:path) => {
        $crate::provider_contract_tests! { $fresh:
            charges:
                a_charge_moves_money_once, an_issuers_refusal_has_its_reason, a_request_that_makes_no_sense_is_refused,
                a_not_processed_charge_is_not_found, an_attempt_is_unknown_to_another_account;
            lost_responses:
                a_malformed_response_is_resolved_by_look_up, a_missing_response_is_resolved_by_look_up, a_delayed_effect_is_found_later,
                a_lost_answer_has_taken_effect, a_call_that_never_arrives_has_no_effect;
            holds:
                a_hold_is_taken_once_and_never_given_back, a_hold_is_given_back_and_never_taken, a_hold_lapses,
                an_issuer_may_decline_a_capture, a_hold_is_found_without_its_name,
                a_first_void_may_not_arrive, a_declined_hold_reserves_no_funds;
            stored_cards:
                a_stored_card_renews_a_hold,
                a_card_is_stored_only_on_request_with_an_approval,
                a_deleted_card_reserves_no_funds, a_card_may_be_stored_until_its_deletion_is_confirmed,
                a_card_is_stored_after_a_challenge;
            reversals:
                an_approval_is_reversed_once, an_approval_of_yesterday_is_returned_once,
                a_reversal_without_a_charge_is_refused;
            refunds:
                a_recent_charge_is_voided_once, a_charge_is_refunded_in_parts,
                a_charge_is_returned_without_its_reference, the_money_of_a_captured_hold_is_returned,
                a_late_void_is_refused_and_a_refund_follows, an_old_charge_is_not_refunded,
                a_refused_refund_has_its_reason, a_charge_may_take_one_refund,
                a_missing_response_to_a_refund_is_resolved_by_look_up,
                a_lost_refund_is_found_and_a_dropped_one_had_no_effect,
                a_return_at_the_portal_is_listed, a_list_has_the_returns_of_an_account_and_a_day;
            three_ds:
                money_moves_once_the_browser_was_looked_at, the_cardholder_decides, a_hold_may_take_both_steps,
                an_authentication_may_fail, without_a_browser_no_step_is_requested, a_step_is_taken_once,
                an_abandoned_authentication_is_declined, nonsense_is_no_answer, a_lost_step_is_found;
        }
    };
    ($fresh:path: $($topic:ident: $($fact:ident),+;)+) => { $(
        mod $topic {
            $(
                #[tokio::test]
                async fn $fact() {
                    $crate::provider::$topic::$fact(&$fresh().await).await;
                }
            )+
        }
    )+ };
}
