//! Traces of requests for an OTLP collector. Requests never wait for the collector.

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

/// Timeout of one request to the collector.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum wait for undelivered traces at the end of the process.
const LAST_CALL: Duration = Duration::from_secs(2);

/// Sender of traces.
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Sends traces to the collector at `endpoint`, which is the address before `/v1/traces`. A
    /// bounded queue is between requests and collector; traces that do not fit are dropped.
    pub(crate) fn to(endpoint: &str) -> Done<Self> {
        let url = Url::parse(endpoint).ok().filter(|it| matches!(it.scheme(), "http" | "https"));
        // The message omits the URL, which may contain a password.
        let url = url.ok_or_else(|| Failure::new("--otlp-endpoint is no address that begins with http or https"))?;
        // Neither a proxy nor a redirect sends the traces to another host.
        let http = Client::builder().no_proxy().redirect(Policy::none()).timeout(REQUEST_TIMEOUT).build();
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
            .with_timeout(REQUEST_TIMEOUT)
            // No retry: the next batch follows soon.
            .with_retry_policy(RetryPolicy::disabled())
            .build()
            .or_fail("traces cannot be sent")?;
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder_empty().with_service_name("cobro").with_attribute(version);
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build());
        Ok(Self(provider.build()))
    }

    /// Returns the subscriber of request spans. Log events are excluded.
    pub(crate) fn listener(&self) -> Listener {
        let spans = tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("cobro"))
            .with_location(false)
            .with_threads(false)
            .with_level(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            // A span with an active context keeps its first name, from before the routing.
            .with_context_activation(false);
        let requests = filter_fn(|it| it.is_span() && it.target() == rest::TRACES);
        spans.with_filter(requests.with_max_level_hint(LevelFilter::INFO)).boxed()
    }

    /// Delivers the remaining traces, with a timeout.
    pub(crate) async fn end(self) {
        // The shutdown blocks on a thread that waits for a task of this runtime. A timeout is
        // ignored: a silent collector is already in the log.
        let _ = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(LAST_CALL)).await;
    }
}

/// HTTP client of the collector, called from a thread without a runtime.
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

/// Sends one batch. Errors omit the URL, which may contain a password.
async fn deliver(http: &Client, request: Request<Bytes>) -> Result<Response<Bytes>, reqwest::Error> {
    let answer = async { http.execute(request.try_into()?).await?.error_for_status() }.await;
    let answer = answer.map_err(reqwest::Error::without_url)?;
    let mut delivered = Response::new(Bytes::new());
    *delivered.status_mut() = answer.status();
    Ok(delivered)
}
