//! What a merchant has set up.

use domain::{
    MerchantAccountId, Mode,
    account::{Lifecycle, Provider, READINESS_CHECKS},
};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, checkout_mode, choice, count, email, id, instant, list, matching, number, only, open, open_choice,
        optional, reference, required, saying, text,
    },
    Named,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![("MerchantAccount", account()), ("Readiness", readiness()), ("MerchantProfile", profile())]
}

fn account() -> Value {
    open([
        required("id", id(MerchantAccountId::PREFIX)),
        required("object", only("merchant_account")),
        required("provider", choice(Provider::ALL.iter().map(|it| it.as_str()))),
        required("mode", choice([Mode::Test, Mode::Live].iter().map(|it| it.as_str()))),
        optional("venueReference", text(1..=256)),
        required("lifecycle", choice(Lifecycle::ALL.iter().map(|it| it.as_str()))),
        optional("credentialVersion", json!({"type": "integer", "minimum": 1})),
        required("readiness", reference("Readiness")),
        required("createdAt", instant()),
    ])
}

fn readiness() -> Value {
    let kind = "The kind of document that it concerns, where it does not concern all sales.";
    let blocker = open([
        required("code", open_choice(READINESS_CHECKS.iter().map(|(_, blocker)| blocker.code))),
        required("owner", choice(["merchant", "provider", "service", "tax_authority"])),
        optional("detail", saying(text(1..=256), kind)),
    ]);
    let check = open([
        required("check", text(1..=64)),
        required("status", choice(["passed", "failed", "pending", "skipped"])),
        required("checkedAt", instant()),
        optional("detail", saying(text(1..=256), kind)),
    ]);
    open([
        required("status", saying(choice(["ready", "not_ready", "degraded"]), "degraded still sells.")),
        required("blockers", list(blocker)),
        required("checks", saying(list(check), "Everything that was looked at, and when.")),
    ])
}

fn profile() -> Value {
    let missing = "What is still needed before anything can be sold.";
    open([
        required("object", only("merchant_profile")),
        optional("legalName", text(1..=256)),
        optional("rnc", matching("^[0-9]{9}$")),
        optional("displayName", text(1..=128)),
        optional("supportPhone", text(1..=32)),
        optional("supportEmail", email(254)),
        optional("permanentAddress", reference("PermanentAddress")),
        required("deliveryPolicy", reference("DeliveryPolicy")),
        optional("statementDescriptor", text(1..=22)),
        required("locale", text(2..=16)),
        required("isPropinaApplicable", boolean()),
        required("defaultCheckoutMode", checkout_mode()),
        required("paymentWindowSeconds", number()),
        required("isSplitEnabled", boolean()),
        required("missingFields", saying(list(json!({"type": "string"})), missing)),
        required("version", saying(count(), "How many times it was written.")),
        required("updatedAt", instant()),
    ])
}
