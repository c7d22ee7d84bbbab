use domain::{WebhookEndpointId, rights::Right, webhook::WebhookEndpoint};
use ports::{LoggedDelivery, Position, Tenant};

use crate::{Caller, Error, ListPage, PageRequest, Ports, lists::listed, lists::page};

use super::change_endpoint::not_found;

/// The merchant's endpoints in the mode of the key, newest first.
pub async fn list_webhook_endpoints(
    ports: &Ports,
    caller: &Caller,
    request: &PageRequest,
) -> Result<ListPage<WebhookEndpoint>, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    let page = page(ports, &tenant, request)?;
    let position = |it: &WebhookEndpoint| Position { created_at: it.created_at, id: it.id.as_str().to_owned() };
    // A merchant has few endpoints, so all are read, and the page is selected here.
    let mut endpoints = ports.setup.endpoints(&tenant).await?;
    endpoints.reverse();
    if let Some(after) = &page.after {
        let is_older = |it: &WebhookEndpoint| (it.created_at, it.id.as_str()) < (after.created_at, after.id.as_str());
        endpoints.retain(is_older);
    }
    endpoints.truncate(page.limit.into());
    Ok(listed(ports, &tenant, request, page, endpoints, position))
}

/// Returns one endpoint.
pub async fn get_webhook_endpoint(ports: &Ports, caller: &Caller, id: &str) -> Result<WebhookEndpoint, Error> {
    caller.may(Right::WebhooksManage)?;
    find(ports, &caller.tenant(), id).await
}

/// Returns the deliveries of an endpoint of the last days, sent or queued, newest event first.
pub async fn list_webhook_deliveries(
    ports: &Ports,
    caller: &Caller,
    id: &str,
    status: Option<&'static str>,
    request: &PageRequest,
) -> Result<ListPage<LoggedDelivery>, Error> {
    caller.may(Right::WebhooksManage)?;
    let tenant = caller.tenant();
    let endpoint = find(ports, &tenant, id).await?;
    let page = page(ports, &tenant, request)?;
    let logged = ports.webhook_log.deliveries(&tenant, &endpoint.id, status, &page).await?;
    let position = |it: &LoggedDelivery| Position { created_at: it.occurred_at, id: it.event.as_str().to_owned() };
    Ok(listed(ports, &tenant, request, page, logged, position))
}

pub(super) async fn find(ports: &Ports, tenant: &Tenant, id: &str) -> Result<WebhookEndpoint, Error> {
    let id = WebhookEndpointId::parse(id).ok_or_else(not_found)?;
    let known = ports.setup.endpoint(tenant, &id).await?.filter(|it| !it.is_removed);
    known.map(|it| it.endpoint).ok_or_else(not_found)
}
