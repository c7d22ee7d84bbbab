use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use crate::failure::{Context, Done};

/// Receiver on this machine that responds to each request with 410 Gone, until the end of this
/// value.
pub(super) struct Gone {
    url: String,
    answering: JoinHandle<()>,
}

impl Gone {
    pub(super) async fn open() -> Done<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.or_fail("nothing can listen on this machine")?;
        let address = listener.local_addr().or_fail("the listener has no address")?;
        let answering = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                // A closed connection needs no response.
                drop(answer(&mut stream).await);
            }
        });
        Ok(Self { url: format!("http://{address}/"), answering })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Gone {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

/// Reads the whole request before the response: a client that still sends would miss the response.
async fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(&mut *stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).await? > 0 && line != "\r\n" {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    tokio::io::copy(&mut reader.take(length), &mut tokio::io::sink()).await?;
    stream.write_all(b"HTTP/1.1 410 Gone\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await
}
