//! What a merchant sends to set itself up.

use domain::webhook::{EndpointUrl, EventSelection};
use serde_json::{Value, json};

use super::{
    super::schema::{
        boolean, checkout_mode, closed, integer, line, list, matching, only, optional, page, reference, required,
        saying, text, with,
    },
    Named,
    payment_request::email_address,
};

pub(super) fn schemas() -> Vec<Named> {
    vec![
        ("PutMerchantProfile", put_merchant_profile()),
        ("CreateMerchantAccount", create_merchant_account()),
        ("SetAccountCredentials", set_account_credentials()),
        ("CreateWebhookEndpoint", create_webhook_endpoint()),
    ]
}

fn put_merchant_profile() -> Value {
    let descriptor = r"^[A-Za-z0-9 .,'&*/-]*[A-Za-z0-9.,'&*/-][A-Za-z0-9 .,'&*/-]*$";
    let locale = with(matching("^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"), [("maxLength", json!(16))]);
    let profile = closed([
        optional("legalName", line(1..=256)),
        optional("rnc", saying(matching("^[0-9]{9}$"), "With its check digit.")),
        optional("displayName", line(1..=128)),
        optional("supportPhone", line(1..=32)),
        optional("supportEmail", email_address(254)),
        optional("permanentAddress", address()),
        optional("deliveryPolicy", closed([required("kind", only("not_offered"))])),
        optional("statementDescriptor", with(text(1..=22), [("pattern", json!(descriptor))])),
        optional("locale", saying(locale, "A language tag, es-DO unless it is said.")),
        optional("isPropinaApplicable", boolean()),
        optional("defaultCheckoutMode", checkout_mode()),
        optional("paymentWindowSeconds", saying(integer(900..=604_800), "86400 unless it is said.")),
        optional("isSplitEnabled", boolean()),
    ]);
    saying(profile, "Replaces the profile: what is left out is no longer said. An incomplete profile cannot sell.")
}

fn address() -> Value {
    closed([
        required("line1", line(1..=160)),
        optional("line2", line(1..=160)),
        required("city", line(1..=80)),
        optional("province", line(1..=80)),
        optional("postalCode", line(1..=20)),
        required("countryCode", saying(matching("^[A-Z]{2}$"), "ISO 3166-1 alpha-2.")),
    ])
}

fn create_merchant_account() -> Value {
    closed([required("provider", provider()), optional("venueReference", line(1..=256))])
}

fn provider() -> Value {
    saying(line(1..=64), "One of the providers that are offered in the mode of the key.")
}

fn set_account_credentials() -> Value {
    let secret =
        with(text(1..=8192), [("pattern", json!(r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$"))]);
    let about = "As the provider issued them. They are kept sealed and never shown again. An account that sells or has sold \
                 stays at its store: credentials of another store there are refused, and need an account of their own.";
    let credentials = json!({
        "type": "object",
        "minProperties": 1,
        "maxProperties": 20,
        "propertyNames": line(1..=64),
        "additionalProperties": secret,
        "description": about,
    });
    closed([required("provider", provider()), required("credentials", credentials)])
}

fn create_webhook_endpoint() -> Value {
    closed([
        required("url", endpoint_address()),
        required("enabledEvents", selected_events()),
        optional("description", line(1..=256)),
    ])
}

pub(super) fn endpoint_address() -> Value {
    let where_to = "A public host name at port 443, without credentials and fragment. A number in any spelling and a \
                    local name are refused.";
    let url = with(
        page(),
        [
            ("maxLength", json!(EndpointUrl::MAX)),
            ("pattern", json!(r"^https://[^/?#:@\\\s][^/?#@\\\s]*([/?][^#\\\s]*)?$")),
        ],
    );
    saying(url, where_to)
}

pub(super) fn selected_events() -> Value {
    let events = with(
        list(reference("EventSelector")),
        [("minItems", json!(1)), ("maxItems", json!(EventSelection::MAX)), ("uniqueItems", json!(true))],
    );
    saying(events, "Kinds of events, prefixes such as payment.*, or *.")
}
