/// Makes a test of each fact of the [contract](crate::contract).
///
/// `$fresh` names an `async fn()` that gives [`Stores`](crate::contract::Stores) without content,
/// and what must live as long as they.
#[macro_export]
macro_rules! contract_tests {
    ($fresh:path) => {
        $crate::contract_tests! { $fresh:
            artifacts: signed_bytes_come_back, signed_bytes_never_change;
            backlog:
                nothing_waits_where_all_is_done, doubt_begins_with_the_card,
                a_document_is_owed_since_its_payment_succeeded, a_payment_left_in_part_waits_for_a_person,
                what_is_due_waits_until_somebody_is_at_it;
            atomicity: a_commit_that_fails_at_its_end_leaves_nothing, a_caller_who_goes_away_leaves_no_half;
            credentials:
                a_merchant_key_is_found_by_its_digest, a_key_ends_as_another_takes_its_place, the_last_use_of_a_key_is_remembered,
                a_token_is_found_by_its_digest, a_token_is_raised_and_never_turned, old_tokens_are_swept,
                idle_sessions_give_way;
            document_emails:
                the_newest_deliveries_come_first, of_fifty_deliveries_at_once_each_number_is_given_once,
                a_delivery_is_shown_and_ends_no_lease, a_delivery_of_what_has_moved_is_stale,
                what_waits_follows_its_document, a_delivery_is_handed_to_one_sender,
                what_came_of_a_delivery_comes_back;
            webhook_endpoints:
                an_endpoint_changes_in_its_turn, a_secret_is_replaced_with_or_without_an_overlap,
                a_removed_endpoint_gets_nothing_and_leaves_its_place, a_test_goes_to_one_endpoint,
                a_secret_is_kept_as_long_as_it_signs, what_is_replayed_begins_anew, a_replay_of_a_period_has_what_is_about_no_payment, deliveries_are_listed_with_their_last_attempt;
            events:
                what_is_old_is_forgotten_part_by_part, events_come_part_by_part, a_list_of_events_has_a_beginning_and_an_end, every_filter_finds_its_events,
                an_event_is_found_by_its_name, an_event_shows_the_sale_as_it_stood, every_stage_is_shown,
                another_tenant_hears_nothing;
            interchange:
                recipients_are_found_by_their_number, what_came_is_kept_once, what_came_lately_is_counted,
                what_a_buyer_says_is_kept_with_the_document;
            idempotency:
                every_state_of_a_key_comes_back, of_fifty_first_uses_one_has_an_effect,
                who_was_overtaken_writes_nothing, a_key_is_unique_in_its_scope,
                only_who_holds_a_key_renews_it, what_is_old_is_swept;
            stored_cards: a_card_is_kept_until_it_is_forgotten, a_card_is_looked_at_by_one,
                a_card_that_is_put_off_comes_back_at_its_time;
            number_ledger:
                what_became_of_each_number_is_told, a_number_that_is_signed_anew_stays_its_documents, given_numbers_come_part_by_part,
                ranges_of_every_environment_are_told, another_tenant_accounts_for_nothing,
                what_is_cut_off_is_never_given, what_is_cut_out_is_stepped_over,
                cutting_out_and_giving_at_once_share_no_number, a_range_that_moved_is_not_cut,
                a_range_steps_over_numbers_once, contested_numbers_are_listed, what_the_authority_said_is_kept;
            merchants:
                the_setup_comes_back, a_blank_profile_comes_back, accounts_come_oldest_first,
                an_account_knows_whether_its_merchant_may_trade,
                the_newest_certificate_counts, a_certificate_takes_over_on_its_first_day, what_waits_for_a_set_up_is_due_once_that_changes, certificates_are_listed_newest_first, a_tenant_that_has_anything_is_counted, the_newest_rate_that_has_come_answers,
                the_setup_has_the_ranges_of_its_environment, a_name_is_taken_once,
                an_unknown_merchant_registers_nothing, a_merchant_is_made_whole_or_not_at_all;
            numbers:
                numbers_given_at_once_leave_no_gap, a_revision_keeps_its_number,
                only_kinds_that_print_it_carry_the_last_day, ranges_are_used_up_one_after_the_other,
                an_expired_range_gives_nothing, a_number_comes_from_a_range_of_its_own, ranges_do_not_overlap,
                what_is_left_is_shared_by_those_who_ask_at_once, those_who_ask_at_once_are_judged_each_for_itself,
                who_goes_away_finds_its_number_again,
                of_overlapping_ranges_at_once_one_is_taken;
            readiness:
                a_change_of_readiness_is_told_once, readiness_is_told_in_the_commit_that_changes_it,
                what_a_provider_says_is_kept_with_what_is_told_of_it, an_account_is_looked_at_by_one,
                what_is_told_of_an_account_is_listed_by_it;
            sales:
                every_stage_of_a_payment_comes_back, every_stage_of_a_document_comes_back,
                odd_texts_come_back_verbatim, the_largest_amounts_come_back, a_sale_in_dollars_comes_back,
                a_sale_is_found_by_each_of_its_names,
                a_second_decision_on_one_version_is_stale, a_known_payment_is_not_made_again,
                a_stale_document_undoes_the_whole_decision, an_attempt_comes_back_resolved,
                a_payment_has_one_attempt_at_a_time, a_transaction_approves_one_attempt, an_attempt_is_found_by_the_secret_of_its_challenge;
            search:
                what_was_corrected_is_kept_as_it_was, every_attempt_of_a_payment_is_there_in_order, clues_lead_to_payments, sales_come_part_by_part, a_list_in_parts_is_the_whole_list,
                a_list_has_a_beginning_and_an_end, every_filter_finds_its_sales,
                another_tenant_lists_no_sales;
            secrets:
                the_newest_credentials_count, an_operator_counts_credentials_on, every_secret_is_met_once,
                a_secret_is_replaced_as_it_was_read, what_tells_the_key_is_kept_once;
            setup:
                a_profile_is_replaced_in_its_turn, an_account_is_made_once, credentials_count_on, endpoints_come_back,
                of_fifty_endpoints_at_once_there_is_room_for_some, a_setup_and_its_key_go_together,
                credentials_are_tried_by_one, what_was_found_of_old_credentials_is_not_kept;
            splits:
                every_stage_of_a_part_comes_back, every_stage_of_a_part_is_shown, attempts_of_parts_come_back,
                a_part_has_one_attempt_at_a_time, a_part_is_captured_once, attempts_begin_together_or_not_at_all,
                a_split_is_due_with_its_first_part;
            endpoint_disabled_emails:
                a_mail_is_kept_with_the_switch_off_that_it_tells, a_mail_about_a_switch_off_is_handed_to_one_sender,
                how_far_a_mail_about_a_switch_off_has_come_comes_back, whom_no_mail_could_tell_is_counted_for_a_while;
            isolation: another_tenant_finds_nothing, another_tenant_has_another_setup;
            webhook_queue:
                an_event_sets_out_for_whoever_wants_it, what_is_refused_sets_out_nowhere, a_delivery_is_claimed_once,
                no_endpoint_has_more_in_flight_than_it_may, endpoints_that_fail_have_room_of_their_own,
                an_attempt_says_when_the_next_is_due, who_was_overtaken_finishes_nothing,
                what_is_switched_off_gets_nothing, health_is_noted_as_it_changes,
                undelivered_events_are_counted_since_they_were_told, leases_of_dead_dispatchers_end,
                another_tenant_sends_nothing;
            work_queue:
                due_work_is_claimed_oldest_first, a_claim_is_limited, work_is_handed_to_one_worker,
                a_decision_says_how_long_it_holds_on, finished_work_is_not_due,
                postponed_work_comes_back_at_its_time, what_is_postponed_is_due_no_sooner, the_next_thing_falls_due, leases_of_the_dead_end_at_once,
                what_is_kept_is_found_by_age, what_is_to_be_drawn_is_found_at_its_time;
        }
    };
    ($fresh:path: $($topic:ident: $($fact:ident),+;)+) => { $(
        mod $topic {
            $(
                #[tokio::test]
                async fn $fact() {
                    let (stores, _kept) = $fresh().await;
                    $crate::contract::$topic::$fact(&stores).await;
                }
            )+
        }
    )+ };
}
