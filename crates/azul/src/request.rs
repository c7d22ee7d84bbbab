//! Request bodies of AZUL's JSON services: flat objects of texts.

use bytes::Bytes;
use chrono::NaiveDate;
use domain::{AttemptId, Card, Money, Symbols};
use ports::{CardToken, Charge, Instrument, NotSubmitted};
use serde::{Serialize, Serializer, ser::SerializeMap};
use zeroize::Zeroizing;

use crate::{AzulAccount, amount, texts::Texts, three_ds};

/// Maximum length of an e-mail address at AZUL.
const EMAIL: usize = 254;
/// Input mode of every purchase and refund.
const E_COMMERCE: &str = "E-Commerce";
/// AZUL's code for Dominican pesos.
const PESOS: &str = "$";

/// A request that AZUL's API cannot express: an amount in dollars or of zero, or a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inexpressible;

impl From<Inexpressible> for NotSubmitted {
    fn from(_: Inexpressible) -> Self {
        Self::Rejected
    }
}

/// Operation of the API. The query of the URL selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Sale,
    Hold,
    Refund,
    Post,
    Void,
    ThreeDsMethod,
    ThreeDsChallenge,
    Verify,
    Search,
    Vault,
}

impl Operation {
    /// Returns the query of the URL: a flag without a value. Purchases and refunds have none.
    pub(crate) const fn flag(self) -> Option<&'static str> {
        self.names().1
    }

    pub(crate) const fn as_str(self) -> &'static str {
        self.names().0
    }

    const fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Sale => ("Sale", None),
            Self::Hold => ("Hold", None),
            Self::Refund => ("Refund", None),
            Self::Post => ("Post", Some("ProcessPost")),
            Self::Void => ("Void", Some("ProcessVoid")),
            Self::ThreeDsMethod => ("ThreeDSMethod", Some("processthreedsmethod")),
            Self::ThreeDsChallenge => ("ThreeDSChallenge", Some("processthreedschallenge")),
            Self::Verify => ("VerifyPayment", Some("VerifyPayment")),
            Self::Search => ("SearchPayments", Some("SearchPayments")),
            Self::Vault => ("Datavault", Some("ProcessDatavault")),
        }
    }

    /// Whether a retry is safe, because the operation moves no money. The vault only deletes cards.
    pub(crate) const fn is_repeatable(self) -> bool {
        matches!(self, Self::Verify | Self::Search | Self::Vault)
    }
}

/// Agreement with the cardholder under which a card is stored for later charges, or charged from there.
const STANDING_ORDER: &str = "STANDING_ORDER";

/// A request: the merchant's codes, the fields of the operation, and the objects of 3-D Secure.
struct Request<'a> {
    account: &'a AzulAccount,
    fields: Texts<'a>,
    three_ds: Vec<(&'static str, Texts<'a>)>,
}

impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut request = serializer.serialize_map(None)?;
        request.serialize_entry("Channel", &self.account.channel)?;
        request.serialize_entry("Store", &self.account.store)?;
        self.fields.iter().try_for_each(|(name, text)| request.serialize_entry(name, text))?;
        self.three_ds.iter().try_for_each(|(name, texts)| request.serialize_entry(name, texts))?;
        request.end()
    }
}

/// Returns the body of a sale or a hold.
///
/// The charge is consumed: afterwards the card number exists only in the body, which is wiped when it is dropped.
pub(crate) fn purchase(account: &AzulAccount, operation: Operation, charge: Charge) -> Result<Bytes, Inexpressible> {
    let (card, token) = match &charge.instrument {
        Instrument::Card(card) => (Some(card), ""),
        Instrument::StoredCard(token) => (None, token.expose()),
        Instrument::Wallet(_) => return Err(Inexpressible),
    };
    let expiration = card.map(Card::expiration).map(|(month, year)| Zeroizing::new(format!("{year:04}{month:02}")));
    let email = charge.email.as_ref().map(|it| it.as_str()).filter(|it| it.len() <= EMAIL);
    let holder = card.and_then(Card::holder_name);
    // Stored cards are charged while the cardholder is absent.
    let authentication = charge.authentication.as_ref().filter(|_| account.has_3ds && card.is_some());
    let is_saved = charge.stores_card && account.has_vault && card.is_some();
    // AZUL requires exactly one of the two fields about the initiator.
    let (initiator, agreement) = match (card, is_saved) {
        (None, _) => ("merchantInitiatedIndicator", STANDING_ORDER),
        (Some(_), true) => ("cardholderInitiatedIndicator", STANDING_ORDER),
        (Some(_), false) => ("cardholderInitiatedIndicator", "1"),
    };
    // Unused fields of the card are present and empty: without an empty `Expiration`, 3-D Secure fails for a stored card.
    let fields = Texts::default()
        .and("CardNumber", card.map_or("", Card::expose_number))
        .and("Expiration", expiration.as_ref().map_or("", |it| it.as_str()))
        .and("CVC", card.map_or("", Card::expose_security_code))
        .and("DataVaultToken", token)
        .and("PosInputMode", E_COMMERCE)
        .and("TrxType", operation.as_str())
        .and("Amount", amount::total(charge.amount).ok_or(Inexpressible)?)
        .and("Itbis", amount::tax(charge.itbis).ok_or(Inexpressible)?)
        .and("CurrencyPosCode", PESOS)
        .and("Payments", "1")
        .and("Plan", "0")
        .and("AcquirerRefData", "1")
        .and("OrderNumber", order_number(&charge.attempt.attempt))
        .and("CustomerServicePhone", &account.phone)
        .and("ECommerceUrl", &account.shop)
        .and("CustomOrderId", charge.attempt.attempt.as_str())
        .and("SaveToDataVault", flag(is_saved))
        .and("ForceNo3DS", flag(authentication.is_none()))
        .and("AltMerchantName", statement_name(&charge.statement_descriptor))
        .and_if("CardHolderName", holder)
        .and_if("CardHolderEmail", email)
        .and(initiator, agreement);
    let three_ds = authentication.map(|it| three_ds::objects(it, holder, email)).unwrap_or_default();
    serialize(&Request { account, fields, three_ds })
}

/// Returns the body that deletes a card from the vault.
pub(crate) fn delete_card(account: &AzulAccount, card: &CardToken) -> Result<Bytes, Inexpressible> {
    body(account, Texts::default().and("TrxType", "DELETE").and("DataVaultToken", card.expose()))
}

/// Returns the body of a refund of a charge on `day`, with an order id of the refund's own: under the charge's order id,
/// look-ups of the charge would find the refund.
pub(crate) fn refund(
    account: &AzulAccount,
    order: &str,
    (attempt, custom_order_id): (&AttemptId, &str),
    (total, itbis): (Money, Money),
    day: NaiveDate,
) -> Result<Bytes, Inexpressible> {
    let fields = about(order)
        .and("TrxType", Operation::Refund.as_str())
        .and("Amount", amount::total(total).ok_or(Inexpressible)?)
        .and("Itbis", amount::tax(itbis).ok_or(Inexpressible)?)
        .and("PosInputMode", E_COMMERCE)
        .and("CurrencyPosCode", PESOS)
        .and("AcquirerRefData", "")
        .and("OrderNumber", order_number(attempt))
        .and("OriginalDate", day.format("%Y%m%d").to_string())
        .and("CustomOrderId", custom_order_id);
    body(account, fields)
}

/// Returns the body that captures a hold.
pub(crate) fn post(account: &AzulAccount, order: &str, total: Money, itbis: Money) -> Result<Bytes, Inexpressible> {
    let fields = about(order).and("Amount", amount::total(total).ok_or(Inexpressible)?);
    body(account, fields.and("Itbis", amount::tax(itbis).ok_or(Inexpressible)?))
}

/// Returns the body that releases a hold or voids a recent sale.
pub(crate) fn void(account: &AzulAccount, order: &str) -> Result<Bytes, Inexpressible> {
    body(account, about(order))
}

/// Returns the body of a look-up by one of our order ids.
pub(crate) fn verify(account: &AzulAccount, custom_order_id: &str) -> Result<Bytes, Inexpressible> {
    body(account, Texts::default().and("CustomOrderId", custom_order_id))
}

/// Returns the body that lists all transactions of a day.
pub(crate) fn search(account: &AzulAccount, day: NaiveDate) -> Result<Bytes, Inexpressible> {
    let day = day.format("%Y-%m-%d").to_string();
    body(account, Texts::default().and("DateFrom", &day).and("DateTo", &day))
}

/// Returns the body that continues after the 3-D Secure method: the issuer had time to examine the browser.
pub(crate) fn method_completed(account: &AzulAccount, order: &str, is_notified: bool) -> Result<Bytes, Inexpressible> {
    let status = if is_notified { "RECEIVED" } else { "EXPECTED_BUT_NOT_RECEIVED" };
    body(account, about(order).and("MethodNotificationStatus", status))
}

/// Returns the body that continues after the 3-D Secure challenge, with the issuer's result (`CRes`).
pub(crate) fn challenge_completed(account: &AzulAccount, order: &str, result: &str) -> Result<Bytes, Inexpressible> {
    body(account, about(order).and("CRes", result))
}

/// Returns the field of a request about the transaction with AZUL's order id.
fn about(order: &str) -> Texts<'_> {
    Texts::default().and("AzulOrderId", order)
}

/// Returns AZUL's truth value.
const fn flag(is_set: bool) -> &'static str {
    if is_set { "1" } else { "0" }
}

/// Ending of the order id of a refund that reverses an attempt.
pub(crate) const REVERSAL: &str = ".r";

/// Returns the order id of a refund that reverses an attempt.
pub(crate) fn refund_id(attempt: &AttemptId) -> String {
    format!("{}{REVERSAL}", attempt.as_str())
}

/// Returns AZUL's mandatory `OrderNumber`, at most 15 digits: the last ten symbols of the attempt id as a number. AZUL
/// only displays this number in the portal.
pub fn order_number(attempt: &AttemptId) -> String {
    let value = |symbol: u8| Symbols::ALPHABET.iter().position(|it| *it == symbol).unwrap_or_default();
    let symbols = attempt.as_str().as_bytes();
    let last = symbols.iter().skip(symbols.len().saturating_sub(10));
    let number = last.fold(0_u64, |number, &symbol| (number << 5) | u64::try_from(value(symbol)).unwrap_or_default());
    format!("{}", number % 1_000_000_000_000_000)
}

/// Returns the endings of attempt ids that have this order number: at most two, none if the text is not an order number.
pub fn attempt_endings(order_number: &str) -> Vec<String> {
    let is_number = (1..=15).contains(&order_number.len()) && order_number.bytes().all(|it| it.is_ascii_digit());
    let number: u64 = order_number.parse().ok().filter(|_| is_number).unwrap_or(u64::MAX);
    let ending = |number: u64| {
        let symbol = |at: u32| Symbols::ALPHABET.get(((number >> (5 * at)) & 31) as usize).copied().map(char::from);
        (0..10).rev().filter_map(symbol).collect::<String>()
    };
    let candidates = [Some(number), number.checked_add(1_000_000_000_000_000)];
    candidates.into_iter().flatten().filter(|it| *it < 1 << 50).map(ending).collect()
}

/// Returns the text of the card statement: at most 25 characters, without quotes and backslashes, which AZUL refuses.
fn statement_name(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, '"' | '\\' | '\'')).take(25).collect()
}

fn body(account: &AzulAccount, fields: Texts<'_>) -> Result<Bytes, Inexpressible> {
    serialize(&Request { account, fields, three_ds: Vec::new() })
}

/// Serializes a request into bytes that are wiped when they are dropped.
fn serialize(request: &Request<'_>) -> Result<Bytes, Inexpressible> {
    // The capacity is sufficient from the start: growth would leave a copy of a card number in freed memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * 1024));
    serde_json::to_writer(&mut *bytes, request).map_err(|_| Inexpressible)?;
    Ok(Bytes::from_owner(bytes))
}

#[cfg(test)]
mod tests;
