//! One of the competing processes: it reads the numbers of sales, runs its side, and prints the response.

use std::{
    collections::BTreeMap,
    io::{BufRead, stdin},
    sync::Arc,
};

use app::{
    CreateRefund, Error, IdempotentRequest, KeyLeaseHandle, Ports, SubmitCard, capture_split, create_refund,
    release_split, renew_split, settle_payment, submit_card,
};
use chrono::TimeDelta;
use domain::{account::Provider, fiscal::DocumentKind, sale::SaleContext};
use ports::Setup;
use storage::Postgres;
use testkit::{
    contract::Stores,
    memory::{CountingIds, TestClock},
    sample,
};

use super::bank::Bank;
use crate::{
    crashes::command,
    refunds::world::{admin, amount, command as refund_command, render as render_refund},
    support::{Mocks, merchant, payer, render},
};

/// Prefix that distinguishes a response from other output of a test binary.
pub(crate) const RESPONSE_PREFIX: &str = "answer ";

/// One side of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Capture,
    Release,
    Pay,
    Renew,
    Expire,
    /// Returns seven tenths of the sale.
    Refund,
}

impl Move {
    async fn make(self, ports: &Ports, n: u32, side: u32) -> Result<(), Error> {
        let payment = sample::payment_id(n);
        let keyed = IdempotentRequest {
            if_match: None,
            id: sample::request_id(n * 2 + side),
            key: format!("{n}-{side}"),
            fingerprint_input: format!("{self:?}").into_bytes(),
            lease: KeyLeaseHandle::default(),
        };
        let named = payment.as_str();
        match self {
            Self::Capture => capture_split(ports, &merchant(), &keyed, named, &render).await.map(drop),
            Self::Release => release_split(ports, &merchant(), &keyed, named, &render).await.map(drop),
            Self::Renew => renew_split(ports, &merchant(), &keyed, named, &render).await.map(drop),
            Self::Expire => settle_payment(ports, &sample::tenant(), &payment).await,
            Self::Refund => {
                let command = CreateRefund { payment: payment.clone(), ..refund_command(amount(896_00)) };
                create_refund(ports, &admin(), &keyed, command, &render_refund).await.map(drop)
            }
            Self::Pay => {
                let command = SubmitCard { part_ordinal: Some(1), ..command(&payment, super::GOOD) };
                submit_card(ports, &payer(n), &keyed, command, &render).await.map(drop)
            }
        }
    }
}

/// Stores of a database, a bank, and identifiers that no other process generates.
pub(crate) async fn ports(url: &str, side: u32) -> Ports {
    let stores = Stores::of(Postgres::connect(url).await.unwrap());
    let mut merchants = ports::MockMerchantStore::new();
    merchants.expect_setup().returning(|_| {
        let SaleContext { profile, accounts, mut issuer, .. } = sample::sale_context();
        issuer.ranges.push(sample::range(DocumentKind::CreditNote));
        Ok(Setup { profile: Some(profile), accounts, issuer, ..Setup::default() })
    });
    Ports {
        merchants: Arc::new(merchants),
        refunds: stores.refunds,
        sales: stores.sales,
        search: stores.search,
        events: stores.events,
        work: stores.work,
        idempotency: stores.idempotency,
        providers: BTreeMap::from([(Provider::Simulator, Arc::new(Bank::open(url).await) as _)]),
        ids: Arc::new(CountingIds::after((side + 1) * 100_000_000)),
        ..Mocks::ready_for_a_sale().into_ports()
    }
}

/// Runs its move for each number on standard input, several at once.
pub(crate) async fn compete(url: &str, side: u32, own_move: Move) {
    let ports = ports(url, side).await;
    let clock = Arc::new(TestClock::default());
    if matches!(own_move, Move::Renew | Move::Expire) {
        clock.advance(TimeDelta::hours(2));
    }
    let ports = Ports { clock, ..ports };
    let mut running = Vec::new();
    let (sender, mut numbers) = tokio::sync::mpsc::unbounded_channel();
    #[expect(clippy::disallowed_methods, reason = "standard input is read beside the runtime")]
    std::thread::spawn(move || {
        for line in stdin().lock().lines() {
            let number: u32 = line.unwrap().parse().unwrap();
            sender.send(number).unwrap();
        }
    });
    while let Some(n) = numbers.recv().await {
        let ports = ports.clone();
        running.push(tokio::spawn(async move {
            let result = match own_move.make(&ports, n, side).await {
                Ok(()) => "ok".to_owned(),
                Err(Error::Refusal(it)) => it.code.as_str().to_owned(),
                Err(error) => format!("{error:?}"),
            };
            println!("\n{RESPONSE_PREFIX}{n} {result}");
        }));
    }
    for it in running {
        it.await.unwrap();
    }
}
