/// Makes a test of each fact of the [contract](crate::authority).
///
/// `$fresh` names an `async fn()` that gives a [`AuthorityHarness`](crate::authority::AuthorityHarness) at which nothing
/// has happened.
#[macro_export]
macro_rules! authority_contract_tests {
    ($fresh:path) => {
        $crate::authority_contract_tests! { $fresh:
            annulments:
                numbers_that_are_given_back_go_to_no_document, a_used_number_is_not_taken_back,
                what_was_altered_is_not_taken_back, the_same_bytes_once_more_say_that_it_was_done;
            verdicts:
                documents_are_accepted, a_summary_is_answered_at_once, a_remark_is_told, a_refusal_spends_the_number,
                a_refusal_may_leave_the_number, a_verdict_may_take_its_time, what_was_never_sent_is_not_found;
            lost_responses:
                a_lost_answer_is_found, what_never_arrives_is_sent_again, the_same_bytes_are_received_once,
                another_document_of_a_number_is_told_apart;
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
