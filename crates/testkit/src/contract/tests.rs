/// Generates a test for each fact of the [contract](crate::contract).
///
/// `$fresh` is an `async fn()` that returns empty [`Stores`](crate::contract::Stores), and a guard that must outlive
/// them. A fact begins with the merchant of the [samples](crate::sample), unless listed under `on_empty_stores`.
#[macro_export]
macro_rules! contract_tests {
    ($fresh:path) => {
        $crate::contract_tests! { $fresh:
            artifacts: signed_bytes_come_back, signed_bytes_never_change;
            backlog:
                doubt_begins_with_the_card, a_document_is_owed_since_its_payment_succeeded,
                a_payment_left_in_part_waits_for_a_person, due_work_waits_until_claimed
                on_empty_stores [
                    finished_work_does_not_wait
                ];
            atomicity: a_failed_commit_stores_no_rows, a_canceled_caller_leaves_no_partial_commit;
            credentials:
                a_merchant_key_is_found_by_its_digest, a_key_ends_as_another_takes_its_place, the_last_use_of_a_key_is_remembered,
                a_token_is_found_by_its_digest, a_token_is_raised_and_never_turned, old_tokens_are_swept,
                idle_sessions_give_way;
            document_emails:
                the_newest_deliveries_come_first, of_fifty_deliveries_at_once_each_number_is_given_once,
                a_delivery_is_shown_and_ends_no_lease, a_delivery_of_a_changed_document_is_stale,
                waiting_deliveries_follow_their_document, the_deliveries_of_each_document_follow_it, a_delivery_is_handed_to_one_sender,
                every_stage_of_a_delivery_comes_back;
            webhook_endpoints:
                an_endpoint_changes_in_its_turn, a_secret_is_replaced_with_or_without_an_overlap,
                a_removed_endpoint_receives_no_events_and_frees_its_place, a_test_goes_to_one_endpoint,
                a_secret_is_stored_as_long_as_it_signs, a_replayed_delivery_restarts, a_replay_of_a_period_includes_events_without_payment, deliveries_are_listed_with_their_last_attempt;
            events:
                old_events_are_deleted_in_portions, events_come_part_by_part, a_list_of_events_has_a_beginning_and_an_end, every_filter_finds_its_events,
                an_event_is_found_by_its_name, an_event_shows_the_sale_as_it_stood, every_stage_is_shown,
                another_tenant_sees_no_events;
            interchange:
                recipients_are_found_by_their_number, a_received_document_is_stored_once, recent_documents_are_counted,
                the_buyers_approval_is_stored_with_the_document;
            idempotency:
                every_state_of_a_key_comes_back, of_fifty_first_uses_one_has_an_effect,
                an_outdated_epoch_writes_no_rows, a_key_is_unique_in_its_scope,
                only_the_last_writer_renews_a_key, old_keys_are_deleted;
            stored_cards: a_card_is_stored_until_deletion, a_card_is_looked_at_by_one,
                a_rescheduled_card_comes_back_at_its_time;
            number_ledger:
                each_number_is_listed_with_its_result, a_number_that_is_signed_anew_stays_its_documents, given_numbers_come_part_by_part,
                ranges_of_every_environment_are_listed, another_tenant_has_no_numbers,
                annulled_numbers_are_never_assigned, annulled_numbers_are_skipped,
                concurrent_annulment_and_assignment_share_no_number, a_range_that_moved_is_not_cut,
                a_range_steps_over_numbers_once, contested_numbers_are_listed, the_annulment_response_is_stored;
            merchants:
                the_setup_comes_back, accounts_come_oldest_first, the_newest_certificate_counts,
                a_certificate_takes_over_on_its_first_day, work_held_up_by_a_set_up_is_due_after_the_change,
                certificates_are_listed_newest_first, the_newest_rate_that_has_come_answers,
                the_setup_has_the_ranges_of_its_environment, a_name_is_taken_once
                on_empty_stores [
                    a_blank_profile_comes_back, an_account_knows_whether_its_merchant_may_trade,
                    an_unknown_merchant_is_refused, a_merchant_is_created_with_all_profiles_or_not_at_all,
                    a_tenant_that_has_anything_is_counted
                ];
            numbers:
                numbers_given_at_once_leave_no_gap, a_revision_keeps_its_number,
                only_kinds_that_print_it_carry_the_last_day, a_canceled_request_finds_its_number_again
                on_empty_stores [
                    ranges_are_used_up_one_after_the_other, an_expired_range_assigns_no_number,
                    a_number_comes_from_a_range_of_its_own, ranges_do_not_overlap,
                    of_overlapping_ranges_at_once_one_is_taken, concurrent_requests_share_the_remaining_numbers,
                    concurrent_requests_are_decided_separately
                ];
            readiness:
                a_change_of_readiness_creates_one_event, a_readiness_change_and_its_event_are_one_commit,
                a_providers_finding_and_its_event_are_stored_together, an_account_is_looked_at_by_one,
                events_of_an_account_are_listed_by_account;
            refund_lists:
                every_filter_finds_its_refunds, refunds_come_part_by_part, another_tenant_finds_no_refunds;
            refund_work: a_refund_is_due_until_its_end, unfinished_refunds_wait, an_escalated_refund_is_counted, an_account_is_swept_by_one;
            refunds:
                every_shape_of_a_refund_comes_back, a_refund_is_followed_to_its_end, of_two_refunds_at_once_one_begins,
                one_refund_is_unfinished_at_a_time, a_second_decision_about_a_refund_is_stale,
                notes_never_exceed_their_document, a_note_is_issued_beside_the_document_of_its_sale,
                events_show_refund_and_note, clues_of_the_provider_name_attempts, a_return_is_found_once;
            sales:
                every_stage_of_a_payment_comes_back, every_stage_of_a_document_comes_back,
                odd_texts_come_back_verbatim, the_largest_amounts_come_back, a_sale_in_dollars_comes_back,
                a_sale_is_found_by_each_of_its_names,
                a_second_decision_on_one_version_is_stale, a_known_payment_is_not_made_again,
                a_stale_document_refuses_the_whole_commit, an_attempt_comes_back_resolved,
                a_payment_has_one_attempt_at_a_time, a_transaction_approves_one_attempt, an_attempt_is_found_by_the_secret_of_its_challenge;
            search:
                corrected_revisions_are_stored, every_attempt_of_a_payment_is_there_in_order, clues_lead_to_payments, sales_come_part_by_part, a_paged_list_is_complete,
                a_list_has_a_beginning_and_an_end, every_filter_finds_its_sales,
                another_tenant_lists_no_sales;
            secrets:
                the_newest_credentials_count, an_operator_counts_credentials_on, every_secret_is_met_once,
                a_secret_is_replaced_as_it_was_read
                on_empty_stores [
                    the_key_check_is_stored_once
                ];
            setup:
                an_account_is_made_once, credentials_count_on, endpoints_come_back,
                of_fifty_endpoints_at_once_there_is_room_for_some, a_setup_and_its_key_go_together,
                credentials_are_tried_by_one, a_check_of_replaced_credentials_is_not_stored
                on_empty_stores [
                    a_profile_is_replaced_in_its_turn
                ];
            splits:
                every_stage_of_a_part_comes_back, every_stage_of_a_part_is_shown, attempts_of_parts_come_back,
                a_part_has_one_attempt_at_a_time, a_part_is_captured_once, attempts_begin_together_or_not_at_all,
                a_split_is_due_with_its_first_part;
            endpoint_disabled_emails:
                a_mail_is_stored_with_the_disabling_of_its_endpoint, an_endpoint_disabled_mail_is_claimed_once,
                every_stage_of_an_endpoint_disabled_mail_comes_back, failed_mails_are_counted_while_events_are_stored;
            isolation: another_tenant_finds_no_sale, another_tenant_has_another_setup;
            webhook_queue:
                an_event_is_queued_for_subscribed_endpoints, a_refused_commit_queues_no_delivery, a_delivery_is_claimed_once,
                no_endpoint_has_more_in_flight_than_it_may, endpoints_that_fail_have_room_of_their_own,
                fast_endpoints_have_room_of_their_own, results_change_the_health_of_endpoints,
                an_attempt_sets_the_next_due_time, an_expired_lease_finishes_no_delivery,
                a_disabled_endpoint_receives_no_events, health_is_noted_as_it_changes,
                undelivered_events_count_since_their_commit, leases_of_dead_dispatchers_end,
                another_tenant_has_no_deliveries;
            work_queue:
                due_work_is_claimed_oldest_first, a_claim_is_limited, work_is_handed_to_one_worker,
                a_commit_sets_the_length_of_its_lease, finished_work_is_not_due,
                postponed_work_comes_back_at_its_time, postponing_never_moves_the_due_time_back, the_next_thing_falls_due, leases_of_the_dead_end_at_once,
                waiting_documents_are_found_by_age, missing_renderings_are_claimed_when_due;
        }
    };
    ($fresh:path: $($topic:ident: $($fact:ident),+ $(on_empty_stores [$($bare:ident),+])?;)+) => { $(
        mod $topic {
            $(
                #[tokio::test]
                async fn $fact() {
                    let (stores, _guard) = $fresh().await;
                    stores.register_merchant().await;
                    $crate::contract::$topic::$fact(&stores).await;
                }
            )+
            $($(
                #[tokio::test]
                async fn $bare() {
                    let (stores, _guard) = $fresh().await;
                    $crate::contract::$topic::$bare(&stores).await;
                }
            )+)?
        }
    )+ };
}
