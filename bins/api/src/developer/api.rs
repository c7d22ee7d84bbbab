use std::time::Duration;

use domain::EventKind;
use ports::Ids;
use reqwest::{Client, Method, RequestBuilder, Url};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::{
    config::SandboxPlace,
    failure::{Context, Done, Failure},
    ids::RandomIds,
    sandbox::Demo,
};

/// Timeout of one request. A request that moves the clock of a sandbox runs all work that becomes due.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// Maximum wait for an event. A worker looks for work at least once a second.
const EVENT_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Client of a sandbox with the keys of the demo merchant.
pub(super) struct Api {
    http: Client,
    base: Url,
    demo: Demo,
}

/// Credential of a command.
#[derive(Clone, Copy, Debug)]
pub(super) enum As<'a> {
    /// The merchant's standard key.
    Merchant,
    /// The merchant's admin key.
    Admin,
    /// A payer's token.
    Payer(&'a str),
}

impl Api {
    pub(super) fn open(place: &SandboxPlace) -> Done<Self> {
        let http = Client::builder()
            .no_proxy()
            .timeout(REQUEST_TIMEOUT)
            .build()
            .or_fail("the HTTP client cannot be created")?;
        Ok(Self { http, base: place.sandbox.clone(), demo: Demo::in_folder(&place.data_dir)? })
    }

    /// Admin key from the data folder.
    pub(super) fn key(&self) -> &str {
        &self.demo.admin_api_key
    }

    /// Sends a GET request and returns the body unchanged.
    pub(super) async fn read(&self, path: &str, query: &[(&str, &str)]) -> Done<Vec<u8>> {
        let mut url = self.at(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.answer(self.http.get(url).bearer_auth(self.key()), &format!("GET {path}")).await
    }

    /// Sends a command under a new idempotency key.
    pub(super) async fn command(&self, who: As<'_>, method: Method, path: &str, body: Option<&Value>) -> Done<Value> {
        let credential = match who {
            As::Merchant => &self.demo.merchant_api_key,
            As::Admin => &self.demo.admin_api_key,
            As::Payer(token) => token,
        };
        let what = format!("{method} {path}");
        let request = self.http.request(method, self.at(path)).bearer_auth(credential);
        let request = request.header("idempotency-key", RandomIds.generate().as_str());
        let request = body.into_iter().fold(request, |request, body| request.json(body));
        json(&self.answer(request, &what).await?)
    }

    /// Waits for an event of that kind that `is_wanted` accepts, with a further query parameter.
    pub(super) async fn wait_for_event(
        &self,
        kind: EventKind,
        parameter: (&str, &str),
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Done<Value> {
        let query = [("type", kind.as_str()), parameter];
        let start = Instant::now();
        while start.elapsed() < EVENT_TIMEOUT {
            let listed = json(&self.read("/v1/events", &query).await?)?;
            if let Some(event) = listed["data"].as_array().into_iter().flatten().find(|event| is_wanted(event)) {
                return Ok(event.clone());
            }
            sleep(POLL_INTERVAL).await;
        }
        Err(Failure::new(format!("no event {kind} within {} s", EVENT_TIMEOUT.as_secs())))
    }

    /// Moves the simulated world.
    pub(super) async fn control(&self, path: &str, body: &Value) -> Done<Value> {
        let request = self.http.post(self.at(path)).json(body);
        json(&self.answer(request, &format!("POST {path}")).await?)
    }

    async fn answer(&self, request: RequestBuilder, what: &str) -> Done<Vec<u8>> {
        let no_response = || format!("the sandbox does not answer at {}", self.base);
        let response = request.send().await.or_fail(no_response())?;
        let status = response.status();
        let body = response.bytes().await.or_fail(no_response())?.to_vec();
        if status.is_success() {
            return Ok(body);
        }
        let problem = json(&body).unwrap_or_default();
        let text = |name: &str| problem.pointer(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let problem = format!("{} {}", text("/error/code"), text("/error/message"));
        Err(Failure::new(format!("{what} was answered with {}: {}", status.as_u16(), problem.trim())))
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }
}

pub(super) fn json(bytes: &[u8]) -> Done<Value> {
    serde_json::from_slice(bytes).or_fail("the sandbox answered something that is no JSON")
}

/// Returns the text at a JSON pointer.
pub(super) fn text(value: &Value, pointer: &str) -> Done<String> {
    let found = value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| Failure::new(format!("the sandbox answered without {pointer}")))
}
