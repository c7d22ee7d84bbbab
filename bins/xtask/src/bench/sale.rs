//! Load of whole sales. Each client creates a payment, makes a checkout token and submits a card, one request after
//! another. A sale is complete when its document is issued with the PDF and both webhooks are there; its receipt page is
//! then opened. Clients sell on meanwhile, up to a maximum of incomplete sales.

use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    http::{Client, Response},
    sandbox::CARD,
    sink::Sink,
    tables::fixture,
};
use crate::chore::{Done, field};

/// Events that are sent to the receiver, in this order.
pub(super) const EVENTS: [&str; 2] = ["payment.succeeded", "fiscal_document.issued"];
/// Incomplete sales of one client.
const MAX_OPEN: usize = 32;
/// Timeout of the last sales, after the last card.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Characters of a reason that are printed.
const MAX_REASON: usize = 300;
/// Interval between looks at the receiver.
const POLL: Duration = Duration::from_millis(2);

/// Receiver of the webhooks of a sale.
pub(super) struct Inbox {
    sink: Sink,
    deliveries: Arc<Mutex<HashMap<String, Delivered>>>,
}

/// Webhooks of one payment.
#[derive(Clone, Copy, Debug, Default)]
struct Delivered {
    /// Of each event, how often it came.
    times: [u64; EVENTS.len()],
    completed_at: Option<Instant>,
}

impl Inbox {
    /// Listens until the end of the process.
    pub(super) fn open() -> Done<Self> {
        let deliveries = Arc::<Mutex<HashMap<_, Delivered>>>::default();
        let known = deliveries.clone();
        let sink = Sink::open(Arc::new(move |body| {
            if let Some((payment, place)) = sort(body) {
                let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.entry(payment.to_owned()).or_default().add(place);
            }
        }))?;
        Ok(Self { sink, deliveries })
    }

    /// URL of the receiver.
    pub(super) fn url(&self) -> &str {
        &self.sink.url
    }

    /// Returns when the last webhook of a sale came; `None` if one is missing.
    fn completed_at(&self, payment: &str) -> Option<Instant> {
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner).get(payment)?.completed_at
    }

    /// Forgets all sales. Returns how many webhooks came more than once.
    pub(super) fn clear(&self) -> u64 {
        let mut deliveries = self.deliveries.lock().unwrap_or_else(PoisonError::into_inner);
        let again = |it: &Delivered| it.times.iter().map(|times| times.saturating_sub(1)).sum::<u64>();
        deliveries.drain().map(|(_, it)| again(&it)).sum()
    }
}

impl Delivered {
    fn add(&mut self, place: usize) {
        if let Some(times) = self.times.get_mut(place) {
            *times += 1;
        }
        if self.times.iter().all(|times| *times > 0) {
            self.completed_at.get_or_insert_with(Instant::now);
        }
    }
}

/// Returns the payment of an event and the place of the event. An issued document without a PDF does not count.
fn sort(body: &str) -> Option<(&str, usize)> {
    let place = EVENTS.iter().position(|it| *it == field(body, "type"))?;
    let is_complete = place == 0 || body.contains(r#""printedRepresentation":{"sha256""#);
    let payment = body.split('"').find(|it| it.starts_with("payment_"))?;
    is_complete.then_some((payment, place))
}

/// A load.
#[derive(Clone, Copy)]
pub(super) struct Load<'a> {
    /// Base URLs of the servers; clients take turns.
    pub(super) servers: &'a [&'a str],
    /// API keys of one merchant, each of which allows 1000 requests a second.
    pub(super) keys: &'a [&'a str],
    /// Receiver of the webhooks. Without a receiver a sale is complete when it is paid.
    pub(super) inbox: Option<&'a Inbox>,
    pub(super) clients: usize,
    pub(super) sales: u64,
    /// Time between the starts of two sales; without one each client sells as fast as it can.
    pub(super) pace: Option<Duration>,
    /// Word that no other load of the database has.
    pub(super) name: &'a str,
}

/// Outcome of a load.
#[derive(Debug, Default)]
pub(super) struct Sold {
    /// Time of each complete sale, from the request to the last webhook, in microseconds.
    pub(super) times: Vec<u64>,
    /// When each of these sales was begun, after the begin of the load.
    pub(super) begun: Vec<Duration>,
    /// Sales that failed or were not completed in time, with the reason of one.
    pub(super) failed: u64,
    pub(super) reason: String,
}

/// Numbers of the sales of a load.
struct Tickets {
    next: AtomicU64,
    begun: Instant,
}

/// A paid sale.
struct Open {
    payment: String,
    reference: String,
    begun: Instant,
}

impl Load<'_> {
    /// Sells, and returns when every sale is complete.
    pub(super) fn run(&self) -> Done<Sold> {
        let body = fs::read_to_string(fixture("payment.json"))?;
        let tickets = Tickets { next: AtomicU64::new(0), begun: Instant::now() };
        let (tickets, body) = (tickets, body.replace(r#""deliveryEmail":"cliente@correo.example","#, ""));
        let sold = thread::scope(|scope| {
            let (tickets, body) = (&tickets, &body);
            let start = |number| scope.spawn(move || self.sell(number, tickets, body));
            let clients: Vec<_> = (0..self.clients).map(start).collect();
            clients.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        let mut all = Sold::default();
        for one in sold {
            let one = one.map_err(|_| "a client panicked")?;
            all.times.extend(one.times);
            all.begun.extend(one.begun);
            all.failed += one.failed;
            all.reason = if all.reason.is_empty() { one.reason } else { all.reason };
        }
        Ok(all)
    }

    fn sell(&self, number: usize, tickets: &Tickets, body: &str) -> Sold {
        let server = self.servers[number % self.servers.len()];
        let (mut client, mut sold, mut open) = (Client::of(server), Sold::default(), Vec::new());
        loop {
            let ticket = tickets.next.fetch_add(1, Ordering::Relaxed);
            if ticket >= self.sales {
                break;
            }
            if let Some(pace) = self.pace {
                let at = pace.saturating_mul(u32::try_from(ticket).unwrap_or(u32::MAX));
                thread::sleep(at.saturating_sub(tickets.begun.elapsed()));
            }
            match self.pay(&mut client, ticket, body) {
                Ok(sale) => open.push(sale),
                Err(error) => sold.fail(&error.to_string()),
            }
            self.collect(&mut client, &mut open, &mut sold, tickets);
            while open.len() >= MAX_OPEN && !has_expired(&open) {
                thread::sleep(POLL);
                self.collect(&mut client, &mut open, &mut sold, tickets);
            }
        }
        while !open.is_empty() && !has_expired(&open) {
            thread::sleep(POLL);
            self.collect(&mut client, &mut open, &mut sold, tickets);
        }
        for sale in open {
            sold.fail(&format!("{} is not complete", sale.payment));
        }
        sold
    }

    /// Creates a payment and pays it.
    fn pay(&self, client: &mut Client, ticket: u64, body: &str) -> Done<Open> {
        let begun = Instant::now();
        let name = format!("{}-{ticket}", self.name);
        let body = body.replace("MESA-12", &format!("MESA-{name}")).replace("FAC-000000001", &format!("FAC-{name}"));
        let key = self.keys[usize::try_from(ticket)? % self.keys.len()];
        let keyed = |kind: &str| format!("idempotency-key: {kind}-{name}");
        let bearer = format!("authorization: Bearer {key}");

        let created = client.send("POST", "/v1/payments", &[&bearer, &keyed("create")], &body)?;
        let created = succeeded(created, 201)?.body;
        let (payment, reference) = (field(&created, "id").to_owned(), field(&created, "checkoutReference").to_owned());
        let request = format!(r#"{{"checkoutReference":"{reference}","purpose":"pay"}}"#);
        let token = client.send("POST", "/v1/checkout_tokens", &[&bearer, &keyed("token")], &request)?;
        let token = format!("authorization: Bearer {}", field(&succeeded(token, 201)?.body, "token"));
        let path = format!("/v1/payments/{payment}/card-submissions");
        let paid = succeeded(client.send("POST", &path, &[&token, &keyed("card")], CARD)?, 200)?;
        if field(&paid.body, "status") == "succeeded" {
            Ok(Open { payment, reference, begun })
        } else {
            Err(format!("a card was not approved: {}", paid.body).into())
        }
    }

    /// Opens the receipts of complete sales.
    fn collect(&self, client: &mut Client, open: &mut Vec<Open>, sold: &mut Sold, tickets: &Tickets) {
        open.retain(|sale| {
            let completed_at = self.inbox.map_or_else(|| Some(Instant::now()), |it| it.completed_at(&sale.payment));
            let Some(completed_at) = completed_at else { return true };
            match open_receipt(client, &sale.reference) {
                Ok(()) => {
                    sold.times.push(micros(completed_at.saturating_duration_since(sale.begun)));
                    sold.begun.push(sale.begun.saturating_duration_since(tickets.begun));
                }
                Err(error) => sold.fail(&error.to_string()),
            }
            false
        });
    }
}

impl Sold {
    fn fail(&mut self, reason: &str) {
        self.failed += 1;
        if self.reason.is_empty() {
            self.reason = reason.chars().take(MAX_REASON).collect();
        }
    }
}

fn has_expired(open: &[Open]) -> bool {
    open.first().is_some_and(|it| it.begun.elapsed() > TIMEOUT)
}

/// Opens the receipt page as a payer does: the link sets a cookie and redirects.
fn open_receipt(client: &mut Client, reference: &str) -> Done {
    let link = succeeded(client.send("GET", &format!("/r/{reference}"), &[], "")?, 303)?;
    let cookie = format!("cookie: {}", link.cookie);
    succeeded(client.send("GET", &link.location, &[&cookie], "")?, 200).map(drop)
}

fn succeeded(response: Response, status: u16) -> Done<Response> {
    if response.status == status {
        Ok(response)
    } else {
        Err(format!("the status is {} instead of {status}: {}", response.status, response.body).into())
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sale_is_complete_with_both_webhooks_and_a_pdf() {
        let inbox = Inbox { sink: Sink::open(Arc::new(|_| {})).unwrap(), deliveries: Arc::default() };
        let paid = r#"{"id":"event_1","type":"payment.succeeded","data":{"object":{"id":"payment_1"}}}"#;
        let issued = r#"{"type":"fiscal_document.issued","data":{"object":{"paymentId":"payment_1","artifacts":{"printedRepresentation":{"sha256":"d4"}}}}}"#;
        let deliver = |body: &str| {
            let (payment, place) = sort(body).unwrap();
            inbox.deliveries.lock().unwrap().entry(payment.to_owned()).or_default().add(place);
            inbox.completed_at("payment_1").is_some()
        };

        assert_eq!((deliver(paid), deliver(paid), deliver(issued)), (false, false, true));
        assert!(sort(&issued.replace(r#"{"sha256":"d4"}"#, "null")).is_none());
        assert_eq!((inbox.clear(), inbox.clear()), (1, 0));
    }
}
