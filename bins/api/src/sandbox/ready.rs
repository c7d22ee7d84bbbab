use sandbox::demo_buyers;
use serde_json::json;

use super::demo::Demo;
use crate::{failure::Done, operator};

/// Prints one line of JSON with everything that a developer or a script needs: the sandbox accepts requests.
pub(super) fn print(base_url: &str, demo: &Demo) -> Done {
    operator::print(&json!({
        "baseUrl": base_url,
        "checkoutBaseUrl": base_url,
        "merchantApiKey": demo.merchant_api_key,
        "adminApiKey": demo.admin_api_key,
        "restrictedApiKey": demo.restricted_api_key,
        "liveApiKey": demo.live_api_key,
        "merchantAccountId": demo.merchant_account_id,
        "demoBuyers": demo_buyers(),
        "docsUrl": format!("{base_url}/docs"),
    }))
}
