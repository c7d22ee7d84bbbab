//! HTTP servers with fixed responses that record the requests.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{Receiver as Channel, channel},
    thread,
};

/// Server that handles one connection after the other, and stops when it is dropped.
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    requests: Channel<String>,
}

impl Receiver {
    /// Returns these bytes for each request, and leaves the connection open.
    pub(crate) fn answering(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (told, requests) = channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let Ok(request) = whole_request(&mut connection) else { continue };
                if told.send(request).is_err() || connection.write_all(answer.as_bytes()).is_err() {
                    return;
                }
                open.push(connection);
            }
        });
        Self { address, requests }
    }

    /// Closes the connection after each request.
    pub(crate) fn hanging_up() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (told, requests) = channel();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let Ok(request) = whole_request(&mut connection) else { continue };
                // The request is recorded before the client sees the end of the connection.
                if told.send(request).is_err() {
                    return;
                }
            }
        });
        Self { address, requests }
    }

    /// Returns the requests so far.
    pub(crate) fn received(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }
}

/// Reads a request with `content-length`.
fn whole_request(connection: &mut TcpStream) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let mut some = [0; 4096];
        let read = connection.read(&mut some)?;
        bytes.extend_from_slice(&some[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|it| it.strip_prefix("content-length: "));
            if length.is_none_or(|it| it.parse() == Ok(body.len())) {
                return Ok(text);
            }
        }
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}
