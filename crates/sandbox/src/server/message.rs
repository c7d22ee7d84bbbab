//! Requests and responses of the simulated services, whole in memory.

use std::time::Duration;

use chrono::{DateTime, Utc};
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, StatusCode,
    body::{Bytes, Incoming},
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, DATE, HeaderValue},
    http::request::Parts,
};
use tokio::time::timeout;

use super::cut::Cut;

/// Timeout between two pieces of a body.
const BODY_PAUSE: Duration = Duration::from_secs(5);

/// A complete request.
#[derive(Debug)]
pub(crate) struct Request {
    /// Also `GET` for a `HEAD` request: the server omits the body of the response.
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Query string.
    pub(crate) query: String,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads the body. A body beyond `longest_body` is read but not stored, so that the client receives the response.
    ///
    /// # Errors
    ///
    /// The response that refuses the request; `None` if the connection is lost.
    pub(super) async fn read(request: hyper::Request<Incoming>, longest_body: usize) -> Result<Self, Option<Response>> {
        let (Parts { method, uri, headers, .. }, mut incoming) = request.into_parts();
        let (mut body, mut length) = (Vec::new(), 0_usize);
        loop {
            let frame = match timeout(BODY_PAUSE, incoming.frame()).await {
                Ok(None) => break,
                Ok(Some(frame)) => frame.map_err(|error| refusal(&error))?,
                Err(_) => return Err(Some(Response::page(408, "Request Timeout"))),
            };
            // These services use no trailers.
            let Ok(data) = frame.into_data() else { continue };
            length = length.saturating_add(data.len());
            if length <= longest_body {
                body.extend_from_slice(&data);
            }
        }
        if length > longest_body {
            return Err(Some(Response::page(413, "Content Too Large")));
        }
        Ok(Self {
            method: if method == Method::HEAD { Method::GET } else { method },
            path: uri.path().to_owned(),
            query: uri.query().unwrap_or_default().to_owned(),
            headers,
            body,
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.headers.get(name)?.as_bytes()).ok()
    }
}

/// Response to a body that cannot be read; `None` if the connection was lost inside the body.
fn refusal(error: &hyper::Error) -> Option<Response> {
    (!error.is_incomplete_message()).then(|| Response::page(400, "Bad Request"))
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn page(status: u16, text: &str) -> Self {
        let body = format!("<!DOCTYPE html>\r\n<html><body><h1>{text}</h1></body></html>\r\n").into_bytes();
        Self { status, content_type: "text/html; charset=utf-8", body }
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self { status: 200, content_type: "application/json; charset=utf-8", body: value.to_string().into_bytes() }
    }

    /// Returns the response for hyper, dated with that time.
    pub(super) fn into_http(self, closes: bool, now: DateTime<Utc>) -> hyper::Response<Full<Bytes>> {
        let mut response = hyper::Response::new(Full::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private"));
        if let Ok(date) = HeaderValue::try_from(now.format("%a, %d %b %Y %H:%M:%S GMT").to_string()) {
            headers.insert(DATE, date);
        }
        if closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A response, and the point at which its connection is cut.
pub(crate) enum Reply {
    Whole(Response),
    Cut(Cut, Response),
}
