//! Types that carry a card to the provider can be neither printed nor copied.

use std::fmt::{Debug, Display};

use app::SubmitCard;
use ports::{Charge, Instrument, Wallet};
use testkit::has;

#[test]
fn types_with_a_card_can_be_neither_printed_nor_copied() {
    let submission = [has!(SubmitCard: Debug), has!(SubmitCard: Display), has!(SubmitCard: Clone)];
    let charge = [has!(Charge: Debug), has!(Charge: Display), has!(Charge: Clone)];

    let instrument = [has!(Instrument: Debug), has!(Instrument: Display), has!(Instrument: Clone)];
    let wallet = [has!(Wallet: Debug), has!(Wallet: Display), has!(Wallet: Clone)];

    assert_eq!([submission, charge, instrument, wallet], [[false; 3]; 4]);
}
