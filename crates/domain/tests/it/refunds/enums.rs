//! Published spellings, and the balance between codes and enums.

use cobro_domain::refund::{
    LegMethod, LegStatus, Modification, RefundFailureCode, RefundOrigin, RefundReason, RefundScope, RefundSettlement,
    RefundStatus,
};

macro_rules! check_spellings {
    ($($name:ident: $spelled:literal;)+) => { $(
        let spelled: Vec<&str> = $name::ALL.iter().map(|value| value.as_str()).collect();
        assert_eq!(spelled.join(" "), $spelled);
        for value in $name::ALL {
            assert_eq!($name::from_code(value.as_str()), Some(value));
        }
        assert_eq!($name::from_code("unknown"), None);
    )+ };
}

#[test]
fn every_word_is_spelled_as_published_and_read_back() {
    check_spellings! {
        RefundStatus: "processing verifying succeeded partially_succeeded failed unattributed";
        RefundOrigin: "merchant provider";
        RefundScope: "all lines amount tip retry";
        RefundSettlement: "acquirer outside";
        RefundReason: "requested_by_customer returned not_delivered duplicate price_adjustment other";
        LegStatus: "processing verifying succeeded failed";
        LegMethod: "void refund outside";
        Modification: "cancels corrects_amounts";
        RefundFailureCode: "declined_by_provider window_elapsed already_returned insufficient_merchant_funds not_submitted not_found_at_provider settled_by_operator";
    }
}

#[test]
fn a_reason_fits_the_field_of_the_note() {
    for reason in RefundReason::ALL {
        assert!((1..=90).contains(&reason.text().chars().count()), "{reason:?}");
    }
}
