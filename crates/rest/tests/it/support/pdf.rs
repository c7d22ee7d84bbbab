use std::{fs, process::Command};

/// Returns the words of a PDF in the order of its content, with one space between them.
pub(crate) fn pdf_text(pdf: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), pdf).unwrap();
    let read = Command::new("pdftotext").arg("-raw").arg(file.path()).arg("-").output();
    let text = String::from_utf8(read.expect("pdftotext is needed").stdout).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
