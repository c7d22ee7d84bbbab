//! Parsers of option values.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::{
    AnnulmentId, Currency, EventId, FiscalDocumentId, MerchantAccountId, MerchantId, Mode, PaymentId, RefundId,
    account::Provider,
    credential::Role,
    fiscal::{DocumentKind, Environment, ExchangeRate, TaxId},
    payment::PaymentStatus,
    text::{BoundedText, Email},
};

/// Declares parsers, each with the message about any other text.
macro_rules! parsers {
    ($($name:ident: $type:ty = $parse:expr, $message:literal;)+) => { $(
        pub(super) fn $name(text: &str) -> Result<$type, &'static str> {
            $parse(text).ok_or($message)
        }
    )+ };
}

parsers! {
    account: MerchantAccountId = MerchantAccountId::parse, "merchant_account_ and its symbols are expected";
    annulment: AnnulmentId = AnnulmentId::parse, "annulment_ and its symbols are expected";
    currency: Currency = foreign_currency, "USD is expected";
    day: NaiveDate = iso_day, "a day is expected, as in 2026-11-27";
    document: FiscalDocumentId = FiscalDocumentId::parse, "fiscal_document_ and its symbols are expected";
    email: Email = Email::recipient, "an e-mail address is expected";
    environment: Environment = Environment::from_code, "testecf, certecf or ecf is expected";
    event: EventId = EventId::parse, "event_ and its symbols are expected";
    kind: DocumentKind = DocumentKind::from_code, "consumer, fiscal_credit, government or credit_note is expected";
    merchant: MerchantId = MerchantId::parse, "merchant_ and its symbols are expected";
    mode: Mode = Mode::from_code, "test or live is expected";
    payment: PaymentId = PaymentId::parse, "payment_ and its symbols are expected";
    provider: Provider = Provider::from_code, "simulator or azul is expected";
    ratio: u32 = ExchangeRate::read_ratio, "1.0000 to 999.9999 is expected, with at most four decimals";
    refund: RefundId = RefundId::parse, "refund_ and its symbols are expected";
    role: Role = Role::from_code, "standard or admin is expected";
    span: TimeDelta = seconds, "a number and s, m, h or d are expected, as in 24h";
    status: PaymentStatus = PaymentStatus::from_code, "a payment status is expected, such as succeeded";
}

fn foreign_currency(text: &str) -> Option<Currency> {
    Currency::from_code(text).filter(|currency| *currency != Currency::Dop)
}

fn iso_day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

fn seconds(text: &str) -> Option<TimeDelta> {
    let units = [('s', 1), ('m', 60), ('h', 3600), ('d', 86400)];
    let seconds = units.into_iter().find_map(|(unit, seconds)| {
        let many: u32 = text.strip_suffix(unit)?.parse().ok()?;
        i64::from(many).checked_mul(seconds)
    });
    seconds.and_then(TimeDelta::try_seconds)
}

pub(super) fn moment(text: &str) -> Result<DateTime<Utc>, &'static str> {
    text.parse().map_err(|_| "a moment is expected, as in 2026-11-27T12:00:00Z")
}

pub(super) fn line<const MAX: usize>(text: &str) -> Result<BoundedText<1, MAX>, String> {
    BoundedText::parse(text).ok_or_else(|| format!("one line of 1 to {MAX} characters is expected"))
}

pub(super) fn rnc(text: &str) -> Result<TaxId, &'static str> {
    let digits = text.bytes().filter(|it| !matches!(it, b' ' | b'-'));
    let is_number = digits.clone().all(|it| it.is_ascii_digit());
    match (TaxId::parse(text), is_number, digits.count()) {
        (Ok(tax_id), ..) if tax_id.is_rnc() => Ok(tax_id),
        (_, true, 9) => Err("the last digit of an RNC checks the others, and this one does not: one is mistyped"),
        (_, true, 11) => Err("a cédula is no RNC: documents are issued under the nine digits of an RNC alone"),
        _ => Err("the nine digits of an RNC are expected"),
    }
}
