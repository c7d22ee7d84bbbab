use sandbox::{DemoBuyers, demo_buyers};
use serde::Serialize;

use super::demo::Demo;
use crate::{failure::Done, operator};

/// All that a developer, or a script, needs to begin.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready<'a> {
    base_url: &'a str,
    checkout_base_url: &'a str,
    merchant_api_key: &'a str,
    admin_api_key: &'a str,
    restricted_api_key: &'a str,
    live_api_key: &'a str,
    merchant_account_id: &'a str,
    demo_buyers: DemoBuyers,
    docs_url: String,
}

/// Prints one line of JSON: the sandbox accepts requests.
pub(super) fn print(base_url: &str, demo: &Demo) -> Done {
    let ready = Ready {
        base_url,
        checkout_base_url: base_url,
        merchant_api_key: &demo.merchant_api_key,
        admin_api_key: &demo.admin_api_key,
        restricted_api_key: &demo.restricted_api_key,
        live_api_key: &demo.live_api_key,
        merchant_account_id: &demo.merchant_account_id,
        demo_buyers: demo_buyers(),
        docs_url: format!("{base_url}/docs"),
    };
    operator::print(&ready)
}
