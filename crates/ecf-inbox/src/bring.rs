//! The file that a caller brings: as the one part of a form, or as the body itself; bounded in size and in time.

use std::time::Duration;

use actix_web::{
    HttpRequest,
    error::PayloadError,
    http::header::CONTENT_TYPE,
    rt::time::timeout,
    web::{Bytes, Payload},
};
use futures_util::{Stream, StreamExt};

/// No document of a thousand lines is longer, with its form around it.
pub(crate) const DOCUMENT: usize = 2 * 1024 * 1024 + 4096;
/// No seed is longer, with its signature and its form. Whoever brings one is not let in yet.
pub(crate) const SEED: usize = 64 * 1024;
/// None takes longer to arrive.
const PATIENCE: Duration = Duration::from_secs(20);
/// No boundary of a form is longer (RFC 2046, 5.1.1).
const BOUNDARY: usize = 70;

/// The file, of at most so many bytes with its form, or in Spanish why there is none.
pub(crate) async fn file(request: &HttpRequest, payload: Payload, most: usize) -> Result<Vec<u8>, &'static str> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let body = collect(payload, most, PATIENCE).await?;
    let media = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "text/xml" | "application/xml" => Ok(body),
        "multipart/form-data" => part(&body, boundary(kind)).map(<[u8]>::to_vec).ok_or("Falta el archivo `xml`."),
        _ => Err("Se espera multipart/form-data con el archivo `xml`."),
    }
}

/// The whole body, if it is no longer and takes no longer.
async fn collect(
    mut payload: impl Stream<Item = Result<Bytes, PayloadError>> + Unpin,
    most: usize,
    patience: Duration,
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
    timeout(patience, whole).await.unwrap_or(Err("El archivo tardó demasiado en llegar."))
}

fn boundary(kind: &str) -> &str {
    let parameter = |it: &str| it.get(..9).is_some_and(|name| name.eq_ignore_ascii_case("boundary="));
    let value = kind.split(';').map(str::trim).find(|it| parameter(it)).and_then(|it| it.get(9..));
    value.unwrap_or_default().trim_matches('"')
}

/// What stands in the part that is called `xml`.
fn part<'a>(body: &'a [u8], boundary: &str) -> Option<&'a [u8]> {
    if boundary.is_empty() || boundary.len() > BOUNDARY {
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

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|it| it == what)
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    const FORM: &[u8] =
        b"--b\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--b\r\ncontent-disposition: \
        form-data; name=\"xml\"; filename=\"a.xml\"\r\nContent-Type: text/xml\r\n\r\n<a>\r\n</a>\r\n--b--\r\n";

    #[test]
    fn the_part_of_that_name_is_the_file_to_the_byte() {
        assert_eq!(part(FORM, boundary("multipart/form-data; boundary=\"b\"")), Some(&b"<a>\r\n</a>"[..]));
    }

    /// What comes in pieces, the last of which never does if `is_slow`.
    async fn collected(pieces: &[usize], most: usize, is_slow: bool) -> Result<usize, &'static str> {
        let come = stream::iter(pieces.iter().map(|it| Ok(Bytes::from(vec![b' '; *it]))).collect::<Vec<_>>());
        let patience = if is_slow { Duration::ZERO } else { PATIENCE };
        let rest = if is_slow { stream::pending().left_stream() } else { stream::empty().right_stream() };
        collect(come.chain(rest), most, patience).await.map(|it| it.len())
    }

    #[actix_web::test]
    async fn whoever_brings_too_much_or_takes_too_long_is_told_which() {
        let broken = stream::iter([Ok(Bytes::from_static(b"<")), Err(PayloadError::Incomplete(None))]);

        assert_eq!(collected(&[SEED - 1, 1], SEED, false).await, Ok(SEED));
        assert_eq!(collected(&[SEED, 1], SEED, false).await, Err("El archivo es demasiado grande."));
        assert_eq!(collected(&[1], SEED, true).await, Err("El archivo tardó demasiado en llegar."));
        assert_eq!(collect(broken, SEED, PATIENCE).await, Err("El archivo no llegó completo."));
    }

    #[test]
    fn half_a_form_is_none() {
        for end in 0..FORM.len() - 6 {
            assert_eq!(part(&FORM[..end], "b"), None, "{end}");
        }
        assert_eq!(part(FORM, "c"), None);
        assert_eq!(part(FORM, ""), None);
        assert_eq!(part(b"--b\r\nContent-Disposition: form-data; name=\"xm\"\r\n\r\nx\r\n--b--", "b"), None);
    }
}
