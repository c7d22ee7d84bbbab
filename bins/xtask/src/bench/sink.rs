//! Receiver of webhooks in this process.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::chore::Done;

/// Maximum length of a body.
const MAX_BODY: u64 = 1 << 20;

/// Receives the body of each request.
pub(super) type Observe = Arc<dyn Fn(&str) + Send + Sync>;

/// Receiver that accepts and counts requests.
pub(super) struct Sink {
    /// Base URL.
    pub(super) url: String,
    taken: Arc<AtomicU64>,
}

impl Sink {
    /// Listens until the end of the process, with one thread for each connection.
    pub(super) fn open(observe: Observe) -> Done<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let sink = Self { url: format!("http://{}/", listener.local_addr()?), taken: Arc::default() };
        let taken = sink.taken.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (taken, observe) = (taken.clone(), observe.clone());
                thread::spawn(move || serve(&stream, &taken, &observe));
            }
        });
        Ok(sink)
    }

    /// Number of requests so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// Responds to the requests of one connection until the client closes it.
fn serve(stream: &TcpStream, taken: &AtomicU64, observe: &Observe) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some((body, is_last))) = take(&mut reader) {
        let close = if is_last { "connection: close\r\n" } else { "" };
        let mut writer = stream;
        if writer.write_all(format!("HTTP/1.1 204 No Content\r\n{close}\r\n").as_bytes()).is_err() {
            return;
        }
        taken.fetch_add(1, Ordering::Relaxed);
        observe(&body);
        if is_last {
            return;
        }
    }
}

/// Reads a whole request. Returns the body, and whether the client closes the connection; `None` at the end.
fn take(reader: &mut impl BufRead) -> io::Result<Option<(String, bool)>> {
    let (mut line, mut length, mut is_last) = (String::new(), 0, false);
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    while line != "\r\n" {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<u64>().unwrap_or_default();
        } else if name.eq_ignore_ascii_case("connection") {
            is_last = value.trim().eq_ignore_ascii_case("close");
        }
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
    }
    let mut body = Vec::new();
    reader.take(length.min(MAX_BODY)).read_to_end(&mut body)?;
    Ok(Some((String::from_utf8_lossy(&body).into_owned(), is_last)))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn requests_of_one_connection_are_counted_shown_and_answered() {
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let seen = bodies.clone();
        let sink = Sink::open(Arc::new(move |body| seen.lock().unwrap().push(body.to_owned()))).unwrap();
        let address = sink.url.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).unwrap();
        let request = |more, body| format!("POST / HTTP/1.1\r\nHost: here\r\n{more}Content-Length: 4\r\n\r\n{body}");

        stream.write_all(request("", "once").as_bytes()).unwrap();
        stream.write_all(request("Connection: close\r\n", "more").as_bytes()).unwrap();
        let mut answers = String::new();
        stream.read_to_string(&mut answers).unwrap();

        assert_eq!(answers.matches("HTTP/1.1 204 ").count(), 2, "{answers}");
        while sink.taken() < 2 || bodies.lock().unwrap().len() < 2 {
            thread::yield_now();
        }
        assert_eq!(*bodies.lock().unwrap(), ["once", "more"]);
        assert_eq!(sink.taken(), 2);
    }
}
