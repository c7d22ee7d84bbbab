//! A connection that is cut at every point.

/// A test for each place at which a connection can be cut, which `$all` tries in every operation.
///
/// `$cut` is the simulator's list of those places: none of them is left out.
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
