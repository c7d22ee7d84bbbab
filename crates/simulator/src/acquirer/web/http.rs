//! As much of HTTP/1.1 as the acquirer needs, byte by byte: an answer can be cut anywhere.

use std::io;

use chrono::{DateTime, Utc};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const HEAD: usize = 16 * 1024;
const BODY: usize = 256 * 1024;

/// A request whose body is longer is not read.
pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<Option<Request>> {
    read_within(stream, buffer, BODY).await
}

/// A request that was read to its end.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// What stands behind the question mark.
    pub(crate) query: String,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// An answer.
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

    /// The head, which tells the time if there is one to tell, and what is sent after it.
    pub(crate) fn spelled(&self, closes: bool, now: Option<DateTime<Utc>>) -> (Vec<u8>, &[u8]) {
        let Self { status, content_type, body } = self;
        let reason = if *status == 200 { "OK" } else { "Error" };
        let connection = if closes { "close" } else { "keep-alive" };
        let length = body.len();
        let date = now.map_or_else(String::new, |it| it.format("Date: %a, %d %b %Y %H:%M:%S GMT\r\n").to_string());
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\n{date}Content-Type: {content_type}\r\nContent-Length: {length}\r\n\
             Cache-Control: private\r\nConnection: {connection}\r\n\r\n"
        );
        (head.into_bytes(), body)
    }
}

/// The next request on a connection; `None` where the peer has ended it, or does not speak HTTP.
/// What was read beyond it stays in `buffer`. A body that is longer than `most` is not read.
pub(crate) async fn read_within(
    stream: &mut (impl AsyncRead + Unpin),
    buffer: &mut Vec<u8>,
    most: usize,
) -> io::Result<Option<Request>> {
    loop {
        if let Some((mut request, head, length)) = parse(buffer, most)? {
            let end = head.saturating_add(length);
            while buffer.len() < end {
                if stream.read_buf(buffer).await? == 0 {
                    return Ok(None);
                }
            }
            let rest = buffer.split_off(end);
            request.body = buffer.split_off(head);
            *buffer = rest;
            return Ok(Some(request));
        }
        if buffer.len() > HEAD || stream.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// The head of a request, its length, and that of the body; `None` while it is not whole.
fn parse(buffer: &[u8], most: usize) -> io::Result<Option<(Request, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(buffer).map_err(io::Error::other)? else { return Ok(None) };
    let (path, query) = head.path.unwrap_or("/").split_once('?').unwrap_or((head.path.unwrap_or("/"), ""));
    let headers = head
        .headers
        .iter()
        .map(|it| (it.name.to_ascii_lowercase(), String::from_utf8_lossy(it.value).trim().to_owned()));
    let request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers.collect(),
        body: Vec::new(),
    };
    let body = request.header("content-length").map_or(Ok(0), str::parse).map_err(io::Error::other)?;
    if body > most || request.header("transfer-encoding").is_some() {
        return Err(io::Error::other("a body of this kind is not read"));
    }
    Ok(Some((request, length, body)))
}

/// Sends all of `parts`.
pub(crate) async fn write(stream: &mut (impl AsyncWrite + Unpin), parts: &[&[u8]]) -> io::Result<()> {
    for part in parts {
        stream.write_all(part).await?;
    }
    stream.flush().await
}
