use chrono::TimeDelta;
use domain::{
    EventId, Mode, WebhookEndpointId,
    account::Account,
    webhook::{EndpointDisabledEmail, EndpointUrl, EventSelection, Outage, WebhookEndpoint, WebhookResult},
};
use ports::{KeyChange, SetupChange, SetupCommit};

use super::{account, key, merchant_id, noon, profile, symbols, tenant};

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

/// The mail that tells, beside that event, that the endpoint was switched off for five bad days.
pub fn endpoint_disabled_email(event: &EventId, off: &WebhookEndpoint) -> EndpointDisabledEmail {
    let outage = Outage { since: noon() - TimeDelta::days(5), last: WebhookResult::Status(503) };
    EndpointDisabledEmail::new(event.clone(), off.clone(), outage, &profile())
}

/// Credentials of the first account that follow so many others.
pub fn new_credentials(based_on: u32, sealed: &[u8]) -> SetupChange {
    let to = Account { credential_version: based_on, ..account() }.with_new_credentials();
    SetupChange::Credentials { to: Box::new(to), sealed: sealed.to_vec() }
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
