/// Makes a test of each fact of the [contract](crate::provider).
///
/// `$fresh` names an `async fn()` that gives a [`ProviderHarness`](crate::provider::ProviderHarness) at which nothing
/// has happened.
#[macro_export]
macro_rules! provider_contract_tests {
    ($fresh:path) => {
        $crate::provider_contract_tests! { $fresh:
            charges:
                a_charge_moves_money_once, an_issuers_refusal_has_its_reason, a_request_that_makes_no_sense_is_refused,
                what_was_not_processed_is_not_there, another_account_knows_nothing;
            lost_responses:
                what_was_answered_badly_is_found, what_was_not_answered_is_found, what_is_slow_to_show_is_found_later,
                a_lost_answer_has_taken_effect, what_never_arrives_changes_nothing;
            holds:
                a_hold_is_taken_once_and_never_given_back, a_hold_is_given_back_and_never_taken, a_hold_lapses,
                an_issuer_may_refuse_to_give_what_it_holds, a_hold_is_found_without_its_name,
                a_first_void_may_not_be_heard, what_was_declined_holds_nothing;
            stored_cards:
                what_is_held_is_held_anew_by_the_card_that_is_kept,
                a_card_is_kept_only_where_that_is_asked_and_it_was_approved,
                a_card_that_is_kept_no_more_reserves_nothing, a_card_is_kept_until_it_is_said_that_it_is_not,
                a_card_whose_holder_was_asked_is_kept_as_well;
            reversals:
                an_approval_is_reversed_once, an_approval_of_yesterday_is_returned_once,
                there_is_nothing_to_reverse_where_no_money_moved;
            three_ds:
                money_moves_once_the_browser_was_looked_at, the_cardholder_decides, a_hold_may_take_both_steps,
                an_authentication_may_fail, who_is_not_there_is_not_asked, a_step_is_taken_once,
                what_nobody_finishes_is_declined, nonsense_is_no_answer, a_lost_step_is_found;
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
