use cobro_domain::{InvalidRequest, fiscal::TaxId};
use proptest::prelude::*;

#[track_caller]
fn accepted(text: &str, digits: &str, is_rnc: bool) {
    let id = TaxId::parse(text).unwrap();
    assert_eq!((id.as_str(), id.is_rnc()), (digits, is_rnc));
}

#[track_caller]
fn refused(text: &str) {
    assert_eq!(TaxId::parse(text), Err(InvalidRequest::FiscalBuyerTaxIdInvalid), "{text:?}");
}

#[test]
fn spaces_and_hyphens_do_not_count() {
    accepted("101850043", "101850043", true);
    accepted("1-01-85004-3", "101850043", true);
    accepted(" 101850043 ", "101850043", true);
    accepted("001-1391820-5", "00113918205", false);
}

#[test]
fn leading_zeros_stay() {
    accepted("00113918205", "00113918205", false);
}

#[test]
fn the_last_digit_checks_the_others() {
    for last in ["0", "1", "2", "4", "5", "6", "7", "8", "9"] {
        refused(&format!("10185004{last}"));
    }
    for last in ["0", "1", "2", "3", "4", "6", "7", "8", "9"] {
        refused(&format!("0011391820{last}"));
    }
}

#[test]
fn every_remainder_of_an_rnc_has_its_check_digit() {
    // The remainders 0 to 10 of the weighted sum, in this order.
    let ids = [
        "000000142",
        "000000061",
        "000000019",
        "000000078",
        "000000027",
        "000000086",
        "000000035",
        "000000094",
        "101850043",
        "000000132",
        "000000051",
    ];
    for id in ids {
        accepted(id, id, true);
    }
}

#[test]
fn a_right_check_digit_does_not_make_a_taxpayer() {
    accepted("222222222", "222222222", true);
    refused("123456789");
    refused("000-00000-0");
}

#[test]
fn registered_numbers_that_break_the_rule_are_accepted() {
    for id in ["101581601", "131188691", "401007374", "501656006", "504654542", "505038691"] {
        accepted(id, id, true);
    }
    refused("10233317");
}

#[test]
fn anything_but_nine_or_eleven_digits_is_refused() {
    for text in [
        "",
        " - ",
        "10185004",
        "1018500430",
        "001139182050",
        "10185004a",
        "１０１８５００４３",
        "101.850.043",
        "\t101850043",
    ] {
        refused(text);
    }
}

#[test]
fn only_the_end_of_a_tax_id_is_shown_in_debug_output() {
    let id = TaxId::parse("00113918205").unwrap();

    assert_eq!(format!("{id:?}"), "TaxId(…205)");
}

proptest! {
    #[test]
    fn exactly_one_last_digit_fits_a_cedula(first in "[0-9]{10}") {
        let fitting = (0..10).filter(|last| TaxId::parse(&format!("{first}{last}")).is_ok());
        prop_assert_eq!(fitting.count(), 1);
    }

    #[test]
    fn at_least_one_last_digit_fits_an_rnc(first in "[0-9]{8}") {
        let fitting = (0..10).filter(|last| TaxId::parse(&format!("{first}{last}")).is_ok());
        prop_assert!(fitting.count() >= 1);
    }

    #[test]
    fn no_input_panics(text in any::<String>()) {
        let _ = TaxId::parse(&text);
    }
}
