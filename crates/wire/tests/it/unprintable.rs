//! Types that contain a card implement neither `Debug` nor `Clone` nor `Serialize`.

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
fn card_types_have_no_debug_clone_or_serialize() {
    assert_eq!(ways_out!(Card), [false; 4]);
    assert_eq!(ways_out!(CardSubmission), [false; 4]);
    assert_eq!(ways_out!(SubmittedMethod), [false; 4]);
    assert_eq!(ways_out!(SubmittedWallet), [false; 4]);
    assert_eq!(ways_out!(Json), [false; 4]);
}

#[test]
fn the_check_detects_debug_clone_and_serialize() {
    assert_eq!(ways_out!(String), [true; 4]);
}
