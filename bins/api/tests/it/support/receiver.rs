use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// Behavior of a receiver of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    /// Accepts each event.
    Accepts,
    /// Refuses each event.
    Refuses,
    /// Responds 410 Gone.
    Gone,
    /// Reads without a response.
    NeverResponds,
    /// Sends one byte of the response per second.
    SlowResponse,
    /// Sends an endless response.
    EndlessResponse,
    /// Closes the connection without a response.
    ClosesConnection,
    /// Redirects to a forbidden address.
    Redirects,
    /// Responds with invalid HTTP.
    InvalidHttp,
    /// Accepts connections without reading.
    NeverReads,
}

impl Behavior {
    /// Receivers that must not delay other receivers.
    pub(crate) const HOSTILE: [Self; 9] = [
        Self::Refuses,
        Self::NeverResponds,
        Self::SlowResponse,
        Self::EndlessResponse,
        Self::ClosesConnection,
        Self::Redirects,
        Self::InvalidHttp,
        Self::NeverReads,
        Self::NeverResponds,
    ];
}

/// Server of a merchant that receives events.
pub(crate) struct Receiver {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<ReceivedAttempt>>>,
    is_open: Arc<AtomicBool>,
}

/// Received attempt.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedAttempt {
    pub(crate) at: Instant,
    /// Headers in their order.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) event: Value,
}

impl ReceivedAttempt {
    pub(crate) fn header(&self, name: &str) -> &str {
        let header = self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        header.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("{name} is missing in {self:?}"))
    }
}

impl Receiver {
    /// Listens on a free port until the end of the test.
    pub(crate) fn start(behavior: Behavior) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (received, is_open) = (Arc::<Mutex<Vec<ReceivedAttempt>>>::default(), Arc::new(AtomicBool::new(true)));
        let (all, open) = (received.clone(), is_open.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (all, open) = (all.clone(), open.clone());
                thread::spawn(move || {
                    // The client closed the connection after its request.
                    drop(serve(&stream, if open.load(Ordering::SeqCst) { behavior } else { Behavior::Refuses }, &all));
                });
            }
        });
        Self { url, received, is_open }
    }

    /// Returns the attempts so far.
    pub(crate) fn received(&self) -> Vec<ReceivedAttempt> {
        self.received.lock().unwrap().clone()
    }

    /// Refuses all attempts from now on, or behaves as before.
    pub(crate) fn open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::SeqCst);
    }
}

fn serve(stream: &TcpStream, behavior: Behavior, all: &Mutex<Vec<ReceivedAttempt>>) -> std::io::Result<()> {
    if behavior == Behavior::NeverReads {
        thread::sleep(Duration::from_secs(60));
        return Ok(());
    }
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let (mut line, mut headers) = (String::new(), Vec::new());
    reader.read_line(&mut line)?;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let mut body = vec![0; length.map_or(0, |(_, it)| it.parse().unwrap())];
    reader.read_exact(&mut body)?;
    // A killed process may leave an incomplete line.
    let event = serde_json::from_slice(&body)?;
    all.lock().unwrap().push(ReceivedAttempt { at: Instant::now(), headers, body, event });
    respond(&mut writer, behavior)
}

fn respond(writer: &mut impl Write, behavior: Behavior) -> std::io::Result<()> {
    let bodyless = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    match behavior {
        Behavior::Accepts => writer.write_all(bodyless("204 No Content").as_bytes()),
        Behavior::Refuses => writer.write_all(bodyless("500 Internal Server Error").as_bytes()),
        Behavior::Gone => writer.write_all(bodyless("410 Gone").as_bytes()),
        Behavior::Redirects => {
            let head = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest/meta-data\r\n";
            writer.write_all(format!("{head}content-length: 0\r\n\r\n").as_bytes())
        }
        Behavior::InvalidHttp => writer.write_all(b"\0\x01\x02 certainly no HTTP\r\n\r\n"),
        Behavior::ClosesConnection | Behavior::NeverReads => Ok(()),
        Behavior::NeverResponds => {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        Behavior::SlowResponse => {
            for letter in bodyless("200 OK").bytes() {
                writer.write_all(&[letter])?;
                thread::sleep(Duration::from_secs(1));
            }
            Ok(())
        }
        Behavior::EndlessResponse => {
            writer.write_all(b"HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n")?;
            loop {
                writer.write_all(b"1000\r\n")?;
                writer.write_all(&[b'a'; 0x1000])?;
                writer.write_all(b"\r\n")?;
            }
        }
    }
}
