//! A client that retries a command until a response arrives, as the API documentation requires.

use std::sync::Arc;

use app::{
    AttributeRefund, Caller, CorrectNote, CreatePayment, CreateRefund, Error, IdempotentRequest, KeyLeaseHandle, Ports,
    Rendered, Response, SubmitCard,
};
use chrono::{DateTime, Utc};
use domain::{
    Card, Conflict, Payment, PaymentId, RefundId, RequestId,
    credential::{CheckoutToken, MerchantKey, Scope},
    fiscal::{FiscalLine, MeasurementUnit, Quantity, TaxTreatment},
    refund::{RefundDraft, RefundReason, RefundRecord, RefundSelection},
    refusal::Refused,
    sale::{AmountDraft, Sale, SaleDraft},
    split::SplitDraft,
    text::BoundedText,
};
use testkit::sample;
use zeroize::Zeroizing;

use crate::{
    figures::total_of,
    node::Node,
    world::{PROCESSES, World},
};

/// A client's command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Create(u32),
    Pay(PaymentId, Option<u8>),
    Cancel(PaymentId),
    Split(PaymentId, u8),
    Capture(PaymentId),
    Release(PaymentId),
    Renew(PaymentId),
    Tip(PaymentId),
    Refund(PaymentId, Box<RefundDraft>, Option<RefundId>),
    Attribute(RefundId, RefundSelection),
    Correct(RefundId),
}

/// Outcome of a command for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this body.
    Answered(Vec<u8>),
    /// The command was refused without effect.
    Refused,
    /// The client never learned.
    GivenUp,
}

/// Timeout of a client in milliseconds.
const TIMEOUT: u64 = 30_000;

impl World {
    /// Sends a command with retries under the same key until a response arrives.
    pub(crate) async fn command(self: &Arc<Self>, key: &str, command: Command) -> Ended {
        for _ in 0..8 {
            match self.send(key, &command).await {
                Some(Ok(answer)) => {
                    let body = answer.rendered.body;
                    self.remember(key, &body);
                    if self.below(3) == 2 {
                        self.send_again(key, &command).await;
                    }
                    return Ended::Answered(body);
                }
                Some(Err(error)) if is_final(&error) => return Ended::Refused,
                Some(Err(_)) | None => self.executor.pause(u64::from(self.below(20_000)) + 1_000).await,
            }
        }
        Ended::GivenUp
    }

    /// Response to one request, if there was one.
    async fn send(self: &Arc<Self>, key: &str, command: &Command) -> Option<Result<Response, Error>> {
        let process = PROCESSES[self.below(3) as usize];
        if !self.is_up(process) {
            return None;
        }
        let since = matches!(command, Command::Refund(..)).then(|| self.now());
        let node = Node { since, ..Node::new(self.clone(), process) };
        let request = RequestId::new(&sample::symbols(self.fresh()));
        let fingerprint_input = format!("{command:?}").into_bytes();
        let keyed = IdempotentRequest {
            id: request,
            key: key.to_owned(),
            fingerprint_input,
            if_match: None,
            lease: KeyLeaseHandle::default(),
        };
        let has_refunds = self.tables.lock().has_refunds;
        let (task, reply) = self.serve(process, execute(node.ports(), keyed, command.clone(), has_refunds));
        if self.has_fault(|it| it.abort) {
            self.executor.pause(self.below(400).into()).await;
            self.executor.abort(task);
            return None;
        }
        reply.read(&self.executor, TIMEOUT).await
    }

    /// Checks that a further request with the key returns the same response, byte for byte.
    async fn send_again(self: &Arc<Self>, key: &str, command: &Command) {
        self.executor.pause(self.below(100_000).into()).await;
        if let Some(Ok(answer)) = self.send(key, command).await {
            self.remember(key, &answer.rendered.body);
        }
    }

    fn remember(&self, key: &str, body: &[u8]) {
        let mut responses = self.responses.lock();
        let first = responses.entry(key.to_owned()).or_insert_with(|| body.to_vec()).clone();
        if first != body {
            let [first, then] = [&first, body].map(|it| String::from_utf8_lossy(it).into_owned());
            self.find(Some(format!("I2: under {key} first {first:?}, then {then:?}")));
        }
    }
}

/// Whether asking again under the same key makes no sense.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Refusal(it) => it.code != Refused::Conflict(Conflict::IdempotencyRequestInProgress),
        Error::Provider(_)
        | Error::Unavailable(_)
        | Error::Internal(_)
        | Error::Dependency(..)
        | Error::Artifact(_)
        | Error::RateLimit(..) => false,
        Error::Authentication(_) | Error::Permission(..) | Error::NotFound(..) | Error::Gone(_) => true,
    }
}

async fn execute(
    ports: Ports,
    keyed: IdempotentRequest,
    command: Command,
    has_refunds: bool,
) -> Result<Response, Error> {
    let key = MerchantKey { may_refund: true, ..sample::merchant_key(1) };
    let merchant = Caller::Merchant { key, is_live_enabled: false };
    match command {
        Command::Create(n) => {
            let draft = if has_refunds { bill(n) } else { sample::draft() };
            let draft = SaleDraft { sale_reference: reference(n), ..draft };
            let command = CreatePayment { draft, account: None, provider: None };
            app::create_payment(&ports, &merchant, &keyed, command, &render).await
        }
        Command::Pay(payment, part_ordinal) => {
            let payer = payer(&payment);
            let command = SubmitCard {
                payment: payment.as_str().to_owned(),
                instrument: card().into(),
                part_ordinal,
                expected_amount: None,
                browser: sample::browser(),
                challenge_base_url: "https://pay.example/c/".to_owned(),
            };
            app::submit_card(&ports, &payer, &keyed, command, &render).await
        }
        Command::Cancel(it) => app::cancel_payment(&ports, &merchant, &keyed, it.as_str(), &render).await,
        Command::Split(it, part_count) => {
            let draft = SplitDraft::Equal { part_count: i64::from(part_count) };
            app::open_split(&ports, &merchant, &keyed, it.as_str(), draft, &render).await
        }
        Command::Capture(it) => app::capture_split(&ports, &merchant, &keyed, it.as_str(), &render).await,
        Command::Release(it) => app::release_split(&ports, &merchant, &keyed, it.as_str(), &render).await,
        Command::Renew(it) => app::renew_split(&ports, &merchant, &keyed, it.as_str(), &render).await,
        Command::Tip(it) => {
            let tip = AmountDraft { currency: "DOP".to_owned(), minor_units: TIP };
            app::set_voluntary_tip(&ports, &payer(&it), &keyed, it.as_str(), tip, &render).await
        }
        refund => return_money(&ports, &merchant, &keyed, refund).await,
    }
}

async fn return_money(
    ports: &Ports,
    merchant: &Caller,
    keyed: &IdempotentRequest,
    command: Command,
) -> Result<Response, Error> {
    match command {
        Command::Refund(payment, draft, retried) => {
            let command = CreateRefund {
                payment,
                draft: *draft,
                retried: retried.map(|refund| refund.as_str().to_owned()),
                purpose: RefundReason::Returned.into(),
                refund_reference: None,
                settlement_reference: None,
                metadata: None,
            };
            app::create_refund(ports, merchant, keyed, command, &render_refund).await
        }
        Command::Attribute(refund, selection) => {
            let command = AttributeRefund {
                refund,
                selection,
                purpose: RefundReason::Other.into(),
                acknowledges_itbis_loss: false,
            };
            app::attribute_refund(ports, merchant, keyed, command, &render_refund).await
        }
        Command::Correct(refund) => {
            let command = CorrectNote { refund: refund.as_str().to_owned(), description: None };
            app::correct_credit_note(ports, merchant, keyed, command, &render_refund).await
        }
        _ => unreachable!("the other commands are about sales"),
    }
}

/// Voluntary tip of a payer, in minor units.
const TIP: i64 = 50_00;

/// Returns the bill of the `n`th sale of a world with refunds.
fn bill(n: u32) -> SaleDraft {
    let (lines, mut draft) = (lines(n), sample::draft());
    draft.amount.minor_units = total_of(&lines);
    draft.document.lines = lines;
    draft
}

/// Renders a refund with its status and version.
fn render_refund(_: &Payment, RefundRecord { refund, note }: &RefundRecord) -> Rendered {
    let (id, status) = (&refund.facts.id, refund.status().as_str());
    let version = app::refund_version(refund, note.as_ref());
    Rendered { status: 201, etag: None, body: format!("{id} {status} {version}").into_bytes() }
}

pub(crate) fn reference(n: u32) -> BoundedText<1, 128> {
    BoundedText::parse(&format!("sale-{n}")).expect("a line")
}

fn payer(payment: &PaymentId) -> Caller {
    Caller::Holder(CheckoutToken {
        digest: sample::digest(1),
        merchant: sample::merchant_id(1),
        mode: sample::tenant().mode,
        payment: payment.clone(),
        scope: Scope::Pay,
        expires_at: sample::noon() + chrono::TimeDelta::days(9),
        session: None,
    })
}

fn card() -> Card {
    let [number, code] = ["4222220000000008", "123"].map(|it| Zeroizing::new(it.to_owned()));
    Card::new(number, code, 12, 2035, None).expect("a card that passes its check")
}

/// Renders the sale with status and version, so that different sales differ.
fn render(sale: &Sale, _: DateTime<Utc>) -> Rendered {
    let payment = &sale.payment;
    let body = format!("{} {} {}", payment.facts.id, payment.status().as_str(), payment.version());
    Rendered { status: 200, etag: None, body: body.into_bytes() }
}

/// Returns the lines of a bill with several treatments, and prices whose ITBIS and tip are rounded.
fn lines(n: u32) -> Vec<FiscalLine> {
    let line = |number: u32, quantity: &str, price: i64, tax_treatment: TaxTreatment, has_tip: bool| FiscalLine {
        source_line_id: BoundedText::parse(&format!("line-{number}")).expect("a line"),
        quantity: Quantity::parse(quantity).expect("a quantity"),
        measurement_unit: if quantity.contains('.') { MeasurementUnit::Kilogram } else { MeasurementUnit::Unit },
        tax_treatment,
        is_legal_tip_applicable: has_tip,
        ..sample::line(price)
    };
    let mut lines = vec![line(1, "3", 333_33, TaxTreatment::Itbis18, true)];
    if n % 2 == 1 {
        lines.push(line(2, "1.5", 99_99, TaxTreatment::Itbis16, false));
        lines.push(line(3, "2", 41_07, TaxTreatment::Exempt, true));
    }
    if n % 3 == 2 {
        lines.push(line(4, "7", 12_35, TaxTreatment::Itbis18, true));
    }
    lines
}
