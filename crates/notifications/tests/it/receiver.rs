//! HTTP servers with fixed responses that record the requests.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{Receiver as Channel, Sender, channel},
    thread,
    time::Duration,
};

/// Recorded when the client closes a connection.
pub(crate) const CLOSED: &str = "closed by the client";

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
        let (sender, requests) = channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let Ok(request) = whole_request(&mut connection) else { continue };
                if sender.send(request).is_err() || connection.write_all(answer.as_bytes()).is_err() {
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
        let (sender, requests) = channel();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                let Ok(request) = whole_request(&mut connection) else { continue };
                // The request is recorded before the client sees the end of the connection.
                if sender.send(request).is_err() {
                    return;
                }
            }
        });
        Self { address, requests }
    }

    /// Follows one script after the other, one for each connection. After a script the connection stays open without
    /// responses.
    pub(crate) fn following(scripts: &'static [&'static [Step]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = channel();
        thread::spawn(move || {
            for (script, connection) in scripts.iter().zip(listener.incoming()) {
                let (connection, sender) = (connection.unwrap(), sender.clone());
                // A thread for each: the client may open the next one before this one ends.
                thread::spawn(move || follow(script, connection, &sender));
            }
        });
        Self { address, requests }
    }

    /// Returns the next request, or [`CLOSED`].
    pub(crate) fn next(&self) -> String {
        self.requests.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// Returns the requests so far.
    pub(crate) fn received(&self) -> Vec<String> {
        self.requests.try_iter().collect()
    }
}

/// Reaction to a request.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// Sends these bytes.
    Answer(&'static str),
    /// Sends these bytes and closes the connection.
    Last(&'static str),
}

fn follow(script: &[Step], mut connection: TcpStream, requests: &Sender<String>) {
    for step in script.iter().chain([&Step::Answer("")]) {
        let Ok(request) = whole_request(&mut connection) else {
            let _ = requests.send(CLOSED.to_owned());
            return;
        };
        let (Step::Answer(bytes) | Step::Last(bytes)) = step;
        if requests.send(request).is_err() || connection.write_all(bytes.as_bytes()).is_err() {
            return;
        }
        if matches!(step, Step::Last(_)) {
            return;
        }
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
