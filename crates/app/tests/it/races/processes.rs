//! The same races between processes that share a PostgreSQL. Each test starts itself twice more. The two responses,
//! the bank's ledger and the events must be of one outcome.

use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use domain::{
    Split,
    attempt::{AttemptKind, AttemptState},
    event::EventRecord,
    payment::PaymentStatus,
    sale::Sale,
};
use ports::{Commit, EventFilter, Page};
use storage::Postgres;
use testkit::{
    contract::{Stores, done},
    sample,
};

use super::{
    bank::Bank,
    contestant::{Move, RESPONSE_PREFIX, compete},
    database::Database,
};

const ROUNDS: u32 = 1000;
/// Number of races of refunds in the check. 1,000 were run when the test was written.
const REFUND_ROUNDS: u32 = 100;
/// Number of concurrent rounds.
const AT_ONCE: u32 = 8;

const URL: &str = "COBRO_RACE_URL";
const SIDE: &str = "COBRO_RACE_SIDE";

/// The responses to both sides, by the number of the sale.
type Responses = BTreeMap<u32, [String; 2]>;

/// How all rounds ended.
struct Ended {
    responses: Responses,
    statuses: BTreeMap<u32, PaymentStatus>,
    /// The bank's records of each payment, in alphabetical order.
    bank: BTreeMap<String, Vec<String>>,
    /// Returned money of each payment.
    returned: BTreeMap<String, i64>,
}

impl Ended {
    fn of(&self, n: u32) -> (&[String; 2], PaymentStatus, Vec<&str>) {
        let entries = self.bank.get(sample::payment_id(n).as_str());
        (&self.responses[&n], self.statuses[&n], entries.into_iter().flatten().map(String::as_str).collect())
    }
}

/// Runs the race, or one side of it in a child process. Returns `None` without a server, and in a child process.
async fn race(test: &str, sides: [Move; 2], before: fn(u32) -> Sale) -> Option<Ended> {
    race_rounds((test, ROUNDS), sides, before).await
}

async fn race_rounds((test, rounds): (&str, u32), sides: [Move; 2], before: fn(u32) -> Sale) -> Option<Ended> {
    if let (Ok(url), Ok(side)) = (env::var(URL), env::var(SIDE)) {
        let side: u32 = side.parse().unwrap();
        compete(&url, side, sides[usize::try_from(side).unwrap()]).await;
        return None;
    }
    env::var_os("TEST_DATABASE_URL")?;
    let database = Database::fresh().await;
    let url = database.url();
    let stores = Stores::of(Postgres::connect(&url).await.unwrap());
    stores.register_merchant().await;
    let bank = Bank::open(&url).await;
    bank.create_table().await;
    for n in 1..=rounds {
        begin(&stores, &bank, n, &before(n)).await;
    }
    let responses = tokio::task::spawn_blocking({
        let (test, url) = (test.to_owned(), url.clone());
        move || run((&test, rounds), &url)
    });
    let responses = responses.await.unwrap();
    let mut statuses = BTreeMap::new();
    for n in 1..=rounds {
        let sale = stores.sales.find(&sample::tenant(), &sample::payment_id(n)).await.unwrap().unwrap();
        statuses.insert(n, sale.payment.status());
        check_events(&stores, n).await;
    }
    let mut by_payment: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut returned: BTreeMap<String, i64> = BTreeMap::new();
    for it in bank.entries().await {
        if it.status == "returned" {
            *returned.entry(it.payment.clone()).or_default() += it.amount;
        }
        by_payment.entry(it.payment).or_default().push(it.status);
    }
    Some(Ended { responses, statuses, bank: by_payment, returned })
}

/// Opens a sale before the race, also at the bank.
async fn begin(stores: &Stores, bank: &Bank, n: u32, sale: &Sale) {
    let mut attempts = Vec::new();
    if sale.payment.split().is_none() {
        let attempt = sample::attempt(n).resolved(AttemptState::Approved, None, sample::noon());
        bank.charge_captured(&attempt).await;
        attempts.push(attempt);
    }
    for part in sale.payment.split().map(Split::parts).unwrap_or_default() {
        if part.stage().hold().is_some() {
            let attempt = sample::part_attempt(n, part.ordinal, 1, AttemptKind::Authorization);
            let attempt = domain::attempt::Attempt { amount: part.share.amount, ..attempt };
            bank.reserve(attempt.id.as_str(), attempt.payment.as_str(), attempt.amount.minor_units()).await;
            attempts.push(attempt.resolved(AttemptState::Approved, None, sample::noon()));
        }
    }
    done(stores.sales.commit(Commit { attempts, ..sample::creation(sale) }).await, "there is no conflict");
}

/// Starts two processes, and sends both the same numbers at the same time.
fn run((test, rounds): (&str, u32), url: &str) -> Responses {
    let (sender, responses) = channel();
    let mut two: Vec<Child> = [0, 1].into_iter().map(|side| start(test, url, side, sender.clone())).collect();
    let mut by_number: BTreeMap<u32, [Option<String>; 2]> = BTreeMap::new();
    let (mut next, mut ended) = (1, 0);
    while ended < rounds {
        while next <= rounds && next - ended <= AT_ONCE {
            for it in &mut two {
                writeln!(it.stdin.as_mut().unwrap(), "{next}").unwrap();
            }
            next += 1;
        }
        let (n, side, response) = receive(&responses);
        let both = by_number.entry(n).or_default();
        both[side] = Some(response);
        ended += u32::from(both.iter().all(Option::is_some));
    }
    for mut it in two {
        drop(it.stdin.take());
        assert!(it.wait().unwrap().success());
    }
    by_number.into_iter().map(|(n, both)| (n, both.map(|it| it.expect("both processes responded")))).collect()
}

fn receive(responses: &Receiver<(u32, usize, String)>) -> (u32, usize, String) {
    responses.recv_timeout(std::time::Duration::from_secs(60)).expect("both processes are running")
}

fn start(test: &str, url: &str, side: usize, sender: Sender<(u32, usize, String)>) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .envs([(URL, url), (SIDE, &side.to_string())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    #[expect(clippy::disallowed_methods, reason = "output of each process is read beside the others")]
    thread::spawn(move || {
        for line in output.lines() {
            let line = line.unwrap();
            let Some((n, response)) = line.strip_prefix(RESPONSE_PREFIX).and_then(|it| it.split_once(' ')) else {
                continue;
            };
            let _ = sender.send((n.parse().unwrap(), side, response.to_owned()));
        }
    });
    child
}

/// Checks that each transition of the parts and the payment has one event.
async fn check_events(stores: &Stores, n: u32) {
    let filter = EventFilter { payment: Some(sample::payment_id(n)), ..EventFilter::default() };
    let events = stores.events.search(&sample::tenant(), &filter, &Page { after: None, limit: 100 }).await.unwrap();
    let is_of_payment = |it: &&EventRecord| it.kind.as_str().starts_with("payment");
    let mut names: Vec<_> =
        events.iter().filter(is_of_payment).map(|it| (it.kind.as_str(), it.of_sale().and_then(|it| it.part))).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
}

/// Returns the winner, and the response to the loser.
fn won(responses: &[String; 2]) -> (usize, &str) {
    match responses.each_ref().map(String::as_str) {
        ["ok", other] if other != "ok" => (0, other),
        [other, "ok"] if other != "ok" => (1, other),
        both => panic!("{both:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_is_captured_or_released() {
    let test = "races::processes::a_split_is_captured_or_released";
    let reserved = |n| sample::authorized_split(n, 2);
    let Some(ended) = race(test, [Move::Capture, Move::Release], reserved).await else { return };

    for n in 1..=ROUNDS {
        let (responses, status, bank) = ended.of(n);
        match won(responses) {
            (0, other) => {
                assert!(["payment_split_locked", "payment_split_complete"].contains(&other), "{other}");
                assert_eq!((status, bank), (PaymentStatus::Succeeded, vec!["captured"; 2]));
            }
            (_, other) => {
                assert_eq!(other, "payment_split_not_capturable");
                assert_eq!((status, bank), (PaymentStatus::Canceled, vec!["given back"; 2]));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_two_captures_is_made() {
    let test = "races::processes::only_one_of_two_captures_is_made";
    let reserved = |n| sample::authorized_split(n, 2);
    let Some(ended) = race(test, [Move::Capture, Move::Capture], reserved).await else { return };

    for n in 1..=ROUNDS {
        let (responses, status, bank) = ended.of(n);
        let (_, other) = won(responses);
        assert!(["payment_split_not_capturable", "payment_split_complete"].contains(&other), "{other}");
        assert_eq!((status, bank), (PaymentStatus::Succeeded, vec!["captured"; 2]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_two_cards_for_a_part_is_sent() {
    let test = "races::processes::only_one_of_two_cards_for_a_part_is_sent";
    let Some(ended) = race(test, [Move::Pay, Move::Pay], |n| sample::split_sale(n, 2)).await else { return };

    for n in 1..=ROUNDS {
        let (responses, status, bank) = ended.of(n);
        let (_, other) = won(responses);
        let expected = ["payment_method_already_in_progress", "payment_part_not_payable"];
        assert!(expected.contains(&other), "{other}");
        assert_eq!((status, bank), (PaymentStatus::PartiallyAuthorized, vec!["held"]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_split_is_renewed_only_after_it_has_expired() {
    let test = "races::processes::a_split_is_renewed_only_after_it_has_expired";
    let Some(ended) = race(test, [Move::Renew, Move::Expire], |n| sample::split_sale(n, 2)).await else { return };

    for n in 1..=ROUNDS {
        let (responses, status, bank) = ended.of(n);
        match responses.each_ref().map(String::as_str) {
            ["ok", "ok"] => assert_eq!(status, PaymentStatus::RequiresCustomerAction),
            ["payment_split_not_expired", "ok"] => assert_eq!(status, PaymentStatus::Expired),
            both => panic!("{both:?}"),
        }
        assert_eq!(bank, Vec::<&str>::new());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_one_of_two_refunds_of_the_same_money_is_made() {
    let test = "races::processes::only_one_of_two_refunds_of_the_same_money_is_made";
    let Some(ended) = race_rounds((test, REFUND_ROUNDS), [Move::Refund, Move::Refund], sample::paid).await else {
        return;
    };

    for n in 1..=REFUND_ROUNDS {
        let (responses, status, bank) = ended.of(n);
        let (_, other) = won(responses);
        assert!(["refund_in_progress", "refund_amount_exceeds_refundable"].contains(&other), "{other}");
        assert_eq!((status, bank), (PaymentStatus::Succeeded, vec!["captured", "returned"]));
        assert_eq!(ended.returned[sample::payment_id(n).as_str()], 896_00);
    }
}
