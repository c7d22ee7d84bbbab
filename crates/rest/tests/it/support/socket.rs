//! The server on a socket, for tests of framing and disconnects.

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    time::Duration,
};

use actix_web::{dev::ServerHandle, rt};

use super::{Request, TestResponse, World};

/// A world behind a socket.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    handle: ServerHandle,
}

impl Served {
    pub(crate) fn start(world: &World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (checkout, state) = (world.checkout(), world.state());
        let pages = move |config: &mut _| checkout::routes(config, checkout.clone());
        let server = rest::server(state, listener, pages).unwrap();
        let handle = server.handle();
        rt::spawn(server);
        Self { address, handle }
    }

    /// Sends one request and waits for the response. Requests close the connection, so the timeout only
    /// bounds a server that never responds.
    pub(crate) async fn send(&self, request: &Request) -> TestResponse {
        let received = send_and_read(self.address, request.on_the_wire(), Duration::from_secs(30)).await;
        TestResponse::read(&received).unwrap_or_else(|| panic!("no response: {:?}", String::from_utf8_lossy(&received)))
    }

    /// Stops the server after the running requests.
    pub(crate) async fn stop_gently(&self) {
        self.handle.stop(true).await;
    }

    /// Stops the server at once.
    pub(crate) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

/// Sends `bytes` and returns the response until the server closes the connection or `patience` passes.
pub(crate) async fn send_and_read(address: SocketAddr, bytes: Vec<u8>, timeout: Duration) -> Vec<u8> {
    let talking = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(timeout)).unwrap();
        // A server that refuses a body may close the connection before all bytes are sent.
        let _ = stream.write_all(&bytes);
        let mut received = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut chunk) {
            received.extend_from_slice(&chunk[..length]);
        }
        let _ = stream.shutdown(Shutdown::Both);
        received
    });
    talking.await.unwrap()
}
