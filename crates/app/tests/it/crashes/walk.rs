//! Up to ten payers, an organizer, a clock and a faulty provider, in random order: the payment always agrees with the
//! acquirer, and no funds stay reserved.

use app::{
    Caller, Error, IdempotentRequest, Ports, SubmitCard, cancel_payment, capture_split, delete_split, open_split,
    release_split, renew_split, replace_split, submit_card,
};
use chrono::TimeDelta;
use domain::{PaymentId, fiscal::DocumentStatus, payment::PaymentStatus, split::SplitDraft};
use proptest::prelude::*;
use sandbox::{Fault, Target};

use super::{command, world::World};
use crate::support::render;

const CARDS: [&str; 8] = [
    "4222220000000008",
    "4222220000000511",
    "4222220000000594",
    "4222220005000003",
    "4222220005000995",
    "4222220008000000",
    "4222220011000518",
    "4222220012000004",
];
const FAULTS: [Fault; 6] =
    [Fault::BeforeRequest, Fault::AfterCommit, Fault::Delay, Fault::Drop, Fault::Status, Fault::VisibilityLag];

/// Possible next steps.
#[derive(Clone, Copy, Debug)]
enum Move {
    Split(i64),
    Replace(i64),
    Delete,
    Pay(u8, usize),
    Capture,
    Release,
    Cancel,
    Renew,
    Wait(i64),
    GoWrong(usize),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let part_count = 2..=10_i64;
    let one = prop_oneof![
        1 => part_count.clone().prop_map(Move::Replace),
        1 => part_count.clone().prop_map(Move::Split),
        1 => Just(Move::Delete),
        // Good cards are the most frequent, so that some splits are paid.
        6 => (1..=10_u8).prop_map(|ordinal| Move::Pay(ordinal, 0)),
        6 => (1..=10_u8, 0..CARDS.len()).prop_map(|(ordinal, card)| Move::Pay(ordinal, card)),
        4 => Just(Move::Capture),
        1 => Just(Move::Release),
        1 => Just(Move::Cancel),
        1 => Just(Move::Renew),
        4 => (0..30_i64).prop_map(Move::Wait),
        1 => (60..600_i64).prop_map(Move::Wait),
        3 => (0..FAULTS.len()).prop_map(Move::GoWrong),
    ];
    (part_count, proptest::collection::vec(one, 5..40)).prop_map(|(first, rest)| {
        // Each payer tries once; then the order is random.
        let everybody = (1..=10_u8).map(|ordinal| Move::Pay(ordinal, 0));
        std::iter::once(Move::Split(first)).chain(everybody.take(rest.len() % 11)).chain(rest).collect()
    })
}

async fn go(world: &World, ports: &Ports, payer: &Caller, payment: &PaymentId, (n, step): (usize, Move)) {
    let (keyed, merchant): (IdempotentRequest, Caller) =
        (world.keyed_as(format!("{}-{n}", payment.as_str())), world.merchant());
    let named = payment.as_str();
    let equal = |part_count| SplitDraft::Equal { part_count };
    let done = match step {
        Move::Split(count) => open_split(ports, &merchant, &keyed, named, equal(count), &render).await,
        Move::Replace(count) => replace_split(ports, &merchant, &keyed, named, equal(count), &render).await,
        Move::Delete => delete_split(ports, &merchant, &keyed, named, &render).await,
        Move::Pay(ordinal, card) => {
            let command = SubmitCard { part_ordinal: Some(ordinal), ..command(payment, CARDS[card]) };
            submit_card(ports, payer, &keyed, command, &render).await
        }
        Move::Capture => capture_split(ports, &merchant, &keyed, named, &render).await,
        Move::Release => release_split(ports, &merchant, &keyed, named, &render).await,
        Move::Cancel => cancel_payment(ports, &merchant, &keyed, named, &render).await,
        Move::Renew => renew_split(ports, &merchant, &keyed, named, &render).await,
        Move::Wait(minutes) => return World::pass(&world.clock, ports, TimeDelta::minutes(minutes)).await,
        Move::GoWrong(fault) => return world.faults.inject(Target::Acquirer, FAULTS[fault], 1).unwrap(),
    };
    match done {
        Ok(_) | Err(Error::Refusal(_) | Error::NotFound(..) | Error::Provider(_)) => {}
        Err(error) => panic!("{step:?}: {error:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ends_agree_about_a_shared_bill(moves in moves()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let world = World::new().await;
            let (payment, payer) = world.open_sale().await;
            let ports = world.ports(None);
            for step in moves.into_iter().enumerate() {
                go(&world, &ports, &payer, &payment, step).await;
                world.check_ends(&payment, false).await;
            }
            World::pass(&world.clock, &ports, TimeDelta::days(4)).await;
            world.check_ends(&payment, true).await;
        });
    }
}

impl World {
    /// Without doubts, the payment contains exactly the acquirer's captures; no part is captured twice.
    async fn check_ends(&self, payment: &PaymentId, is_over: bool) {
        let sale = self.sale(payment).await;
        let known = self.at_the_acquirer(payment).await;
        let mut captured: Vec<_> = known.iter().filter(|(_, it)| it.status == "captured").collect();
        captured.sort_by_key(|(part, _)| *part);
        let taken: i64 = captured.iter().map(|(_, it)| it.amount_minor_units).sum();
        assert!(captured.windows(2).all(|it| it[0].0 != it[1].0), "a part was captured twice: {captured:?}");
        assert!(taken <= sale.payment.total_amount().minor_units());
        if !is_over {
            return;
        }
        let says = sale.payment.split().map_or(0, |it| it.figures().unwrap().captured.minor_units());
        assert_eq!(says, taken, "{:?}", sale.payment.split());
        let is_paid = taken == sale.payment.total_amount().minor_units();
        assert_eq!(sale.payment.status() == PaymentStatus::Succeeded, is_paid);
        let is_issued = sale.document.status() == DocumentStatus::Issued;
        assert_eq!((is_issued, self.accepted_documents(&sale).await), (is_paid, usize::from(is_paid)));
        assert!(sale.payment.is_terminal(), "{:?}", sale.payment.split());
        let held: Vec<_> = known.iter().filter(|(_, it)| it.status == "held").collect();
        assert!(held.is_empty(), "{held:?}");
    }
}
