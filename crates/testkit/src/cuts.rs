//! Tests of cut connections.

/// Generates a test for each point of a cut, which `$all` applies to every operation.
///
/// `$cut` is the sandbox's list of points, so that none is missing.
#[macro_export]
macro_rules! cut_tests {
    ($cut:ident, $all:ident) => {
        $crate::cut_tests! {
            $cut, $all:
            before_the_first_byte: AtConnect;
            before_the_request: BeforeRequest;
            after_the_request: AfterRequest;
            inside_the_first_line: InsideHead;
            inside_the_answer: InsideBody;
            after_the_answer: AfterResponse;
            in_silence: Silence;
            by_an_error_page: ServerError;
        }
    };
    ($cut:ident, $all:ident: $($name:ident: $place:ident;)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                $all($cut::$place).await;
            }
        )+

        #[test]
        fn no_cut_is_left_out() {
            assert_eq!($cut::ALL, [$($cut::$place),+]);
        }
    };
}
