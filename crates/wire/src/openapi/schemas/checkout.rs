//! What a checkout shows of a sale.

use domain::fiscal::{BuyerRequirement, TaxTreatment};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, checkout_mode, choice, email, list, matching, number, only, open, optional, reference, required,
        saying, text, with,
    },
    Named, document_request,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("Breakdown", breakdown()),
        ("CheckoutDisplay", checkout_display()),
        ("DisplayedMerchant", merchant()),
        ("PermanentAddress", address()),
        ("DeliveryPolicy", open([required("kind", only("not_offered"))])),
    ]
}

fn breakdown() -> Value {
    let taxed = TaxTreatment::ALL.iter().filter(|it| it.rate_percent().is_some());
    let base = open([
        required("taxTreatment", choice(taxed.map(|it| it.as_str()))),
        required("baseMinorUnits", number()),
        required("taxMinorUnits", number()),
    ]);
    let charge = open([required("kind", only("propina_legal")), required("minorUnits", number())]);
    let group = open([required("group", text(1..=64)), required("subtotalMinorUnits", number())]);
    let breakdown = open([
        required("taxableBases", list(base)),
        required("exemptMinorUnits", number()),
        required("serviceCharges", list(charge)),
        required("taxesMinorUnits", number()),
        required("totalMinorUnits", number()),
        optional("groups", saying(list(group), "There if a line has a group: net amounts of its lines.")),
    ]);
    saying(breakdown, "What the sale is composed of: the only totals that a checkout page shows.")
}

fn checkout_display() -> Value {
    let programs = "An empty list means that card submission does not use 3-D Secure.";
    let charges = open([required("isPropinaApplicable", boolean())]);
    open([
        required("mode", checkout_mode()),
        required("locale", text(2..=16)),
        required("merchant", reference("DisplayedMerchant")),
        required("fiscal", fiscal()),
        required("serviceCharges", charges),
        required("wallets", names()),
        optional("acceptedCardBrands", few(names())),
        optional("threeDsPrograms", saying(few(names()), programs)),
    ])
}

fn fiscal() -> Value {
    let requirements = [BuyerRequirement::None, BuyerRequirement::Optional, BuyerRequirement::Required];
    let kind = open([
        required("kind", document_request::kind()),
        required("isAvailable", boolean()),
        required("buyerRequirement", choice(requirements.iter().map(|it| it.as_str()))),
    ]);
    open([required("availableKinds", list(kind)), required("isLocked", boolean())])
}

/// Published names: a deployment says which there are.
fn names() -> Value {
    list(json!({"type": "string"}))
}

fn few(names: Value) -> Value {
    with(names, [("maxItems", json!(3)), ("uniqueItems", json!(true))])
}

fn merchant() -> Value {
    open([
        required("legalName", text(1..=256)),
        required("rnc", matching("^[0-9]{9}$")),
        required("displayName", text(1..=128)),
        required("supportPhone", text(1..=32)),
        optional("supportEmail", email(254)),
        optional("permanentAddress", reference("PermanentAddress")),
        optional("deliveryPolicy", reference("DeliveryPolicy")),
        required("statementDescriptor", text(1..=22)),
    ])
}

fn address() -> Value {
    open([
        required("line1", text(1..=160)),
        optional("line2", text(1..=160)),
        required("city", text(1..=80)),
        optional("province", text(1..=80)),
        optional("postalCode", text(1..=20)),
        required("countryCode", matching("^[A-Z]{2}$")),
    ])
}
