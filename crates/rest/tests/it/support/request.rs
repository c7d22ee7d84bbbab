use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU32, Ordering},
};

use actix_web::{
    http::{
        Method,
        header::{HeaderName, HeaderValue},
    },
    test::TestRequest,
};

/// Request, to be sent in process or over a socket.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    /// Address of the client, if the request is sent in process.
    pub(crate) peer: Option<SocketAddr>,
}

impl Request {
    pub(crate) const HOST: &'static str = "api.cobro.example";

    /// Request with the host header only.
    pub(crate) fn bare(method: &'static str, target: impl Into<String>) -> Self {
        let headers = vec![("host", Self::HOST.into())];
        Self { method, target: target.into(), headers, body: Vec::new(), peer: None }
    }

    /// Read with a credential.
    pub(crate) fn get(target: impl Into<String>, credential: &str) -> Self {
        Self::bare("GET", target).with("authorization", format!("Bearer {credential}"))
    }

    /// Command with a credential and a new idempotency key.
    pub(crate) fn post(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        static KEYS: AtomicU32 = AtomicU32::new(1);
        let key = format!("key-of-its-own-{}", KEYS.fetch_add(1, Ordering::Relaxed));
        let request = Self::bare("POST", target).with("authorization", format!("Bearer {credential}"));
        request.with("content-type", "application/json").with("idempotency-key", key).sending(body)
    }

    /// Command with the method PUT.
    pub(crate) fn put(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { method: "PUT", ..Self::post(target, credential, body) }
    }

    /// Command with the method PATCH.
    pub(crate) fn patch(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { method: "PATCH", ..Self::post(target, credential, body) }
    }

    /// Command with the method DELETE.
    pub(crate) fn delete(target: impl Into<String>, credential: &str) -> Self {
        Self { method: "DELETE", ..Self::post(target, credential, "") }.without("content-type")
    }

    /// Adds a header.
    pub(crate) fn and(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Replaces a header.
    pub(crate) fn with(self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.without(name).and(name, value)
    }

    /// Removes a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(it, _)| *it != name);
        self
    }

    /// Replaces the idempotency key.
    pub(crate) fn keyed(self, key: impl Into<Vec<u8>>) -> Self {
        self.with("idempotency-key", key)
    }

    /// Replaces the body.
    pub(crate) fn sending(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Replaces the address of the client, such as `203.0.113.9`.
    pub(crate) fn from(self, address: &str) -> Self {
        Self { peer: Some(SocketAddr::new(address.parse().unwrap(), 40_000)), ..self }
    }

    /// Converts the request for the test service of the framework.
    pub(crate) fn in_process(&self) -> TestRequest {
        let method = Method::from_bytes(self.method.as_bytes()).unwrap();
        let mut request = TestRequest::with_uri(&self.target).method(method);
        for (name, value) in &self.headers {
            let value = HeaderValue::from_bytes(value).unwrap();
            request = request.append_header((HeaderName::from_static(name), value));
        }
        if let Some(peer) = self.peer {
            request = request.peer_addr(peer);
        }
        if self.body.is_empty() { request } else { request.set_payload(self.body.clone()) }
    }

    /// Returns the bytes for a socket; the connection ends with the response.
    pub(crate) fn on_the_wire(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", self.method, self.target).into_bytes();
        let length = self.body.len().to_string().into_bytes();
        let length = (!self.body.is_empty()).then_some(("content-length", length));
        for (name, value) in self.headers.iter().chain(&length) {
            bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
        }
        [&bytes, &b"\r\n"[..], &self.body].concat()
    }
}
