//! A payment, as its merchant and as its payer see it.

use domain::{
    CheckoutReference, Currency, PaymentId,
    credential::Scope,
    payment::{DeclineCode, PaymentStatus},
};
use serde_json::{Value, json};

use super::{
    super::schema::{
        Field, boolean, choice, id, instant, list, matching, nullable, number, only, open, optional, page, reference,
        required, saying, tagged, text,
    },
    Named,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("Money", money()),
        ("Payment", payment()),
        ("EventPayment", event_payment()),
        ("CheckoutPayment", checkout_payment()),
        ("PaymentView", payment_view()),
        ("NextAction", tagged("kind", &[("redirect_to_url", "RedirectToUrl")])),
        ("RedirectToUrl", redirect()),
        ("Decline", decline()),
        ("Verification", verification()),
        ("PaymentMethodSummary", tagged("kind", &[("card", "CardSummary")])),
        ("CardSummary", card_summary()),
        ("PaymentList", page_of("Payment")),
        ("CheckoutToken", checkout_token()),
    ]
}

fn money() -> Value {
    open([
        required("currency", choice(Currency::ALL.iter().map(|it| it.code()))),
        required("minorUnits", saying(number(), "Hundredths of the currency.")),
    ])
}

fn payment() -> Value {
    let own = [required("checkoutReference", checkout_reference())];
    let payment = open(shared().into_iter().chain(own).chain(of_the_merchant()));
    saying(payment, "A payment as its merchant sees it.")
}

fn checkout_reference() -> Value {
    let meaning = "Bearer handle of the receipt: its holder can read buyer and lines. Keep it private.";
    saying(id(CheckoutReference::PREFIX), meaning)
}

fn event_payment() -> Value {
    let payment = open(shared().into_iter().chain(of_the_merchant()));
    saying(payment, "A payment as an event tells of it: without its checkoutReference.")
}

fn checkout_payment() -> Value {
    let own = [required("fiscalDocument", reference("ReceiptDocument"))];
    let payment = open(shared().into_iter().chain(own));
    saying(payment, "A payment as the holder of a checkout token sees it: without what is the merchant's.")
}

/// One schema for both kinds of callers: generators merge alternatives if one has all fields of the other.
fn payment_view() -> Value {
    let own = [
        required("fiscalDocument", reference("FiscalDocumentView")),
        optional("checkoutReference", checkout_reference()),
        optional("split", split()),
        optional("metadata", metadata()),
    ];
    let meaning = "A `Payment` for a merchant key, a `CheckoutPayment` for a checkout token. Only a merchant key reads \
                   `checkoutReference` and `split`, which are always there then, and `metadata`.";
    saying(open(shared().into_iter().chain(own)), meaning)
}

fn of_the_merchant() -> [Field; 3] {
    [
        required("fiscalDocument", reference("FiscalDocument")),
        required("split", split()),
        optional("metadata", metadata()),
    ]
}

fn split() -> Value {
    saying(nullable(reference("MerchantSplit")), "null while the sale is not split.")
}

fn metadata() -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}})
}

/// What both see.
fn shared() -> Vec<Field> {
    let total = "Amount and voluntary tip: what is charged.";
    let return_url = "Where the payer may go afterwards. It tells nothing: retrieve the payment instead.";
    vec![
        required("id", id(PaymentId::PREFIX)),
        required("object", only("payment")),
        required("status", choice(PaymentStatus::ALL.iter().map(|it| it.as_str()))),
        required("amount", reference("Money")),
        required("voluntaryTip", saying(reference("Money"), "The payer's own; it is not in the fiscal document.")),
        required("totalAmount", saying(reference("Money"), total)),
        required("saleReference", text(1..=128)),
        optional("returnUrl", saying(page(), return_url)),
        optional("serviceLabel", text(0..=24)),
        optional("description", text(1..=80)),
        optional("breakdown", reference("Breakdown")),
        required("checkoutDisplay", reference("CheckoutDisplay")),
        optional("nextAction", saying(reference("NextAction"), "There while it is a payer's turn.")),
        required("decline", saying(nullable(reference("Decline")), "Not null exactly while status is declined.")),
        required(
            "verification",
            saying(nullable(reference("Verification")), "Not null exactly while status is verifying."),
        ),
        required(
            "paymentMethodSummary",
            saying(
                nullable(reference("PaymentMethodSummary")),
                "The card last submitted. null while the sale is split: each part has its own.",
            ),
        ),
        required("isLiveMode", boolean()),
        required("expiresAt", instant()),
        required("createdAt", instant()),
        required("updatedAt", instant()),
    ]
}

fn redirect() -> Value {
    open([
        required("kind", only("redirect_to_url")),
        required("url", saying(page(), "Open it in a top-level browsing context.")),
        required("expiresAt", instant()),
    ])
}

fn decline() -> Value {
    open([
        required("code", choice(DeclineCode::ALL.iter().map(|it| it.as_str()))),
        required("canTryAgain", boolean()),
        required("message", saying(json!({"type": "string"}), "For the customer; its wording may change.")),
    ])
}

fn verification() -> Value {
    open([
        required("startedAt", instant()),
        required("nextCheckAt", instant()),
        required("isEscalated", saying(boolean(), "Whether people look at it.")),
    ])
}

fn card_summary() -> Value {
    open([required("kind", only("card")), optional("brand", text(1..=32)), optional("last4", matching("^[0-9]{4}$"))])
}

/// One part of a list of these.
pub(super) fn page_of(name: &str) -> Value {
    let cursor = "Where the next part begins. There is one even after the last: stop where hasMore is false.";
    open([
        required("object", only("list")),
        required("data", list(reference(name))),
        required("hasMore", saying(boolean(), "A part may be shorter than its limit, and more follow all the same.")),
        required("nextCursor", saying(text(1..=512), cursor)),
    ])
}

fn checkout_token() -> Value {
    open([
        required("object", only("checkout_token")),
        required("token", saying(json!({"type": "string"}), "Shown in this answer alone.")),
        required("scope", choice(Scope::ALL.iter().map(|it| it.as_str()))),
        required("paymentId", id(PaymentId::PREFIX)),
        required("expiresAt", instant()),
    ])
}
