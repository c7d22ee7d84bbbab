//! Schemas of request bodies, recorded by their readers.

use serde_json::{Map, Value};

use crate::{
    cancel_payment, choose_fiscal_document, correct_fiscal_document, create_checkout_token, create_merchant_account,
    create_payment, create_webhook_endpoint, empty_body, open_split, put_merchant_profile, read::Schemas,
    release_split, replay_webhooks, request_delivery, rotate_webhook_secret, set_account_credentials,
    set_voluntary_tip, submit_card, update_webhook_endpoint,
};

pub(super) fn schemas() -> Map<String, Value> {
    let schemas = Schemas::default();
    schemas.add("CancelPayment", "", cancel_payment::fields);
    schemas.add("CaptureSplit", "Charges every reserved part.", empty_body::fields);
    schemas.add("ChooseFiscalDocument", "Absent fields stay unchanged.", choose_fiscal_document::fields);
    schemas.add(
        "CorrectFiscalDocument",
        "Replaces the whole content of the document: absent fields are cleared.",
        correct_fiscal_document::fields,
    );
    schemas.add("CreateCheckoutToken", "", create_checkout_token::fields);
    schemas.add("CreateMerchantAccount", "", create_merchant_account::fields);
    schemas.add("CreatePayment", "", create_payment::fields);
    schemas.add("CreateWebhookEndpoint", "", |body| create_webhook_endpoint::fields(body, false));
    schemas.add("OpenSplit", "", open_split::fields);
    schemas.add(
        "PutMerchantProfile",
        "Replaces the whole profile: absent fields are cleared. An incomplete profile cannot sell.",
        put_merchant_profile::fields,
    );
    schemas.add("ReleaseSplit", "", release_split::fields);
    schemas.add("RenewSplit", "Opens every part again.", empty_body::fields);
    schemas.add("ReplayWebhooks", "", replay_webhooks::fields);
    schemas.add("RequestDelivery", "", request_delivery::fields);
    schemas.add("RotateWebhookSecret", "", rotate_webhook_secret::fields);
    schemas.add("SetAccountCredentials", "", set_account_credentials::fields);
    schemas.add("SetVoluntaryTip", "", set_voluntary_tip::fields);
    schemas.add("SubmitCard", "", submit_card::fields);
    schemas.add("TestWebhookEndpoint", "", empty_body::fields);
    schemas.add("UpdateWebhookEndpoint", "Absent fields stay unchanged.", |body| {
        update_webhook_endpoint::fields(body, false)
    });
    schemas.into_inner()
}
