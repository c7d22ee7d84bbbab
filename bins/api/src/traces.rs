//! Traces of requests, sent to a collector off the path of any request. Without one nothing is made.

use std::{
    error::Error,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use async_trait::async_trait;
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use reqwest::{Client, Url, redirect::Policy};
use tokio::runtime::Handle;
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, filter_fn},
};

use crate::{
    failure::{Context, Done, Failure},
    logs::Listener,
};

/// How long the collector may take for one delivery.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the process waits at its end for what was not delivered yet.
const LAST_CALL: Duration = Duration::from_secs(2);

/// What sends traces, until it ends.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Sends traces to the collector at `endpoint`, which is the address before `/v1/traces`. A
    /// bounded queue is between it and the requests: what does not fit is forgotten.
    pub(crate) fn to(endpoint: &str) -> Done<Self> {
        let url = Url::parse(endpoint).ok().filter(|it| matches!(it.scheme(), "http" | "https"));
        // It is not quoted: it may name a user and a password.
        let url = url.ok_or_else(|| Failure::new("--otlp-endpoint is no address that begins with http or https"))?;
        // Neither a proxy nor a redirect takes them elsewhere.
        let http = Client::builder().no_proxy().redirect(Policy::none()).timeout(PATIENCE).build();
        let collector = Collector {
            http: http.or_fail("traces cannot be sent")?,
            runtime: Handle::current(),
            is_silent: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(collector)
            .with_endpoint(format!("{}/v1/traces", url.as_str().trim_end_matches('/')))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(PATIENCE)
            // What is delivered a little later is the next batch, not this one again.
            .with_retry_policy(RetryPolicy::disabled())
            .build()
            .or_fail("traces cannot be sent")?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty().with_service_name("cobro").with_attribute(version);
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build());
        Ok(Self(provider.build()))
    }

    /// What hears of requests, and of nothing else that is logged: what is logged may be anything.
    pub(crate) fn listener(&self) -> Listener {
        let spans = tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("cobro"))
            .with_location(false)
            .with_threads(false)
            .with_level(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            // A span whose context is active keeps the name that it began with: before its route was known.
            .with_context_activation(false);
        let requests = filter_fn(|it| it.is_span() && it.target() == rest::TRACES);
        spans.with_filter(requests.with_max_level_hint(LevelFilter::INFO)).boxed()
    }

    /// Delivers what is left, if that does not take long.
    pub(crate) async fn end(self) {
        // It waits for a thread, and the thread for a task of ours. Whether it came to an end in
        // time changes nothing any more, and a collector that was silent was logged.
        let _ = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(LAST_CALL)).await;
    }
}

/// The way to the collector, asked from a thread that has no runtime.
#[derive(Debug)]
struct Collector {
    http: Client,
    runtime: Handle,
    /// Whether the last delivery failed: one that is down is a line in the log, not one for each.
    is_silent: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let delivery = self.runtime.spawn(async move { deliver(&http, request).await }).await?;
        match &delivery {
            Ok(_) if self.is_silent.swap(false, Ordering::Relaxed) => tracing::info!("traces are delivered again"),
            Err(error) if !self.is_silent.swap(true, Ordering::Relaxed) => {
                tracing::warn!(error = error as &dyn Error, "traces are not delivered");
            }
            Ok(_) | Err(_) => {}
        }
        Ok(delivery?)
    }
}

/// One delivery. Its address may name a user and a password, so that no error says it.
async fn deliver(http: &Client, request: Request<Bytes>) -> Result<Response<Bytes>, reqwest::Error> {
    let answer = async { http.execute(request.try_into()?).await?.error_for_status() }.await;
    let answer = answer.map_err(reqwest::Error::without_url)?;
    let mut delivered = Response::new(Bytes::new());
    *delivered.status_mut() = answer.status();
    Ok(delivered)
}
