//! Requests as AZUL reads them: flat objects of texts.

use bytes::Bytes;
use chrono::NaiveDate;
use domain::{AttemptId, Money, Symbols};
use ports::{CardToken, Charge, Instrument};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::{AzulAccount, amount, secure::Secure};

/// AZUL takes no longer addresses for mail.
const EMAIL: usize = 254;

/// What is asked of AZUL; which it is stands in the address.
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
    /// The query of the address. A flag has no value, and purchases have no flag.
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

    /// Whether it moves no money, so that it may be repeated: of the vault only cards are taken out.
    pub(crate) const fn only_reads(self) -> bool {
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

/// AZUL's codes for the merchant, with which each request begins.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Merchant<'a> {
    channel: &'a str,
    store: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Purchase<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    card_number: &'a str,
    expiration: &'a str,
    #[serde(rename = "CVC")]
    security_code: &'a str,
    pos_input_mode: &'a str,
    trx_type: &'a str,
    amount: &'a str,
    itbis: &'a str,
    currency_pos_code: &'a str,
    payments: &'a str,
    plan: &'a str,
    acquirer_ref_data: &'a str,
    order_number: &'a str,
    customer_service_phone: &'a str,
    #[serde(rename = "ECommerceUrl")]
    shop: &'a str,
    custom_order_id: &'a str,
    data_vault_token: &'a str,
    save_to_data_vault: &'a str,
    #[serde(rename = "ForceNo3DS")]
    force_no_3ds: &'a str,
    alt_merchant_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_holder_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_holder_email: Option<&'a str>,
    #[serde(rename = "cardholderInitiatedIndicator", skip_serializing_if = "Option::is_none")]
    cardholder_initiated: Option<&'a str>,
    #[serde(rename = "merchantInitiatedIndicator", skip_serializing_if = "Option::is_none")]
    merchant_initiated: Option<&'a str>,
    #[serde(flatten)]
    secure: Option<Secure<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Return<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    pos_input_mode: &'a str,
    trx_type: &'a str,
    azul_order_id: &'a str,
    amount: &'a str,
    itbis: &'a str,
    currency_pos_code: &'a str,
    acquirer_ref_data: &'a str,
    order_number: &'a str,
    custom_order_id: &'a str,
    original_date: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct About<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    azul_order_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    itbis: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Looked<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    azul_order_id: &'a str,
    method_notification_status: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Answered<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    azul_order_id: &'a str,
    c_res: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Forgotten<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    trx_type: &'a str,
    data_vault_token: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Question<'a> {
    #[serde(flatten)]
    merchant: Merchant<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_order_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_to: Option<String>,
}

/// How AZUL is told that a card is kept, or charged because it was.
const STANDING_ORDER: &str = "STANDING_ORDER";

/// A card to be charged, or funds on it to be reserved; `None` if AZUL has no word for it, as it has none for wallets.
pub(crate) fn purchase(account: &AzulAccount, operation: Operation, of: &Charge) -> Option<Bytes> {
    let (card, token) = match &of.instrument {
        Instrument::Card(card) => (Some(card), None),
        Instrument::StoredCard(token) => (None, Some(token)),
        Instrument::Wallet(_) => return None,
    };
    // With a card that is kept the month stays empty: left out, 3-D Secure trips over it.
    let expiration = Zeroizing::new(card.map_or_else(String::new, |it| {
        let (month, year) = it.expiration();
        format!("{year:04}{month:02}")
    }));
    let email = of.email.as_ref().map(|it| it.as_str()).filter(|it| it.len() <= EMAIL);
    let holder = card.and_then(|it| it.holder_name());
    // Unattended, or where the account has none, it goes without.
    let with = of.authentication.as_ref().filter(|_| account.has_3ds && token.is_none());
    let secure = with.map(|it| Secure::of(it, holder, email));
    let is_kept = of.is_kept && account.has_vault && card.is_some();
    body(&Purchase {
        merchant: merchant(account),
        card_number: card.map_or("", |it| it.expose_number()),
        expiration: &expiration,
        security_code: card.map_or("", |it| it.expose_security_code()),
        pos_input_mode: "E-Commerce",
        trx_type: operation.as_str(),
        amount: &amount::amount(of.amount)?,
        itbis: &amount::itbis(of.itbis)?,
        currency_pos_code: "$",
        payments: "1",
        plan: "0",
        acquirer_ref_data: "1",
        order_number: &order_number(&of.attempt.attempt),
        customer_service_phone: &account.phone,
        shop: &account.shop,
        custom_order_id: of.attempt.attempt.as_str(),
        data_vault_token: token.map_or("", CardToken::expose),
        save_to_data_vault: if is_kept { "1" } else { "0" },
        force_no_3ds: if secure.is_some() { "0" } else { "1" },
        alt_merchant_name: &statement_name(&of.statement_descriptor),
        card_holder_name: holder,
        card_holder_email: email,
        // Exactly one of the two is sent.
        cardholder_initiated: card.map(|_| if is_kept { STANDING_ORDER } else { "1" }),
        merchant_initiated: token.map(|_| STANDING_ORDER),
        secure,
    })
}

/// A card that AZUL is to keep no more.
pub(crate) fn forget(account: &AzulAccount, card: &CardToken) -> Option<Bytes> {
    body(&Forgotten { merchant: merchant(account), trx_type: "DELETE", data_vault_token: card.expose() })
}

/// What was charged on `day` to be returned, under an order id of its own: under the sale's, look-ups
/// of the sale would find the refund.
pub(crate) fn refund(
    account: &AzulAccount,
    order: &str,
    attempt: &AttemptId,
    (whole, itbis): (Money, Money),
    day: NaiveDate,
) -> Option<Bytes> {
    body(&Return {
        merchant: merchant(account),
        pos_input_mode: "E-Commerce",
        trx_type: Operation::Refund.as_str(),
        azul_order_id: order,
        amount: &amount::amount(whole)?,
        itbis: &amount::itbis(itbis)?,
        currency_pos_code: "$",
        acquirer_ref_data: "",
        order_number: &order_number(attempt),
        custom_order_id: &refund_id(attempt),
        original_date: day.format("%Y%m%d").to_string(),
    })
}

/// What is held to be taken.
pub(crate) fn post(account: &AzulAccount, order: &str, whole: Money, itbis: Money) -> Option<Bytes> {
    let (whole, itbis) = (amount::amount(whole)?, amount::itbis(itbis)?);
    body(&About { merchant: merchant(account), azul_order_id: order, amount: Some(&whole), itbis: Some(&itbis) })
}

/// What is held, or was charged just now, to be given back.
pub(crate) fn void(account: &AzulAccount, order: &str) -> Option<Bytes> {
    body(&About { merchant: merchant(account), azul_order_id: order, amount: None, itbis: None })
}

/// What is known under an order id of ours.
pub(crate) fn verify(account: &AzulAccount, custom_order_id: &str) -> Option<Bytes> {
    let merchant = merchant(account);
    body(&Question { merchant, custom_order_id: Some(custom_order_id), date_from: None, date_to: None })
}

/// All that happened on a day.
pub(crate) fn search(account: &AzulAccount, day: NaiveDate) -> Option<Bytes> {
    let day = || Some(day.format("%Y-%m-%d").to_string());
    body(&Question { merchant: merchant(account), custom_order_id: None, date_from: day(), date_to: day() })
}

/// The issuer had time to look at the browser.
pub(crate) fn looked(account: &AzulAccount, order: &str, is_noticed: bool) -> Option<Bytes> {
    let status = if is_noticed { "RECEIVED" } else { "EXPECTED_BUT_NOT_RECEIVED" };
    body(&Looked { merchant: merchant(account), azul_order_id: order, method_notification_status: status })
}

/// The cardholder has answered the issuer.
pub(crate) fn answered(account: &AzulAccount, order: &str, result: &str) -> Option<Bytes> {
    body(&Answered { merchant: merchant(account), azul_order_id: order, c_res: result })
}

/// The order id under which an attempt is returned.
pub(crate) fn refund_id(attempt: &AttemptId) -> String {
    format!("{}.r", attempt.as_str())
}

/// A number of at most fifteen digits, which AZUL wants and does nothing with: the attempt's last ten
/// symbols, as the number that they spell. Its portal shows it (`OrderNumber`).
pub fn order_number(attempt: &AttemptId) -> String {
    let value = |symbol: u8| Symbols::ALPHABET.iter().position(|it| *it == symbol).unwrap_or_default();
    let symbols = attempt.as_str().as_bytes();
    let last = symbols.iter().skip(symbols.len().saturating_sub(10));
    let number = last.fold(0_u64, |number, &symbol| (number << 5) | u64::try_from(value(symbol)).unwrap_or_default());
    format!("{}", number % 1_000_000_000_000_000)
}

/// Returns the endings of attempt identifiers that have this order number, at most two; empty if the text is no order
/// number.
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

/// What a card statement says: at most 25 characters, without those that AZUL trips over.
fn statement_name(text: &str) -> String {
    text.chars().filter(|it| !matches!(it, '"' | '\\' | '\'')).take(25).collect()
}

const fn merchant(account: &AzulAccount) -> Merchant<'_> {
    Merchant { channel: account.channel.as_str(), store: account.store.as_str() }
}

/// The request as bytes that are wiped after they were sent.
fn body(of: &impl Serialize) -> Option<Bytes> {
    // Room enough from the start: to grow would leave a copy of a card behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(16 * 1024));
    serde_json::to_writer(&mut *bytes, of).ok()?;
    Some(Bytes::from_owner(bytes))
}

#[cfg(test)]
mod tests;
