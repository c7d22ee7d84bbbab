//! A form with a file in it, as the authority takes documents.

use crate::server::Request;

/// A file of a form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// The file under the name `xml`, if the request is a form that has one.
pub(super) fn file(request: &Request) -> Option<File> {
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
    (is_alone && is_xml).then_some(File { name: parameter(disposition, "filename")?.to_owned(), bytes: bytes.to_vec() })
}

/// Returns the named parameter of a header, quoted or not.
fn parameter<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    header.split(';').skip(1).find_map(|it| {
        let (key, value) = it.split_once('=')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

/// What stands before and behind the first of that.
fn find<'a>(bytes: &'a [u8], what: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(what.len()).position(|it| it == what)?;
    Some((bytes.get(..at)?, bytes.get(at.checked_add(what.len())?..)?))
}
