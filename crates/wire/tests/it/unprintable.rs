//! A card cannot be printed, copied or serialised by mistake: its types do not know how.

use std::fmt::{Debug, Display};

use domain::Card;
use serde::Serialize;
use testkit::has;
use wire::{
    Json,
    submit_card::{CardSubmission, SubmittedMethod, SubmittedWallet},
};

macro_rules! ways_out {
    ($type:ty) => {
        [has!($type: Debug), has!($type: Display), has!($type: Clone), has!($type: Serialize)]
    };
}

#[test]
fn what_holds_a_card_has_no_way_out() {
    assert_eq!(ways_out!(Card), [false; 4]);
    assert_eq!(ways_out!(CardSubmission), [false; 4]);
    assert_eq!(ways_out!(SubmittedMethod), [false; 4]);
    assert_eq!(ways_out!(SubmittedWallet), [false; 4]);
    assert_eq!(ways_out!(Json), [false; 4]);
}

#[test]
fn what_has_one_is_found_out() {
    assert_eq!(ways_out!(String), [true; 4]);
}
