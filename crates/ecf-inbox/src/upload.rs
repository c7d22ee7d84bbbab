//! File in a request: one part of a multipart form, or the whole body. Size and time are limited.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    error::PayloadError,
    http::header::CONTENT_TYPE,
    rt::time::timeout,
    web::{Bytes, Payload},
};
use futures_util::{Stream, StreamExt};

/// Maximum size of a document of a thousand lines, with its form.
pub(crate) const MAX_DOCUMENT: usize = 2 * 1024 * 1024 + 4096;
/// Maximum size of a signed seed, with its form. The sender is not authenticated yet.
pub(crate) const MAX_SEED: usize = 64 * 1024;
/// Timeout for the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum length of a multipart boundary (RFC 2046, 5.1.1).
const MAX_BOUNDARY: usize = 70;

/// Returns the file of a request of at most `most` bytes, or an error message in Spanish.
pub(crate) async fn read_file(request: &HttpRequest, payload: Payload, most: usize) -> Result<Vec<u8>, &'static str> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let body = collect(payload, most, BODY_TIMEOUT).await?;
    let media = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "text/xml" | "application/xml" => Ok(body),
        "multipart/form-data" => part(&body, boundary(kind)).map(<[u8]>::to_vec).ok_or("Falta el archivo `xml`."),
        _ => Err("Se espera multipart/form-data con el archivo `xml`."),
    }
}

/// Reads the body up to a size and within a timeout.
async fn collect(
    mut payload: impl Stream<Item = Result<Bytes, PayloadError>> + Unpin,
    most: usize,
    limit: Duration,
) -> Result<Vec<u8>, &'static str> {
    let whole = async {
        let mut bytes = Vec::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| "El archivo no llegó completo.")?;
            if bytes.len().saturating_add(chunk.len()) > most {
                return Err("El archivo es demasiado grande.");
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    };
    timeout(limit, whole).await.unwrap_or(Err("El archivo tardó demasiado en llegar."))
}

fn boundary(kind: &str) -> &str {
    let parameter = |it: &str| it.get(..9).is_some_and(|name| name.eq_ignore_ascii_case("boundary="));
    let value = kind.split(';').map(str::trim).find(|it| parameter(it)).and_then(|it| it.get(9..));
    value.unwrap_or_default().trim_matches('"')
}

/// Returns the part with the name `xml`.
fn part<'a>(body: &'a [u8], boundary: &str) -> Option<&'a [u8]> {
    if boundary.is_empty() || boundary.len() > MAX_BOUNDARY {
        return None;
    }
    let first = format!("--{boundary}");
    let next = format!("\r\n--{boundary}");
    let mut rest = body.get(find(body, first.as_bytes())? + first.len()..)?;
    loop {
        rest = rest.strip_prefix(b"\r\n")?;
        let head_ends = find(rest, b"\r\n\r\n")?;
        let head = std::str::from_utf8(rest.get(..head_ends)?).ok()?;
        let content = rest.get(head_ends + 4..)?;
        let ends = find(content, next.as_bytes())?;
        if is_named_xml(head) {
            return content.get(..ends);
        }
        rest = content.get(ends + next.len()..)?;
    }
}

fn is_named_xml(head: &str) -> bool {
    head.lines().any(|line| {
        let is_disposition = line.get(..20).is_some_and(|it| it.eq_ignore_ascii_case("content-disposition:"));
        let name = |it: &str| it.strip_prefix("name=").map(|it| it.trim_matches('"').eq_ignore_ascii_case("xml"));
        is_disposition && line.split(';').map(str::trim).filter_map(name).any(|it| it)
    })
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|it| it == pattern)
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    const FORM: &[u8] =
        b"--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b\r\ncontent-disposition: \
        form-data; name=\"xml\"; filename=\"a.xml\"\r\nContent-Type: text/xml\r\n\r\n<a>\r\n</a>\r\n--b--\r\n";

    #[test]
    fn the_part_xml_is_the_file_unchanged() {
        assert_eq!(part(FORM, boundary("multipart/form-data; boundary=\"b\"")), Some(&b"<a>\r\n</a>"[..]));
    }

    /// Reads a body in chunks; the last one never arrives if `is_slow`.
    async fn collected(pieces: &[usize], most: usize, is_slow: bool) -> Result<usize, &'static str> {
        let chunks = stream::iter(pieces.iter().map(|it| Ok(Bytes::from(vec![b' '; *it]))).collect::<Vec<_>>());
        let limit = if is_slow { Duration::ZERO } else { BODY_TIMEOUT };
        let rest = if is_slow { stream::pending().left_stream() } else { stream::empty().right_stream() };
        collect(chunks.chain(rest), most, limit).await.map(|it| it.len())
    }

    #[actix_web::test]
    async fn a_large_slow_or_broken_body_is_refused_with_its_cause() {
        let broken = stream::iter([Ok(Bytes::from_static(b"<")), Err(PayloadError::Incomplete(None))]);

        assert_eq!(collected(&[MAX_SEED - 1, 1], MAX_SEED, false).await, Ok(MAX_SEED));
        assert_eq!(collected(&[MAX_SEED, 1], MAX_SEED, false).await, Err("El archivo es demasiado grande."));
        assert_eq!(collected(&[1], MAX_SEED, true).await, Err("El archivo tardó demasiado en llegar."));
        assert_eq!(collect(broken, MAX_SEED, BODY_TIMEOUT).await, Err("El archivo no llegó completo."));
    }

    #[test]
    fn a_truncated_form_is_refused() {
        for end in 0..FORM.len() - 6 {
            assert_eq!(part(&FORM[..end], "b"), None, "{end}");
        }
        assert_eq!(part(FORM, "c"), None);
        assert_eq!(part(FORM, ""), None);
        assert_eq!(part(b"--b\r\nContent-Disposition: form-data; name=\"xm\"\r\n\r\nx\r\n--b--", "b"), None);
    }
}
