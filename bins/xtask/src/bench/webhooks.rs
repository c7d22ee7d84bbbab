//! Events that wait for one endpoint, and how fast they get there: a receiver in this very process takes them.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    machine::Processes,
    measured::{Measured, Size},
    sandbox::Sandbox,
    tables::Tables,
};
use crate::chore::Done;

/// Threads of the receiver, with one connection each.
const HANDS: usize = 4;
/// Timeout for all events.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(300);

/// Queues `size.waiting` events for a disabled endpoint, enables the endpoint, and measures the delivery.
pub(super) fn measure(size: Size, tables: &Tables, sandbox: &Sandbox, processes: &Processes) -> Done<Measured> {
    eprintln!("== {} events that wait for one endpoint", size.waiting);
    let sink = Sink::open()?;
    let endpoint = sandbox.register(&sink.url)?;
    sandbox.switch(&endpoint, "disabled")?;
    tables.let_wait(&endpoint, size.payments, size.waiting)?;

    processes.forget_memory()?;
    let before = processes.used()?;
    let begun = Instant::now();
    sandbox.switch(&endpoint, "enabled")?;
    let waiting = u64::from(size.waiting);
    while sink.taken() < waiting && begun.elapsed() < DELIVERY_TIMEOUT {
        thread::sleep(Duration::from_millis(5));
    }
    let took = begun.elapsed();
    let operations = sink.taken().min(waiting);
    let used = processes.used()? - before;
    let memory = processes.most_memory()?;
    Ok(Measured { operations, took, failed: waiting - operations, used, memory, ..Measured::default() })
}

/// Receiver that accepts and counts requests.
struct Sink {
    url: String,
    taken: Arc<AtomicU64>,
}

impl Sink {
    /// Listens until the end of the process.
    fn open() -> Done<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let sink = Self { url: format!("http://{}/", listener.local_addr()?), taken: Arc::default() };
        for _ in 0..HANDS {
            let (listener, taken) = (listener.try_clone()?, sink.taken.clone());
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if take(&stream).is_ok() {
                        taken.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        Ok(sink)
    }

    fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}

/// Reads a whole request and responds.
fn take(stream: &TcpStream) -> std::io::Result<()> {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 0 && line != "\r\n" {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
    writer.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_request_is_counted_and_answered() {
        let sink = Sink::open().unwrap();
        let address = sink.url.trim_start_matches("http://").trim_end_matches('/');
        let send = |text: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(text.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };

        let answer = send("POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 4\r\n\r\nbody");

        assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
        while sink.taken() == 0 {
            thread::yield_now();
        }
        assert_eq!(sink.taken(), 1);
    }
}
