use domain::{
    Mode, WebhookEndpointId,
    webhook::{EndpointUrl, EventSelection, WebhookEndpoint},
};
use ports::{KeyChange, SetupChange, SetupCommit};

use super::{key, merchant_id, noon, symbols, tenant};

/// The `n`th endpoint of the merchant, which hears of everything.
pub fn endpoint(n: u32) -> WebhookEndpoint {
    WebhookEndpoint {
        id: WebhookEndpointId::new(&symbols(n)),
        merchant: merchant_id(1),
        mode: Mode::Test,
        url: EndpointUrl::parse("https://laesquina.example/eventos?a=1").expect("an address"),
        enabled_events: EventSelection::parse(&["*".to_owned()]).expect("everything"),
        description: None,
        disabled: None,
        created_at: noon(),
        updated_at: noon(),
        version: 0,
    }
}

/// The decision `change`, under the first use of the `n`th key.
pub fn setup(n: u32, change: SetupChange) -> SetupCommit {
    SetupCommit {
        tenant: tenant(),
        at: noon(),
        change,
        readiness: Vec::new(),
        key: KeyChange { to: key(n), based_on: None },
    }
}
