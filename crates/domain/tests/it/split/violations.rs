//! Each violation is caused on purpose, and found.

use cobro_domain::{
    Currency, Money, Payment,
    payment::{PaymentState, Stage},
    sale::Sale,
    split::{Part, PartProgress, PartStage, Split, SplitState, Violation, check},
};

use super::{name, reserved, shared_by, split};
use crate::support::noon;

/// A sale restored with another split.
fn with(sale: &Sale, change: impl FnOnce(&mut SplitState)) -> Sale {
    let mut state = split(sale).state().clone();
    change(&mut state);
    let stage = Stage::Split(Split::restore(state));
    let payment = Payment::restore(sale.payment.facts.clone(), PaymentState { stage, ..sale.payment.state().clone() });
    Sale { payment, document: sale.document.clone() }
}

fn at(part: &Part, stage: PartStage) -> Part {
    Part::restore(part.ordinal, part.share, PartProgress { stage, ..part.state().clone() })
}

#[test]
fn a_sale_that_cannot_be_is_found_out() {
    let sale = reserved(shared_by(3), &[1, 2]);
    let peso = Money::new(1_00, Currency::Dop);

    assert_eq!(check(&sale), Ok(()));
    assert_eq!(check(&with(&sale, |it| it.parts.truncate(1))), Err(Violation::Ordinals));
    assert_eq!(check(&with(&sale, |it| it.parts.reverse())), Err(Violation::Ordinals));
    assert_eq!(check(&with(&sale, |it| drop(it.parts.pop()))), Err(Violation::Total));
    assert_eq!(check(&with(&sale, |it| it.parts[0].share.amount = peso)), Err(Violation::Share));
    assert_eq!(check(&with(&sale, |it| it.parts[0].share.allocated_itbis = peso)), Err(Violation::Itbis));
    let shared = |it: &mut SplitState| it.parts[1] = at(&it.parts[1], it.parts[0].stage().clone());
    assert_eq!(check(&with(&sale, shared)), Err(Violation::SharedAttempt));
    let paid = |it: &mut SplitState| {
        let hold = it.parts[0].stage().hold().unwrap().clone();
        let name = |ordinal| cobro_domain::split::PartHold { attempt: name(ordinal, 1), ..hold.clone() };
        let succeeded = |it: &Part| at(it, PartStage::Succeeded { hold: name(it.ordinal), at: noon() });
        it.parts = it.parts.iter().map(succeeded).collect();
    };
    assert_eq!(check(&with(&sale, paid)), Err(Violation::Document), "paid, and no document is under way");
    let expired = |it: &mut SplitState| {
        it.parts = it.parts.iter().map(|it| at(it, PartStage::Expired { at: noon() })).collect();
    };
    assert_eq!(check(&with(&sale, expired)), Err(Violation::Document));
}
