//! Multipart form with one file, the authority's format of submissions.

use crate::server::Request;

/// A file of a form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UploadedFile {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// Returns the file of the field `xml`, if the request is a form with that field only.
pub(super) fn file(request: &Request) -> Option<UploadedFile> {
    let kind = request.header("content-type")?;
    let is_form = kind.split(';').next()?.trim().eq_ignore_ascii_case("multipart/form-data");
    let boundary = parameter(kind, "boundary").filter(|_| is_form)?;
    let delimiter = format!("--{boundary}");
    let after = find(&request.body, delimiter.as_bytes())?.1.strip_prefix(b"\r\n")?;
    let (head, rest) = find(after, b"\r\n\r\n")?;
    let (bytes, end) = find(rest, format!("\r\n{delimiter}").as_bytes())?;
    let head = std::str::from_utf8(head).ok()?;
    let disposition = head.lines().find(|it| it.to_ascii_lowercase().starts_with("content-disposition:"))?;
    let is_alone = end.starts_with(b"--");
    let is_xml = parameter(disposition, "name")? == "xml";
    (is_alone && is_xml)
        .then_some(UploadedFile { name: parameter(disposition, "filename")?.to_owned(), bytes: bytes.to_vec() })
}

/// Returns the named parameter of a header, quoted or not.
fn parameter<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.split(';').skip(1).find_map(|it| {
        let (key, value) = it.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

/// Splits at the first occurrence of `separator`.
fn find<'a>(bytes: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(separator.len()).position(|it| it == separator)?;
    Some((bytes.get(..at)?, bytes.get(at.checked_add(separator.len())?..)?))
}
