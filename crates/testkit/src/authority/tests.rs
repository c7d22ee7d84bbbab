/// Generates a test for each fact of the [contract](crate::authority).
///
/// `$fresh` is an `async fn()` that returns a new [`AuthorityHarness`](crate::authority::AuthorityHarness).
#[macro_export]
macro_rules! authority_contract_tests {
    ($fresh:path) => {
        $crate::authority_contract_tests! { $fresh:
            annulments:
                annulled_numbers_are_not_accepted, a_used_number_cannot_be_annulled,
                an_altered_annulment_is_refused, a_repeated_annulment_returns_the_same_result;
            verdicts:
                documents_are_accepted, a_summary_is_answered_at_once, a_conditional_acceptance_carries_its_remark, a_refusal_spends_the_number,
                a_refusal_may_leave_the_number, a_verdict_may_take_its_time, a_note_is_compared_with_its_original, an_unsubmitted_document_is_not_found;
            lost_responses:
                a_lost_answer_is_found, an_unreceived_document_can_be_resubmitted, the_same_bytes_are_received_once,
                another_document_of_a_number_is_distinguished;
        }
    };
    ($fresh:path: $($topic:ident: $($fact:ident),+;)+) => { $(
        mod $topic {
            $(
                #[tokio::test]
                async fn $fact() {
                    $crate::authority::$topic::$fact(&$fresh().await).await;
                }
            )+
        }
    )+ };
}
