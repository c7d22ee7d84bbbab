//! HTTP client of the load generator: one connection, which stays open between requests.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::Duration,
};

use crate::chore::Done;

/// Timeout of a read.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client of one server.
pub(crate) struct Client {
    /// Host and port.
    host: String,
    connection: Option<BufReader<TcpStream>>,
}

/// A response.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Path of a redirect.
    pub(crate) location: String,
    /// Name and value of the cookie that is set.
    pub(crate) cookie: String,
    pub(crate) body: String,
    is_last: bool,
}

impl Client {
    /// Returns a client of the server at `url`, as in `http://127.0.0.1:8080`.
    pub(crate) fn of(url: &str) -> Self {
        Self { host: url.trim_start_matches("http://").trim_end_matches('/').to_owned(), connection: None }
    }

    /// Sends a request with header lines such as `cookie: a=b`, and returns the response.
    pub(crate) fn send(&mut self, method: &str, path: &str, headers: &[&str], body: &str) -> Done<Response> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.host);
        for header in headers {
            request.extend([header, "\r\n"]);
        }
        if !body.is_empty() {
            request.push_str(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()));
        }
        request.extend(["\r\n", body]);
        let mut connection = match self.connection.take() {
            Some(open) => open,
            None => self.connect()?,
        };
        connection.get_mut().write_all(request.as_bytes())?;
        let response = read(&mut connection).map_err(|error| format!("{method} {path}: {error}"))?;
        if !response.is_last {
            self.connection = Some(connection);
        }
        Ok(response)
    }

    fn connect(&self) -> Done<BufReader<TcpStream>> {
        let stream = TcpStream::connect(&self.host)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(BufReader::new(stream))
    }
}

/// Reads one response, whose body has a stated length.
fn read(from: &mut impl BufRead) -> Done<Response> {
    let (mut response, mut length, mut line) = (Response::default(), 0, String::new());
    from.read_line(&mut line)?;
    response.status = line.split(' ').nth(1).unwrap_or_default().parse().map_err(|_| "no response")?;
    loop {
        line.clear();
        if from.read_line(&mut line)? <= 2 {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse()?,
            "connection" => response.is_last = value.eq_ignore_ascii_case("close"),
            "location" => value.clone_into(&mut response.location),
            "set-cookie" => response.cookie = value.split(';').next().unwrap_or_default().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    response.body = String::from_utf8_lossy(&body).into_owned();
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_in_a_row_are_read_one_by_one() {
        let mut bytes = b"HTTP/1.1 303 See Other\r\nLocation: /p/1?opened=1\r\nset-cookie: a=b; Path=/p\r\n\
            content-length: 0\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 4\r\n\r\nbody"
            .as_slice();

        let (first, second) = (read(&mut bytes).unwrap(), read(&mut bytes).unwrap());

        assert_eq!((first.status, first.location.as_str(), first.cookie.as_str()), (303, "/p/1?opened=1", "a=b"));
        assert_eq!((second.status, second.body.as_str(), first.is_last, second.is_last), (200, "body", false, true));
        assert!(read(&mut bytes).is_err());
    }
}
