use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use crate::response::TestResponse;

/// Response bytes of a server.
#[derive(Debug)]
pub struct RawResponse {
    /// All received bytes.
    pub bytes: Vec<u8>,
    /// Whether the server closed the connection.
    pub is_over: bool,
    /// Time until the end of the response.
    pub took: Duration,
}

/// Sends `bytes`, and reads until the server closes the connection or is silent for five seconds. Ends its own side of
/// the connection after a whole response with `connection: close` and a body: a server that did not read the whole
/// request waits for the rest.
///
/// # Panics
///
/// If the server refuses the connection.
pub fn send_raw(address: SocketAddr, bytes: &[u8]) -> RawResponse {
    let started_at = Instant::now();
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("the socket has a timeout");
    // A server that refuses a body may close the connection first.
    let _ = stream.write_all(bytes);
    let mut received = Vec::new();
    let mut chunk = [0; 4096];
    let is_over = loop {
        match stream.read(&mut chunk) {
            Ok(length @ 1..) => {
                received.extend_from_slice(&chunk[..length]);
                if is_complete_before_close(&received) {
                    let _ = stream.shutdown(Shutdown::Write);
                }
            }
            Ok(0) => break true,
            Err(error) => break error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    };
    let _ = stream.shutdown(Shutdown::Both);
    RawResponse { bytes: received, is_over, took: started_at.elapsed() }
}

fn is_complete_before_close(response: &[u8]) -> bool {
    TestResponse::read(response).is_some_and(|response| {
        let length = response.header("content-length").parse();
        let is_complete = length.is_ok_and(|length: usize| length > 0 && response.body.len() >= length);
        is_complete && response.header("connection") == "close"
    })
}
