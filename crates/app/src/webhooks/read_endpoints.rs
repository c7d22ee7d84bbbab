use domain::{WebhookEndpointId, rights::Right, webhook::WebhookEndpoint};
use ports::{LoggedDelivery, Position, Tenant};

use crate::{Caller, Error, ListPage, PageRequest, Ports, lists::listed, lists::page};

use super::change_endpoint::not_found;

/// The merchant's endpoints in the mode of the key, newest first.
pub async fn list_webhook_endpoints(
    ports: &Ports,
    caller: &Caller,
    asked: &PageRequest,
) -> Result<ListPage<WebhookEndpoint>, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, asked)?;
    let position = |it: &WebhookEndpoint| Position { created_at: it.created_at, id: it.id.as_str().to_owned() };
    // There are few of them, so a part of the list is cut here.
    let mut endpoints = ports.setup.endpoints(&tenant).await?;
    endpoints.reverse();
    if let Some(seen) = &page.after {
        let is_later = |it: &WebhookEndpoint| (it.created_at, it.id.as_str()) < (seen.created_at, seen.id.as_str());
        endpoints.retain(is_later);
    }
    endpoints.truncate(page.limit.into());
    Ok(listed(ports, &tenant, asked, page, endpoints, position))
}

/// One endpoint.
pub async fn get_webhook_endpoint(ports: &Ports, caller: &Caller, id: &str) -> Result<WebhookEndpoint, Error> {
    caller.may(Right::WebhooksManage)?;
    find(ports, &caller.tenant(), id).await
}

/// What was sent to an endpoint in the last days, or is to be, newest event first.
pub async fn list_webhook_deliveries(
    ports: &Ports,
    caller: &Caller,
    id: &str,
    status: Option<&'static str>,
    asked: &PageRequest,
) -> Result<ListPage<LoggedDelivery>, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    let endpoint = find(ports, &tenant, id).await?;
    let page = page(ports, &tenant, asked)?;
    let logged = ports.webhook_log.deliveries(&tenant, &endpoint.id, status, &page).await?;
    let position = |it: &LoggedDelivery| Position { created_at: it.occurred_at, id: it.event.as_str().to_owned() };
    Ok(listed(ports, &tenant, asked, page, logged, position))
}

pub(super) async fn find(ports: &Ports, tenant: &Tenant, id: &str) -> Result<WebhookEndpoint, Error> {
    let id = WebhookEndpointId::parse(id).ok_or_else(not_found)?;
    let known = ports.setup.endpoint(tenant, &id).await?.filter(|it| !it.is_removed);
    known.map(|it| it.endpoint).ok_or_else(not_found)
}
