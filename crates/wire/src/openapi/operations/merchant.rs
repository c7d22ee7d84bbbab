use super::super::operation::{
    Answer,
    Caller::{AdminKey, Key},
    Content::Json,
    Operation,
};

const TAG: &str = "Merchant";

pub(super) const OPERATIONS: &[Operation] =
    &[GET_PROFILE, PUT_PROFILE, CREATE_ACCOUNT, GET_ACCOUNT, SET_CREDENTIALS, CREATE_ENDPOINT];

const GET_PROFILE: Operation = Operation {
    method: "get",
    path: "/v1/merchant_profile",
    id: "getMerchantProfile",
    tag: TAG,
    summary: "Retrieve the merchant profile",
    description: "Returns the name, address and checkout settings of the merchant in the mode of the key. \
                  `missingFields` lists what is still needed before a sale.",
    callers: &[Key],
    parameters: &[],
    body: None,
    answer: Answer {
        status: 200,
        content: Json("MerchantProfile", &["merchant-profile", "merchant-profile-blank"]),
        has_etag: true,
    },
    refusals: &["operation_not_permitted_for_checkout_token", "merchant_profile_not_found"],
};

const PUT_PROFILE: Operation = Operation {
    method: "put",
    path: "/v1/merchant_profile",
    id: "putMerchantProfile",
    tag: TAG,
    summary: "Replace the merchant profile",
    description: "Replaces the whole profile: a field that is left out is emptied. Open sales keep the profile that \
                  they were created with.",
    callers: &[AdminKey],
    parameters: &[],
    body: Some("PutMerchantProfile"),
    answer: Answer { status: 200, content: Json("MerchantProfile", &["merchant-profile"]), has_etag: true },
    refusals: &["precondition_failed", "merchant_account_admin_required", "operation_not_permitted_for_checkout_token"],
};

const CREATE_ACCOUNT: Operation = Operation {
    method: "post",
    path: "/v1/merchant_accounts",
    id: "createMerchantAccount",
    tag: TAG,
    summary: "Add an account at a provider",
    description: "Adds an account of the merchant at a payment provider. It can sell once it has credentials and \
                  `readiness.status` is not `not_ready`.",
    callers: &[AdminKey],
    parameters: &[],
    body: Some("CreateMerchantAccount"),
    answer: Answer { status: 201, content: Json("MerchantAccount", &["merchant-account-not-ready"]), has_etag: false },
    refusals: &[
        "provider_not_available",
        "merchant_account_admin_required",
        "operation_not_permitted_for_checkout_token",
        "live_mode_not_enabled",
        "credential_storage_unavailable",
        "provider_rejected_request",
    ],
};

const GET_ACCOUNT: Operation = Operation {
    method: "get",
    path: "/v1/merchant_accounts/{merchantAccountId}",
    id: "getMerchantAccount",
    tag: TAG,
    summary: "Retrieve an account",
    description: "Returns the account and its readiness: `blockers` lists what prevents a sale, `checks` every check \
                  with its time.",
    callers: &[Key],
    parameters: &["MerchantAccountId"],
    body: None,
    answer: Answer {
        status: 200,
        content: Json("MerchantAccount", &["merchant-account-ready", "merchant-account-not-ready"]),
        has_etag: false,
    },
    refusals: &[
        "merchant_account_not_owned",
        "operation_not_permitted_for_checkout_token",
        "merchant_account_not_found",
    ],
};

const SET_CREDENTIALS: Operation = Operation {
    method: "put",
    path: "/v1/merchant_accounts/{merchantAccountId}/credentials",
    id: "setAccountCredentials",
    tag: TAG,
    summary: "Replace the credentials of an account",
    description: "Replaces all credentials of the account. They are stored sealed, and no response shows them.",
    callers: &[AdminKey],
    parameters: &["MerchantAccountId"],
    body: Some("SetAccountCredentials"),
    answer: Answer { status: 200, content: Json("MerchantAccount", &["merchant-account-ready"]), has_etag: false },
    refusals: &[
        "provider_not_available",
        "merchant_account_not_owned",
        "merchant_account_admin_required",
        "operation_not_permitted_for_checkout_token",
        "live_mode_not_enabled",
        "merchant_account_not_found",
        "merchant_account_provider_mismatch",
        "credential_storage_unavailable",
        "provider_rejected_request",
    ],
};

const CREATE_ENDPOINT: Operation = Operation {
    method: "post",
    path: "/v1/webhook_endpoints",
    id: "createWebhookEndpoint",
    tag: "Events",
    summary: "Register a webhook endpoint",
    description: "Registers an HTTPS address for signed events, at most 16 in a mode. The response is the only one \
                  that contains the signing secret.",
    callers: &[AdminKey],
    parameters: &[],
    body: Some("CreateWebhookEndpoint"),
    answer: Answer { status: 201, content: Json("WebhookEndpoint", &["webhook-endpoint-created"]), has_etag: true },
    refusals: &[
        "merchant_account_admin_required",
        "operation_not_permitted_for_checkout_token",
        "live_mode_not_enabled",
        "webhook_endpoint_limit_reached",
    ],
};
