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

/// A request, to be sent in process or over a socket.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    /// Where it comes from, if it is sent in process.
    pub(crate) peer: Option<SocketAddr>,
}

impl Request {
    pub(crate) const HOST: &'static str = "api.cobro.example";

    /// Any method, nothing but the host.
    pub(crate) fn bare(method: &'static str, target: impl Into<String>) -> Self {
        let headers = vec![("host", Self::HOST.into())];
        Self { method, target: target.into(), headers, body: Vec::new(), peer: None }
    }

    /// A reading by whoever holds `credential`.
    pub(crate) fn get(target: impl Into<String>, credential: &str) -> Self {
        Self::bare("GET", target).with("authorization", format!("Bearer {credential}"))
    }

    /// A command by whoever holds `credential`, under a key of its own.
    pub(crate) fn post(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        static KEYS: AtomicU32 = AtomicU32::new(1);
        let key = format!("key-of-its-own-{}", KEYS.fetch_add(1, Ordering::Relaxed));
        let request = Self::bare("POST", target).with("authorization", format!("Bearer {credential}"));
        request.with("content-type", "application/json").with("idempotency-key", key).sending(body)
    }

    /// A command that replaces something.
    pub(crate) fn put(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { method: "PUT", ..Self::post(target, credential, body) }
    }

    /// A command that changes some of something.
    pub(crate) fn patch(target: impl Into<String>, credential: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { method: "PATCH", ..Self::post(target, credential, body) }
    }

    /// A command that takes something away.
    pub(crate) fn delete(target: impl Into<String>, credential: &str) -> Self {
        Self { method: "DELETE", ..Self::post(target, credential, "") }.without("content-type")
    }

    /// The same with one more header.
    pub(crate) fn and(mut self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same with that header set to `value` alone.
    pub(crate) fn with(self, name: &'static str, value: impl Into<Vec<u8>>) -> Self {
        self.without(name).and(name, value)
    }

    /// The same without that header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(it, _)| *it != name);
        self
    }

    /// The same under that idempotency key.
    pub(crate) fn keyed(self, key: impl Into<Vec<u8>>) -> Self {
        self.with("idempotency-key", key)
    }

    /// The same with another body.
    pub(crate) fn sending(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The same from another address, as in `203.0.113.9`.
    pub(crate) fn from(self, address: &str) -> Self {
        Self { peer: Some(SocketAddr::new(address.parse().unwrap(), 40_000)), ..self }
    }

    /// As the framework's own test service takes it.
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

    /// As it goes over a socket; the connection ends with the answer.
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
