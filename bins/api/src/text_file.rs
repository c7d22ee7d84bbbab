//! Text files that people write: some editors put a byte order mark before the text, and Windows also writes UTF-16.

use std::{fs, path::Path};

use zeroize::Zeroizing;

use crate::failure::{Context, Done, Failure};

/// Returns the bytes of the file.
pub(crate) fn bytes(path: &Path) -> Done<Zeroizing<Vec<u8>>> {
    fs::read(path).map(Zeroizing::new).or_fail(format!("{} cannot be read", path.display()))
}

/// Returns the bytes of the file without a byte order mark. UTF-16 with a byte order mark is converted to UTF-8.
pub(crate) fn read(path: &Path) -> Done<Zeroizing<Vec<u8>>> {
    bytes(path).map(without_mark)
}

/// Returns the text of the file.
pub(crate) fn read_text(path: &Path) -> Done<Zeroizing<String>> {
    text(read(path)?).ok_or_else(|| Failure::new(format!("{} is not text", path.display())))
}

/// Returns the password in the file, without the line ending.
pub(crate) fn read_password(path: &Path) -> Done<Zeroizing<String>> {
    let text = read_text(path)?;
    Ok(Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Decodes the bytes as text, without a byte order mark.
pub(crate) fn text(bytes: Zeroizing<Vec<u8>>) -> Option<Zeroizing<String>> {
    let bytes = without_mark(bytes);
    str::from_utf8(&bytes).ok().map(|text| Zeroizing::new(text.to_owned()))
}

fn without_mark(bytes: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
    match bytes.as_slice() {
        [0xef, 0xbb, 0xbf, text @ ..] => Zeroizing::new(text.to_vec()),
        [0xff, 0xfe, units @ ..] => from_utf16(units, u16::from_le_bytes).unwrap_or(bytes),
        [0xfe, 0xff, units @ ..] => from_utf16(units, u16::from_be_bytes).unwrap_or(bytes),
        _ => bytes,
    }
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Zeroizing<Vec<u8>>> {
    let (pairs, []) = bytes.as_chunks() else { return None };
    let units: Zeroizing<Vec<u16>> = Zeroizing::new(pairs.iter().map(|pair| unit(*pair)).collect());
    String::from_utf16(&units).ok().map(|text| Zeroizing::new(text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<&str>) {
        assert_eq!(text(Zeroizing::new(bytes.to_vec())).as_ref().map(|it| it.as_str()), expected, "{bytes:?}");
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        check("clave\u{f1}".as_bytes(), Some("claveñ"));
        check("\u{feff}clave".as_bytes(), Some("clave"));
        check(b"\xff\xfec\0\xf1\0", Some("cñ"));
        check(b"\xfe\xff\0c\0\xf1", Some("cñ"));
        check(b"\xff\xfec", None);
        check(b"\xf1", None);
        check(b"", Some(""));
    }
}
