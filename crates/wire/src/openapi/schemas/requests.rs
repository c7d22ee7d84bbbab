//! Schemas of request bodies, recorded by their readers.

use serde_json::{Map, Value};

use crate::{
    attribute_refund, cancel_payment, choose_fiscal_document, correct_credit_note, correct_fiscal_document,
    create_checkout_token, create_merchant_account, create_payment, create_refund, create_webhook_endpoint, empty_body,
    open_split, preview_refund, put_merchant_profile, read::Schemas, release_split, replay_webhooks, request_delivery,
    rotate_webhook_secret, set_account_credentials, set_voluntary_tip, submit_card, update_webhook_endpoint,
};

pub(super) fn schemas() -> Map<String, Value> {
    let schemas = Schemas::default();
    schemas.add("AttributeRefund", "Part of the sale that the found money returns.", attribute_refund::fields);
    schemas.add("CancelPayment", "Cancellation of a payment.", cancel_payment::fields);
    schemas.add("CaptureSplit", "Charges every reserved part.", empty_body::fields);
    schemas.add("ChooseFiscalDocument", "Absent fields stay unchanged.", choose_fiscal_document::fields);
    schemas.add(
        "CorrectCreditNote",
        "Credit note to issue again: same lines, same amounts.",
        correct_credit_note::fields,
    );
    schemas.add(
        "CorrectFiscalDocument",
        "Replaces the whole content of the document: absent fields are cleared.",
        correct_fiscal_document::fields,
    );
    schemas.add("CreateCheckoutToken", "Checkout token to create.", create_checkout_token::fields);
    schemas.add("CreateMerchantAccount", "Account at a payment provider.", create_merchant_account::fields);
    schemas.add("CreatePayment", "Sale to pay.", create_payment::fields);
    schemas.add("CreateRefund", "Money to return.", create_refund::fields);
    schemas.add("CreateWebhookEndpoint", "Endpoint that receives events.", |body| {
        create_webhook_endpoint::fields(body, false)
    });
    schemas.add("OpenSplit", "Parts of a split.", open_split::fields);
    schemas.add("PreviewRefund", "Refund to preview: the reason is optional.", preview_refund::fields);
    schemas.add(
        "PutMerchantProfile",
        "Replaces the whole profile: absent fields are cleared. An incomplete profile cannot sell.",
        put_merchant_profile::fields,
    );
    schemas.add("ReleaseSplit", "Release of every reserved part.", release_split::fields);
    schemas.add("RenewSplit", "Opens every part again.", empty_body::fields);
    schemas.add("ReplayWebhooks", "Events to send again: one event, or a period.", replay_webhooks::fields);
    schemas.add("RequestDelivery", "E-mail that sends the document.", request_delivery::fields);
    schemas.add("RotateWebhookSecret", "Replacement of the signing secret.", rotate_webhook_secret::fields);
    schemas.add("SetAccountCredentials", "Credentials of an account at its provider.", set_account_credentials::fields);
    schemas.add("SetVoluntaryTip", "Voluntary tip of the payer.", set_voluntary_tip::fields);
    schemas.add("SubmitCard", "Card or wallet that pays.", submit_card::fields);
    schemas.add("TestWebhookEndpoint", "Request for a test event.", empty_body::fields);
    schemas.add("UpdateWebhookEndpoint", "Absent fields stay unchanged.", |body| {
        update_webhook_endpoint::fields(body, false)
    });
    schemas.into_inner()
}
