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

/// How a receiver of events behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Accepts each event.
    Takes,
    /// Refuses each event.
    Refuses,
    /// Responds 410 Gone.
    Gone,
    /// Reads without a response.
    Hangs,
    /// Sends one byte of the response per second.
    Drips,
    /// Sends an endless response.
    Endless,
    /// Closes the connection without a response.
    Resets,
    /// Redirects to a forbidden address.
    Redirects,
    /// Responds with invalid HTTP.
    Babbles,
    /// Accepts connections without reading.
    Deaf,
}

impl Manner {
    /// Receivers that must not delay other receivers.
    pub(crate) const HOSTILE: [Self; 9] = [
        Self::Refuses,
        Self::Hangs,
        Self::Drips,
        Self::Endless,
        Self::Resets,
        Self::Redirects,
        Self::Babbles,
        Self::Deaf,
        Self::Hangs,
    ];
}

/// Server of a merchant that receives events.
pub(crate) struct Receiver {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Heard>>>,
    is_open: Arc<AtomicBool>,
}

/// Received attempt.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) at: Instant,
    /// Headers in their order.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) event: Value,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("{name} is missing in {self:?}"))
    }
}

impl Receiver {
    /// Listens on a free port until the end of the test.
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (got, is_open) = (Arc::<Mutex<Vec<Heard>>>::default(), Arc::new(AtomicBool::new(true)));
        let (kept, open) = (got.clone(), is_open.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, open) = (kept.clone(), open.clone());
                thread::spawn(move || {
                    // The client closed the connection after its request.
                    drop(serve(&stream, if open.load(Ordering::SeqCst) { manner } else { Manner::Refuses }, &kept));
                });
            }
        });
        Self { url, got, is_open }
    }

    /// Returns the attempts so far.
    pub(crate) fn got(&self) -> Vec<Heard> {
        self.got.lock().unwrap().clone()
    }

    /// Refuses all attempts from now on, or behaves as before.
    pub(crate) fn open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::SeqCst);
    }
}

fn serve(stream: &TcpStream, manner: Manner, kept: &Mutex<Vec<Heard>>) -> std::io::Result<()> {
    if manner == Manner::Deaf {
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
    kept.lock().unwrap().push(Heard { at: Instant::now(), headers, body, event });
    respond(&mut writer, manner)
}

fn respond(writer: &mut impl Write, manner: Manner) -> std::io::Result<()> {
    let bodyless = |status: &str| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    match manner {
        Manner::Takes => writer.write_all(bodyless("204 No Content").as_bytes()),
        Manner::Refuses => writer.write_all(bodyless("500 Internal Server Error").as_bytes()),
        Manner::Gone => writer.write_all(bodyless("410 Gone").as_bytes()),
        Manner::Redirects => {
            let head = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://169.254.169.254/latest/meta-data\r\n";
            writer.write_all(format!("{head}content-length: 0\r\n\r\n").as_bytes())
        }
        Manner::Babbles => writer.write_all(b"\0\x01\x02 certainly no HTTP\r\n\r\n"),
        Manner::Resets | Manner::Deaf => Ok(()),
        Manner::Hangs => {
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        Manner::Drips => {
            for letter in bodyless("200 OK").bytes() {
                writer.write_all(&[letter])?;
                thread::sleep(Duration::from_secs(1));
            }
            Ok(())
        }
        Manner::Endless => {
            writer.write_all(b"HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n")?;
            loop {
                writer.write_all(b"1000\r\n")?;
                writer.write_all(&[b'a'; 0x1000])?;
                writer.write_all(b"\r\n")?;
            }
        }
    }
}
