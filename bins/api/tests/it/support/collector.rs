use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// Collector of traces that stores all requests.
pub(crate) struct Collector {
    pub(crate) url: String,
    taken: Arc<Mutex<Vec<Delivery>>>,
}

/// Stored request.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    /// The first line and the headers, in small letters.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Collector {
    /// Listens until the test ends.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let taken = Arc::<Mutex<Vec<Delivery>>>::default();
        let deliveries = taken.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let deliveries = deliveries.clone();
                thread::spawn(move || take(&stream.unwrap(), &deliveries));
            }
        });
        Self { url, taken }
    }

    /// Everything so far.
    pub(crate) fn taken(&self) -> Vec<Delivery> {
        self.taken.lock().unwrap().clone()
    }
}

/// Takes one request after the other, until the client has no more.
fn take(stream: &TcpStream, deliveries: &Mutex<Vec<Delivery>>) {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_lowercase();
        let length = head.lines().find_map(|it| it.strip_prefix("content-length: ")).expect("a length");
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        deliveries.lock().unwrap().push(Delivery { head, body });
        writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }
}
