//! Request bodies of AZUL's JSON services: flat objects of texts.

use bytes::Bytes;
use chrono::NaiveDate;
use domain::{AttemptId, Card, Money, Symbols};
use ports::{CardToken, Charge, Instrument, NotSubmitted};
use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

use crate::{AzulAccount, amount, three_ds::ThreeDs};

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
        match self {
            Self::Sale | Self::Hold | Self::Refund => None,
            Self::Post => Some("ProcessPost"),
            Self::Void => Some("ProcessVoid"),
            Self::ThreeDsMethod => Some("processthreedsmethod"),
            Self::ThreeDsChallenge => Some("processthreedschallenge"),
            Self::Verify => Some("VerifyPayment"),
            Self::Search => Some("SearchPayments"),
            Self::Vault => Some("ProcessDatavault"),
        }
    }

    /// Whether a retry is safe, because the operation moves no money. The vault only deletes cards.
    pub(crate) const fn is_repeatable(self) -> bool {
        matches!(self, Self::Verify | Self::Search | Self::Vault)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Sale => "Sale",
            Self::Hold => "Hold",
            Self::Refund => "Refund",
            Self::Post => "Post",
            Self::Void => "Void",
            Self::ThreeDsMethod => "ThreeDSMethod",
            Self::ThreeDsChallenge => "ThreeDSChallenge",
            Self::Verify => "VerifyPayment",
            Self::Search => "SearchPayments",
            Self::Vault => "Datavault",
        }
    }
}

/// A truth value, `1` or `0` at AZUL.
struct Flag(bool);

impl Serialize for Flag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if self.0 { "1" } else { "0" })
    }
}

/// A request: the merchant's codes, then the fields of the operation.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'a, T> {
    channel: &'a str,
    store: &'a str,
    #[serde(flatten)]
    fields: &'a T,
}

/// Fields of a purchase that identify the card. Unused fields are present and empty: without an empty `Expiration`,
/// 3-D Secure fails for a stored card.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
struct CardFields<'a> {
    card_number: &'a str,
    #[serde(serialize_with = "text")]
    expiration: Zeroizing<String>,
    #[serde(rename = "CVC")]
    security_code: &'a str,
    data_vault_token: &'a str,
}

impl<'a> CardFields<'a> {
    fn entered(card: &'a Card) -> Self {
        let (month, year) = card.expiration();
        Self {
            card_number: card.expose_number(),
            expiration: Zeroizing::new(format!("{year:04}{month:02}")),
            security_code: card.expose_security_code(),
            data_vault_token: "",
        }
    }

    fn stored(token: &'a CardToken) -> Self {
        Self { data_vault_token: token.expose(), ..Self::default() }
    }
}

/// Initiator of a purchase. AZUL requires exactly one of the two fields.
#[derive(Serialize)]
enum Initiator {
    #[serde(rename = "cardholderInitiatedIndicator")]
    Cardholder(Agreement),
    #[serde(rename = "merchantInitiatedIndicator")]
    Merchant(Agreement),
}

/// Agreement with the cardholder under which a card is charged.
#[derive(Serialize)]
enum Agreement {
    #[serde(rename = "1")]
    SinglePurchase,
    /// The card is stored for later charges, or charged from there.
    #[serde(rename = "STANDING_ORDER")]
    StandingOrder,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Purchase<'a> {
    #[serde(flatten)]
    card: CardFields<'a>,
    pos_input_mode: &'a str,
    trx_type: &'a str,
    amount: String,
    itbis: String,
    currency_pos_code: &'a str,
    payments: &'a str,
    plan: &'a str,
    acquirer_ref_data: &'a str,
    order_number: String,
    customer_service_phone: &'a str,
    #[serde(rename = "ECommerceUrl")]
    shop: &'a str,
    custom_order_id: &'a str,
    save_to_data_vault: Flag,
    #[serde(rename = "ForceNo3DS")]
    force_no_3ds: Flag,
    alt_merchant_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_holder_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_holder_email: Option<&'a str>,
    #[serde(flatten)]
    initiator: Initiator,
    #[serde(flatten)]
    three_ds: Option<ThreeDs<'a>>,
}

/// Fields of the requests about an earlier transaction; each operation sends some of them.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
struct FollowUp<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    azul_order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trx_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    itbis: Option<String>,
    #[serde(flatten)]
    refund: Option<Refund<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method_notification_status: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    c_res: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_vault_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_to: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Refund<'a> {
    pos_input_mode: &'a str,
    currency_pos_code: &'a str,
    acquirer_ref_data: &'a str,
    order_number: String,
    original_date: String,
}

/// Returns the body of a sale or a hold.
///
/// The charge is consumed: afterwards the card number exists only in the body, which is wiped when it is dropped.
pub(crate) fn purchase(account: &AzulAccount, operation: Operation, charge: Charge) -> Result<Bytes, Inexpressible> {
    let (fields, card) = match &charge.instrument {
        Instrument::Card(card) => (CardFields::entered(card), Some(card)),
        Instrument::StoredCard(token) => (CardFields::stored(token), None),
        Instrument::Wallet(_) => return Err(Inexpressible),
    };
    let email = charge.email.as_ref().map(|it| it.as_str()).filter(|it| it.len() <= EMAIL);
    let holder = card.and_then(Card::holder_name);
    // Stored cards are charged while the cardholder is absent.
    let authentication = charge.authentication.as_ref().filter(|_| account.has_3ds && card.is_some());
    let three_ds = authentication.map(|it| ThreeDs::new(it, holder, email));
    let is_saved = charge.stores_card && account.has_vault && card.is_some();
    let initiator = match (card, is_saved) {
        (None, _) => Initiator::Merchant(Agreement::StandingOrder),
        (Some(_), true) => Initiator::Cardholder(Agreement::StandingOrder),
        (Some(_), false) => Initiator::Cardholder(Agreement::SinglePurchase),
    };
    body(
        account,
        &Purchase {
            card: fields,
            pos_input_mode: E_COMMERCE,
            trx_type: operation.as_str(),
            amount: amount::total(charge.amount).ok_or(Inexpressible)?,
            itbis: amount::tax(charge.itbis).ok_or(Inexpressible)?,
            currency_pos_code: PESOS,
            payments: "1",
            plan: "0",
            acquirer_ref_data: "1",
            order_number: order_number(&charge.attempt.attempt),
            customer_service_phone: &account.phone,
            shop: &account.shop,
            custom_order_id: charge.attempt.attempt.as_str(),
            save_to_data_vault: Flag(is_saved),
            force_no_3ds: Flag(three_ds.is_none()),
            alt_merchant_name: statement_name(&charge.statement_descriptor),
            card_holder_name: holder,
            card_holder_email: email,
            initiator,
            three_ds,
        },
    )
}

/// Returns the body that deletes a card from the vault.
pub(crate) fn delete_card(account: &AzulAccount, card: &CardToken) -> Result<Bytes, Inexpressible> {
    let data_vault_token = Some(card.expose());
    body(account, &FollowUp { trx_type: Some("DELETE"), data_vault_token, ..FollowUp::default() })
}

/// Returns the body of a refund of a sale on `day`. The refund has an order id of its own: under the sale's order id,
/// look-ups of the sale would find the refund.
pub(crate) fn refund(
    account: &AzulAccount,
    order: &str,
    attempt: &AttemptId,
    (total, itbis): (Money, Money),
    day: NaiveDate,
) -> Result<Bytes, Inexpressible> {
    let refund = Refund {
        pos_input_mode: E_COMMERCE,
        currency_pos_code: PESOS,
        acquirer_ref_data: "",
        order_number: order_number(attempt),
        original_date: day.format("%Y%m%d").to_string(),
    };
    let fields = FollowUp {
        azul_order_id: Some(order),
        trx_type: Some(Operation::Refund.as_str()),
        amount: Some(amount::total(total).ok_or(Inexpressible)?),
        itbis: Some(amount::tax(itbis).ok_or(Inexpressible)?),
        refund: Some(refund),
        custom_order_id: Some(&refund_id(attempt)),
        ..FollowUp::default()
    };
    body(account, &fields)
}

/// Returns the body that captures a hold.
pub(crate) fn post(account: &AzulAccount, order: &str, total: Money, itbis: Money) -> Result<Bytes, Inexpressible> {
    let amount = Some(amount::total(total).ok_or(Inexpressible)?);
    let itbis = Some(amount::tax(itbis).ok_or(Inexpressible)?);
    body(account, &FollowUp { azul_order_id: Some(order), amount, itbis, ..FollowUp::default() })
}

/// Returns the body that releases a hold or voids a recent sale.
pub(crate) fn void(account: &AzulAccount, order: &str) -> Result<Bytes, Inexpressible> {
    body(account, &FollowUp { azul_order_id: Some(order), ..FollowUp::default() })
}

/// Returns the body of a look-up by one of our order ids.
pub(crate) fn verify(account: &AzulAccount, custom_order_id: &str) -> Result<Bytes, Inexpressible> {
    body(account, &FollowUp { custom_order_id: Some(custom_order_id), ..FollowUp::default() })
}

/// Returns the body that lists all transactions of a day.
pub(crate) fn search(account: &AzulAccount, day: NaiveDate) -> Result<Bytes, Inexpressible> {
    let day = Some(day.format("%Y-%m-%d").to_string());
    body(account, &FollowUp { date_from: day.clone(), date_to: day, ..FollowUp::default() })
}

/// Returns the body that continues after the 3-D Secure method: the issuer had time to examine the browser.
pub(crate) fn method_completed(account: &AzulAccount, order: &str, is_notified: bool) -> Result<Bytes, Inexpressible> {
    let method_notification_status = Some(if is_notified { "RECEIVED" } else { "EXPECTED_BUT_NOT_RECEIVED" });
    body(account, &FollowUp { azul_order_id: Some(order), method_notification_status, ..FollowUp::default() })
}

/// Returns the body that continues after the 3-D Secure challenge, with the issuer's result (`CRes`).
pub(crate) fn challenge_completed(account: &AzulAccount, order: &str, result: &str) -> Result<Bytes, Inexpressible> {
    body(account, &FollowUp { azul_order_id: Some(order), c_res: Some(result), ..FollowUp::default() })
}

/// Returns the order id of the refund of an attempt.
pub(crate) fn refund_id(attempt: &AttemptId) -> String {
    format!("{}.r", attempt.as_str())
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

fn text<S: Serializer>(text: &Zeroizing<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// Serializes a request into bytes that are wiped when they are dropped.
fn body(account: &AzulAccount, fields: &impl Serialize) -> Result<Bytes, Inexpressible> {
    let request = Request { channel: &account.channel, store: &account.store, fields };
    // The capacity is sufficient from the start: growth would leave a copy of a card number in freed memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * 1024));
    serde_json::to_writer(&mut *bytes, &request).map_err(|_| Inexpressible)?;
    Ok(Bytes::from_owner(bytes))
}

#[cfg(test)]
mod tests;
