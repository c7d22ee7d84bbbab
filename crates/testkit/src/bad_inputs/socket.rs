use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::{Duration, Instant},
};

/// What a server said.
#[derive(Debug)]
pub struct RawResponse {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Whether the server hung up.
    pub is_over: bool,
    /// How long it took.
    pub took: Duration,
}

/// What a server says to `bytes` until it hangs up, or has been silent for five seconds.
///
/// # Panics
///
/// Nobody listens.
pub fn send_raw(address: SocketAddr, bytes: &[u8]) -> RawResponse {
    let began = Instant::now();
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket can be waited for");
    // Whoever refuses a body may hang up before it is sent.
    let _ = stream.write_all(bytes);
    let mut said = Vec::new();
    let mut chunk = [0; 4096];
    let is_over = loop {
        match stream.read(&mut chunk) {
            Ok(length @ 1..) => said.extend_from_slice(&chunk[..length]),
            Ok(0) => break true,
            Err(error) => break error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    };
    let _ = stream.shutdown(Shutdown::Both);
    RawResponse { bytes: said, is_over, took: began.elapsed() }
}
