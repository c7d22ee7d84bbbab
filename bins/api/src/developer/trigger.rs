use domain::EventKind;
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    api::{Api, As, json as read_json, text},
    gone::Gone,
    recipes::{Recipe, Step, recipe},
    sale::Sale,
};
use crate::{
    config::TriggerOptions,
    failure::{Done, Failure},
    operator::print,
};

/// Causes an event of each kind by commands, and prints the event.
pub(crate) async fn run(options: TriggerOptions) -> Done {
    for kind in &options.kinds {
        if let Recipe::Never(why) = recipe(*kind) {
            return Err(Failure::new(format!("{kind} cannot be triggered: {why}")));
        }
    }
    let api = Api::open(&options.place)?;
    for kind in options.kinds {
        trigger(&api, kind).await?;
    }
    Ok(())
}

async fn trigger(api: &Api, kind: EventKind) -> Done {
    let event = match recipe(kind) {
        Recipe::Sale(prefix, steps) => of_sale(api, prefix, steps, kind).await?,
        Recipe::EndpointTest => test(api).await?,
        Recipe::EndpointGone => disabled(api).await?,
        Recipe::Never(_) => return Ok(()),
    };
    print(&json!({ "eventId": text(&event, "/id")?, "type": text(&event, "/type")? }))
}

async fn of_sale(api: &Api, prefix: &str, steps: &[Step], kind: EventKind) -> Done<Value> {
    let sale = Sale::create(api, prefix).await?;
    for step in steps {
        sale.take(step).await?;
    }
    sale.wait_for(kind).await
}

/// Sends the event to the newest endpoint, or to a new one.
async fn test(api: &Api) -> Done<Value> {
    let listed = read_json(&api.read("/v1/webhook_endpoints", &[("limit", "1")]).await?)?;
    if let Ok(endpoint) = text(&listed, "/data/0/id") {
        return tested(api, &endpoint).await;
    }
    // No merchant has this name, so the event is the only effect.
    let endpoint = register(api, "https://cobro.example/webhooks").await?;
    let event = tested(api, &endpoint).await;
    remove(api, &endpoint).await?;
    event
}

/// Lets a local endpoint respond 410 Gone.
async fn disabled(api: &Api) -> Done<Value> {
    let receiver = Gone::open().await?;
    let endpoint = register(api, receiver.url()).await.map_err(|failure| {
        Failure::new(format!("{failure} (a sandbox takes endpoints here if it has --allow-private-webhooks)"))
    })?;
    let is_of_endpoint = |event: &Value| event["data"]["object"]["id"] == *endpoint;
    let event = match tested(api, &endpoint).await {
        Ok(_) => api.wait_for_event(EventKind::WebhookEndpointDisabled, ("limit", "100"), is_of_endpoint).await,
        Err(failure) => Err(failure),
    };
    remove(api, &endpoint).await?;
    event
}

async fn register(api: &Api, url: &str) -> Done<String> {
    let body = json!({ "url": url, "enabledEvents": ["webhook_endpoint.*"], "description": "cobro trigger" });
    let made = api.command(As::Admin, Method::POST, "/v1/webhook_endpoints", Some(&body)).await?;
    text(&made, "/id")
}

async fn tested(api: &Api, endpoint: &str) -> Done<Value> {
    let path = format!("/v1/webhook_endpoints/{endpoint}/tests");
    api.command(As::Admin, Method::POST, &path, Some(&json!({}))).await
}

async fn remove(api: &Api, endpoint: &str) -> Done {
    let path = format!("/v1/webhook_endpoints/{endpoint}");
    api.command(As::Admin, Method::DELETE, &path, None).await.map(drop)
}
