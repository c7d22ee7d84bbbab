//! Which documents of others are received.

use chrono::NaiveDate;
use cobro_domain::{
    fiscal::{IncomingDocument, NotReceived, TaxId},
    text::{BoundedText, Digits},
};

const US: &str = "101850043";

fn incoming(sender: &str, recipient: &str, ecf_type: u8, number: &str) -> IncomingDocument {
    IncomingDocument {
        ecf_type,
        number: BoundedText::parse(number).unwrap(),
        sender: Digits::parse(sender).unwrap(),
        recipient: Digits::parse(recipient).unwrap(),
        issue_date: NaiveDate::from_ymd_opt(2026, 3, 1).unwrap(),
        total_minor_units: 118_00,
    }
}

#[test]
fn a_document_to_us_is_received_if_its_number_fits_its_type() {
    use NotReceived::{OtherRecipient, Specification};

    for (document, expected) in [
        (incoming("131880600", US, 31, "E310000000001"), Ok(())),
        (incoming("00113918205", US, 45, "E450000000001"), Ok(())),
        (incoming("131880600", "101000007", 31, "E310000000001"), Err(OtherRecipient)),
        (incoming(US, US, 31, "E310000000001"), Err(Specification)),
        (incoming("1318806000", US, 31, "E310000000001"), Err(Specification)),
        (incoming("131880600", US, 31, "E330000000001"), Err(Specification)),
        (incoming("131880600", US, 31, "B310000000001"), Err(Specification)),
        (incoming("131880600", US, 31, "E31000000000A"), Err(Specification)),
        (incoming("131880600", US, 32, "E320000000001"), Err(Specification)),
    ] {
        assert_eq!(document.check(&TaxId::parse(US).unwrap()), expected, "{document:?}");
    }
}
