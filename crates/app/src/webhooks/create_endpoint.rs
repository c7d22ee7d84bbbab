use base64::{Engine, engine::general_purpose::STANDARD};
use domain::{
    Conflict, WebhookEndpointId,
    rights::Right,
    webhook::{CreateEndpoint, WebhookEndpoint},
};
use ports::{SetupChange, secret_context};

use crate::{Caller, Error, IdempotentRequest, Ports, Rendered, Response, merchants::change_setup};

/// A new endpoint. The signing secret is returned once, and stored sealed.
pub struct CreatedEndpoint<'a> {
    /// The endpoint.
    pub endpoint: &'a WebhookEndpoint,
    /// `whsec_` and 32 random bytes.
    pub signing_secret: &'a str,
}

/// Registers an endpoint for signed events.
pub async fn create_webhook_endpoint(
    ports: &Ports,
    caller: &Caller,
    request: &IdempotentRequest,
    command: CreateEndpoint,
    render: &(dyn Fn(&CreatedEndpoint<'_>) -> Rendered + Send + Sync),
) -> Result<Response, Error> {
    caller.may(Right::WebhooksCreate)?;
    let tenant = caller.tenant();
    let id = WebhookEndpointId::new(&ports.ids.generate());
    let secret = new_secret(ports);

    let decision = |_: &ports::Setup, registered, now| {
        if registered >= WebhookEndpoint::LIMIT {
            return Err(Conflict::WebhookEndpointLimitReached.into());
        }
        let endpoint = WebhookEndpoint {
            id: id.clone(),
            merchant: tenant.merchant.clone(),
            mode: tenant.mode,
            url: command.url.clone(),
            enabled_events: command.enabled_events.clone(),
            description: command.description.clone(),
            disabled: None,
            created_at: now,
            updated_at: now,
            version: 0,
        };
        let sealed_secret = ports.vault.seal(&secret_context(&id), secret.as_bytes()).map_err(Error::internal)?;
        let rendered = render(&CreatedEndpoint { endpoint: &endpoint, signing_secret: &secret });
        let limit = WebhookEndpoint::LIMIT;
        Ok((SetupChange::Endpoint { endpoint: Box::new(endpoint), sealed_secret, limit }, rendered))
    };
    change_setup(ports, caller, request, &decision).await
}

/// `whsec_` and 32 random bytes.
pub(super) fn new_secret(ports: &Ports) -> String {
    let chance = ports.vault.digest(ports.ids.secret().as_str().as_bytes());
    format!("whsec_{}", STANDARD.encode(chance))
}
